// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal
import Toolkit

/// The versions that programs can rely on: of blectl, of the Bluetooth library, and of the records.
struct VersionResult: RecordedResult {
    let timestamp: Timestamp

    static let record = RecordKind<Self>("version", "the version of blectl") {
        RecordField("version", .string, "version") { _ in Program.version }
        RecordField("library", .string, "library that it is linked with") { _ in Program.library }
        RecordField("library_use", .string, "what blectl uses it for") { _ in Program.libraryUse }
        RecordField("record_schema", .string, "identifier of the JSON Schema of all records, with version") {
            _ in RecordSchema.identifier
        }
    }

    func text(_ style: TextStyle) -> String? { String(Program.versionText.dropLast()) }
}
