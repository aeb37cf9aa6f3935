// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import Records
import Terminal
import Toolkit

/// The findings of `blectl device check` in a file.
struct DeviceFileResult: RecordedResult {
    /// The path or the label as it was typed.
    let file: String
    /// The devices of the file, or everything that is wrong with it.
    let outcome: Result<WorldFile, DeviceFileErrors>
    let timestamp: Timestamp
    /// The line for people, in a list; `nil` for what the file contains.
    var line: String?

    /// Has the devices of a valid file and the faults of an invalid one. The other list is empty.
    static let record = RecordKind<Self>("device-file", "a file, with what it contains or with its faults") {
        RecordField("file", .string, "its name") { $0.file }
        RecordField(
            "devices",
            .array(of: .object(DeviceDefinition.record)),
            "devices; none if the file has faults"
        ) { (try? $0.outcome.get())?.devices ?? [] }
        RecordField("faults", .array(of: .object(DeviceFileError.record)), "its faults") {
            if case .failure(let errors) = $0.outcome { errors.errors } else { [] }
        }
    }

    /// A summary of a valid file; `nil` for an invalid one, whose faults are on standard error.
    func text(_ style: TextStyle) -> String? {
        if let line { return line }
        guard case .success(let world) = outcome else { return nil }
        let file = TerminalText.escaped(DeviceFiles.name(of: file))
        guard let device = world.devices.first, world.devices.count == 1 else {
            return "\(file): a world of \(count: world.devices.count, "device")"
        }
        let parts = [
            "\(count: device.advertising.count, "advertising set")", "\(count: device.services.count, "service")",
            "\(count: device.characteristics, "characteristic")",
        ]
        return "\(file): \(TerminalText.escaped(device.label)), \(Prose.list(parts, "and"))"
    }
}

extension DeviceDefinition {
    fileprivate var characteristics: Int { services.reduce(0) { $0 + $1.characteristics.count } }

    @FieldBuilder<DeviceDefinition>
    fileprivate static var record: [RecordField<DeviceDefinition>] {
        RecordField("label", .string, "its label") { $0.label }
        RecordField("address", .string, "its address") { $0.address.address.description }
        RecordField("address_type", .string, "`public` or `random`") { $0.address.type.description }
        RecordField("advertising_sets", .integer, "how many advertising sets it has") { $0.advertising.count }
        RecordField("services", .integer, "how many services it has") { $0.services.count }
        RecordField("characteristics", .integer, "how many characteristics these have") { $0.characteristics }
    }
}

extension DeviceFileError {
    @FieldBuilder<DeviceFileError>
    fileprivate static var record: [RecordField<DeviceFileError>] {
        RecordField("file", .string, "file: this one, or one that it names") { $0.file }
        RecordField("line", .integer, "line, from 1") { $0.line }
        RecordField("column", orNull: .integer, "character on the line, if not JSON") { $0.column }
        RecordField("path", orNull: .string, "JSON path of the value; null if not JSON") {
            $0.path.isEmpty ? nil : $0.path
        }
        RecordField("message", .string, "value, and what is allowed") { $0.message }
    }
}

struct DeviceTextResult: RecordedResult {
    /// The label of the device, which selects it in a world.
    let label: String
    /// The text, with a line feed at its end.
    let file: String
    let timestamp: Timestamp

    static let record = RecordKind<Self>("device-text", "a device as the text of a device file") {
        RecordField("label", .string, "its label") { $0.label }
        RecordField("text", .string, "text") { $0.file }
    }

    /// The text without its last line feed, which the output adds.
    func text(_ style: TextStyle) -> String? { file.hasSuffix("\n") ? String(file.dropLast()) : file }
}
