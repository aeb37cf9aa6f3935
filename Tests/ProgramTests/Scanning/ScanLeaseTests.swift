// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@testable import Toolkit

@Suite("ScanLease")
struct ScanLeaseTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
    private var place: StateFolder {
        StateFolder(base: "/", shared: folder.pathComponents.dropFirst().map(\.self), own: ["state"])
    }
    private var mark: String { folder.appendingPathComponent("state/scanning-hci0").path }

    /// Holds the lease. Returns whether there was an orphan.
    private func lease(_ body: (ScanLease) async throws -> Void = { _ in }) async throws -> Bool {
        try await ScanLease.held(adapter: "hci0", in: place) { lease in
            try await body(lease)
            return lease.foundOrphan
        }
    }

    /// Creates the file of a predecessor that was killed.
    private func leave(_ mark: [UInt8]) throws {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("state"),
            withIntermediateDirectories: true
        )
        try Data(mark).write(to: URL(fileURLWithPath: self.mark))
    }

    private var content: [UInt8]? { FileManager.default.contents(atPath: mark).map(Array.init) }

    @Test("a scan leaves no mark behind, whether it ends in order or with an error")
    func tidy() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        struct Failed: Error {}
        let orphan = try await lease { _ in #expect(FileManager.default.fileExists(atPath: mark)) }
        #expect(!orphan)
        #expect(!FileManager.default.fileExists(atPath: mark))
        await #expect(throws: Failed.self) { _ = try await lease { _ in throw Failed() } }
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test("a mark without a holder belongs to a dead predecessor")
    func orphan() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try leave(ScanLease.thisBoot)
        #expect(try await lease())
        #expect(try await !lease())
    }

    @Test("a mark of an earlier boot does not, nor an empty one")
    func notOrphan() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for mark in [Array("4f2b7a0e-1111-2222-3333-444455556666\n".utf8), []] {
            try leave(mark)
            #expect(try await !lease())
        }
    }

    @Test("the mark exists while the scan is ours")
    func marks() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await lease { lease in
            #expect(content == [])
            lease.note(isOurs: true)
            #expect(content == ScanLease.thisBoot)
            lease.note(isOurs: false)
            #expect(content == [])
            lease.note(isOurs: true)
            let second = await ScanLease.held(adapter: "hci0", in: place) { second in
                second.note(isOurs: false)
                return second.foundOrphan
            }
            #expect(!second, "a living blectl has it")
            #expect(content == ScanLease.thisBoot)
        }
        #expect(ScanLease.thisBoot.count > 30)
    }

    @Test("without a folder there is no lease")
    func none() async {
        let orphan = await ScanLease.held(adapter: "hci0", in: nil) { lease in
            lease.note(isOurs: true)
            return lease.foundOrphan
        }
        #expect(!orphan)
    }
}
