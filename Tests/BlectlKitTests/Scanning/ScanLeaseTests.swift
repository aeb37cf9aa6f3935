// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@testable import BlectlKit

@Suite("ScanLease")
struct ScanLeaseTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
    private var devices: String { folder.appendingPathComponent("state/devices.json").path }
    private var mark: String { folder.appendingPathComponent("state/scanning-hci0").path }

    private func lease(_ body: (Bool) async throws -> Void = { _ in }) async throws -> Bool {
        try await ScanLease.held(adapter: "hci0", besides: devices) { orphan in
            try await body(orphan)
            return orphan
        }
    }

    @Test("a scan that ended tidily leaves nothing behind, one that threw neither")
    func tidy() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        struct Failed: Error {}
        let orphan = try await lease { _ in #expect(FileManager.default.fileExists(atPath: mark)) }
        #expect(!orphan)
        #expect(!FileManager.default.fileExists(atPath: mark))
        await #expect(throws: Failed.self) { _ = try await lease { _ in throw Failed() } }
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test("a mark that nobody holds is a dead predecessor's")
    func orphan() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("state"),
            withIntermediateDirectories: true
        )
        try Data().write(to: URL(fileURLWithPath: mark))
        #expect(try await lease())
        #expect(try await !lease())
    }

    @Test("a mark that a living blectl holds is not, and stays")
    func living() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await lease { _ in
            let second = try await lease()
            #expect(!second)
            #expect(FileManager.default.fileExists(atPath: mark))
        }
    }

    @Test("without a folder there is no lease")
    func none() async {
        let orphan = await ScanLease.held(adapter: "hci0", besides: nil) { $0 }
        #expect(!orphan)
    }
}
