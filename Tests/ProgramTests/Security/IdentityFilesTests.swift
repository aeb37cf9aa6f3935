// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import Testing

@testable import CommandLineInterface
@testable import Toolkit

@Suite("The file of this machine's identity")
struct IdentityFilesTests {
    private static let adapter = BluetoothAddress(rawValue: 0x0011_2233_4455)

    /// Runs a test with the folder of the file, which exists.
    private func inFolder(_ body: (URL, IdentityFiles) async throws -> Void) async throws {
        let base = FileManager.default.temporaryDirectory
        let url = base.appending(path: "identity-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let own = url.appending(path: "blectl")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let folder = StateFolder(base: base.path, shared: [url.lastPathComponent], own: ["blectl"])
        try await body(
            own,
            IdentityFiles(folder: folder, time: SystemTimeSource { WallTime(nanosecondsSince1970: 0) })
        )
    }

    @Test func `the key of an adapter stays the same`() async throws {
        try await inFolder { _, files in
            let key = try await files.key(of: Self.adapter)
            #expect(try await files.key(of: Self.adapter) == key)
        }
    }

    @Test func `an unwritable file is told apart from an unreadable one`() async throws {
        // A folder has the place of the new file, and then that of the file.
        let cases: [(name: String, kind: KeyFileFailure.Kind, status: CommandLineInterface.ExitStatus)] = [
            ("identity.new", .unwritable, .cannotCreateOutput), ("identity", .unreadable, .cannotOpenInput),
        ]
        for (name, kind, status) in cases {
            try await inFolder { folder, files in
                try FileManager.default.createDirectory(
                    at: folder.appending(path: name),
                    withIntermediateDirectories: false
                )
                let error = await #expect(throws: KeyFileFailure.self) { _ = try await files.key(of: Self.adapter) }
                #expect(error?.file == .identity && error?.kind == kind, "\(String(describing: error))")
                #expect(error.map { BlectlError($0, doing: "use a private address").status } == status)
            }
        }
    }
}
