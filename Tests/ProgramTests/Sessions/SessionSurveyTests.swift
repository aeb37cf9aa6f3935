// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import RadioSharing
import Scripting
import Testing

@testable import Toolkit

@Suite("The sessions that answer")
struct SessionSurveyTests {
    /// Sockets on which nobody listens.
    private struct Silence: SessionSystem, RemoteConnector {
        private var error: RadioError { RadioError(.socket(path: "socket", .nobodyListens), during: "session") }

        func connector(at path: String) -> any RemoteConnector { self }

        func connect() throws(RadioError) -> any PacketChannel { throw error }

        func listen(at path: String) throws(RadioError) -> any RemoteListening { throw error }
    }

    @Test func `a socket without a listener is removed, unless a session may be starting there`() throws {
        let base = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: base) }
        try PairingBench.run { bench in
            let folder = SessionFolder { $0 == "XDG_RUNTIME_DIR" ? base.path : nil }
            let label = try #require(SessionLabel("strap"))
            let address = BluetoothAddress(rawValue: 0xC84B_1D3A_905E)
            let entry = try folder.entry(label, address, world: "12345678")
            #expect(FileManager.default.createFile(atPath: entry.path, contents: nil))
            let context = bench.context.with(
                sessions: SessionSupport(
                    folder: folder,
                    system: Silence(),
                    arguments: [],
                    parent: nil,
                    tapping: { $0 }
                )
            )
            // A starting session has the lock until it listens.
            var lock = try await folder.lock(context.time)
            #expect(lock != nil)
            #expect(await context.sessions(inOwnWorld: false).isEmpty)
            #expect(FileManager.default.fileExists(atPath: entry.path))
            withExtendedLifetime(lock) {}
            lock = nil

            #expect(await context.sessions(inOwnWorld: false).isEmpty)
            #expect(!FileManager.default.fileExists(atPath: entry.path))
            #expect(bench.messages.lines.contains { $0.contains("session 'strap' has ended unexpectedly") })
        }
    }
}
