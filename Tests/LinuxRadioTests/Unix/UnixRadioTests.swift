// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Foundation
import Testing

@testable import LinuxRadio

@Suite("A radio that is a Unix socket")
struct UnixRadioTests {
    /// Runs a test with a path at which no file exists.
    private func withPath(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("s").path)
    }

    private func exists(_ path: String) -> Bool { UnixSocket.FileIdentity(path) != nil }

    private let deadline = Instant.zero + .seconds(10)

    @Test func `PDUs pass whole and in order, and the end of one side ends the other`() async throws {
        try await withPath { path in
            let (server, client) = (UnixRadioSystem(path: path), UnixRadioSystem(path: path))
            let listener = try server.radio(named: nil).listenATT()
            let theirs = try await client.radio(named: nil).connectATT(to: .scripted, deadline: deadline)
            let ours = try await listener.accept()
            #expect(theirs.peer == .scripted)
            #expect(theirs.connectionHandle == nil && ours.connectionHandle == nil)
            #expect(theirs.maximumMTU == 672)
            for count in [1, 23, 517, 672] { try theirs.send([UInt8](repeating: 7, count: count)) }
            for count in [1, 23, 517, 672] { #expect(try await ours.receive().count == count) }
            #expect(
                await cause { try theirs.send([UInt8](repeating: 7, count: 673)) } == .packetTooLong(673, limit: 672)
            )
            try ours.send([0x0B])
            ours.close()
            #expect(try await theirs.receive() == [0x0B])
            #expect(await cause { _ = try await theirs.receive() } == .closedByPeer(nil))
            listener.close()
            #expect(!exists(path))
        }
    }

    @Test func `a missing server is reported at once`() async throws {
        try await withPath { path in
            let radio = UnixRadioSystem(path: path).radio(named: nil)
            let missing = await cause { _ = try await radio.connectATT(to: .scripted, deadline: deadline) }
            #expect(missing == .socket(path: path, .nobodyListens))
            try Data().write(to: URL(fileURLWithPath: path))
            let file = await cause { _ = try await radio.connectATT(to: .scripted, deadline: deadline) }
            #expect(file == .socket(path: path, .nobodyListens))
        }
    }

    @Test func `without the folder, listening fails`() async throws {
        try await withPath { path in
            for missing in ["\(path)/there", "/proc/there"] {
                let radio = UnixRadioSystem(path: missing).radio(named: nil)
                #expect(await cause { _ = try radio.listenATT() } == .socket(path: missing, .noFolder))
            }
        }
    }

    @Test func `a live server keeps its place, and a second one does not disturb it`() async throws {
        try await withPath { path in
            let (first, second) = (UnixRadioSystem(path: path), UnixRadioSystem(path: path))
            let listener = try first.radio(named: nil).listenATT()
            #expect(await cause { _ = try second.radio(named: nil).listenATT() } == .socket(path: path, .inUse))
            let channel = try await second.radio(named: nil).connectATT(to: .scripted, deadline: deadline)
            let accepted = try await listener.accept()
            // The first accepted connection is the client's, not the probe's.
            try channel.send([0x0A, 0x03, 0x00])
            #expect(try await accepted.receive() == [0x0A, 0x03, 0x00])
            listener.close()
        }
    }

    @Test func `the file of a dead server is replaced, and one that is not a socket is left alone`() async throws {
        try await withPath { path in
            do {
                // A server that has ended without removing its file.
                _ = try UnixSocket.listen(at: path, during: "test")
            }
            #expect(exists(path))
            let listener = try UnixRadioSystem(path: path).radio(named: nil).listenATT()
            listener.close()
            #expect(!exists(path))
            try Data([1]).write(to: URL(fileURLWithPath: path))
            let radio = UnixRadioSystem(path: path).radio(named: nil)
            #expect(await cause { _ = try radio.listenATT() } == .socket(path: path, .notASocket))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
        }
    }

    @Test func `a file that was replaced in the meantime is not removed`() async throws {
        try await withPath { path in
            let first = try UnixRadioSystem(path: path).radio(named: nil).listenATT()
            try FileManager.default.removeItem(atPath: path)
            let second = try UnixRadioSystem(path: path).radio(named: nil).listenATT()
            first.close()
            #expect(exists(path))
            second.close()
            #expect(!exists(path))
        }
    }

    /// Another program that starts just then would take the file for an abandoned one.
    @Test func `a listener removes its file while its socket still listens`() async throws {
        try await withPath { path in
            let socket = try UnixSocket.listen(at: path, during: "test")
            let (seen, feed) = AsyncStream<Bool>.makeStream()
            let listener = try SocketListener<Int>(
                socket,
                "test",
                on: try IOThread(),
                onClose: { feed.yield((try? UnixSocket.check(path, during: "test")) != nil) },
                makeChannel: { _ in 0 }
            )
            listener.close()
            feed.finish()
            var answers: [Bool] = []
            for await isListening in seen { answers.append(isListening) }
            #expect(answers == [true])
            #expect(await cause { try UnixSocket.check(path, during: "test") } == .socket(path: path, .nobodyListens))
        }
    }

    @Test func `closing the listener ends the wait, and leaves accepted channels alone`() async throws {
        try await withPath { path in
            let system = UnixRadioSystem(path: path)
            let listener = try system.radio(named: nil).listenATT()
            let theirs = try await system.radio(named: nil).connectATT(to: .scripted, deadline: deadline)
            let ours = try await listener.accept()
            async let waiting = cause { _ = try await listener.accept() }
            listener.close()
            #expect(await waiting == .closedLocally)
            try ours.send([1])
            #expect(try await theirs.receive() == [1])
        }
    }

    @Test func `the end of the system ends its listeners and channels`() async throws {
        try await withPath { path in
            let system = UnixRadioSystem(path: path)
            let listener = try system.radio(named: nil).listenATT()
            let theirs = try await system.radio(named: nil).connectATT(to: .scripted, deadline: deadline)
            system.shutDown()
            #expect(await cause { _ = try await theirs.receive() } == .closedLocally)
            #expect(!exists(path))
            withExtendedLifetime(listener) {}
        }
    }

    @Test func `many clients connect, each with its own channel`() async throws {
        try await withPath { path in
            let system = UnixRadioSystem(path: path)
            let listener = try system.radio(named: nil).listenATT()
            for number in UInt8(0)..<40 {
                let theirs = try await system.radio(named: nil).connectATT(to: .scripted, deadline: deadline)
                let ours = try await listener.accept()
                try theirs.send([number])
                #expect(try await ours.receive() == [number])
            }
            listener.close()
        }
    }

    @Test func `a socket has no controller, and a path has to fit`() async throws {
        let radio = UnixRadioSystem(path: "/x").radio(named: nil)
        #expect(await cause { _ = try radio.openHCI() } == .noController)
        #expect(radio.onlyPeer != nil)
        #expect(UnixSocket.maximumPathLength == 107)
        let long = UnixRadioSystem(path: "/" + String(repeating: "x", count: 107)).radio(named: nil)
        #expect(await cause { _ = try long.listenATT() } == .system(call: "bind", errno: "ENAMETOOLONG"))
    }
}

extension DeviceAddress {
    fileprivate static let scripted = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
}
