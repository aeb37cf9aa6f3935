// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Many clients, and clients that read nothing: the server's use of memory and descriptors stays bounded.
@Suite("Crowds of centrals", .serialized, .startsPrograms(isLong: true))
struct CentralCrowdTests {
    /// The maximum growth of a server, in kilobytes.
    private static let growth = 40_000

    @Test func `a client that never reads neither stops the others nor fills the memory`() async throws {
        try await ServedDevice.serve("workbench") { served in
            let before = try served.holdings()
            try await ScriptedCentral.script {
                let slow = try (0..<3).map { _ in try ScriptedCentral.connected(to: served.path) }
                for central in slow { try central.exchangeMTU(517) }
                // Far more answers than the socket and the server keep, so that the server must disconnect the client.
                let request = [Opcode.readByGroupType, 1, 0, 0xFF, 0xFF, 0, 0x28]
                for central in slow where !central.isGivenUp(after: 60_000, times: request) {
                    throw ScriptError("it is kept for ever")
                }
                try ServedDevice.useHonestly(served.path)
            }
            let after = try served.holdings()
            #expect(after.kilobytes - before.kilobytes < Self.growth, "\(before) \(after)")
        }
    }

    @Test func `an unread log neither stops the clients nor fills the memory`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appendingPathComponent("s").path
            let pipe = try PipeEnds()
            defer { for end in [pipe.reading, pipe.writing] { close(end) } }
            let child = try Child(
                Program(Blectl.path, ["--radio", "unix:\(path)", "serve", "workbench", "--json"]),
                input: FileHandle.nullDevice,
                output: FileHandle(fileDescriptor: pipe.writing, closeOnDealloc: false),
                error: FileHandle.nullDevice,
                environment: [:]
            )
            try await ScriptedCentral.script {
                let central = try ScriptedCentral.connected(to: path)
                try central.exchangeMTU(517)
                let long = try central.handleOfLongValue()
                for _ in 0..<80_000 { _ = try central.ask([Opcode.read] + long) }
                try ServedDevice.useHonestly(path)
            }
            // The events that wait for the log are limited in number; each has a long value.
            #expect(try residentKilobytes(of: child.identifier) < 150_000)
            // The first signal waits for the reader of the log; the second one does not.
            child.signal(SIGINT)
            try await Task.sleep(for: .milliseconds(200))
            child.signal(SIGINT)
            try #expect(await child.status() == -SIGINT)
        }
    }

    @Test func `ten thousand connect and disconnect`() async throws {
        try await ServedDevice.serve("pulse-strap") { served in
            try await ScriptedCentral.script { try Self.comeAndGo(500, served.path) }
            let before = try served.holdings()
            try await ScriptedCentral.script { try Self.comeAndGo(9_500, served.path) }
            let after = try await served.holdings(withDescriptorsBelow: before.descriptors + 100)
            #expect(after.descriptors < before.descriptors + 100, "\(before) \(after)")
            #expect(after.kilobytes - before.kilobytes < Self.growth, "\(before) \(after)")
        }
    }

    /// Connects and disconnects: without a PDU, after an answer, and without waiting for the answer.
    private static func comeAndGo(_ count: Int, _ path: String) throws {
        for number in 0..<count {
            let central = try ScriptedCentral.connected(to: path)
            switch number % 10 {
            // One in ten waits for its answer, so that the server keeps up with the others.
            case 0: _ = try? central.ask([Opcode.read, 3, 0])
            case 1...4: try? central.send([Opcode.prepareWrite, 3, 0, 0, 0, 1])
            default: break
            }
        }
    }

    @Test func `a thousand simultaneous centrals are served up to the limit`() async throws {
        try await ServedDevice.serve("pulse-strap") { served in
            let before = try served.holdings()
            try await ScriptedCentral.script {
                var centrals: [ScriptedCentral] = []
                for _ in 0..<1_000 {
                    let central = try ScriptedCentral.connected(to: served.path)
                    centrals.append(central)
                    // Disconnected clients are closed, because Foundation cannot start a process while more than about
                    // a thousand descriptors are open.
                    for _ in 0..<10_000 where centrals.count > 100 {
                        centrals.removeAll { $0.isClosedByNow() }
                        usleep(1_000)
                    }
                }
                centrals.removeAll { !$0.isServed() }
                guard centrals.count <= 8, !centrals.isEmpty else {
                    throw ScriptError("\(centrals.count) are served")
                }
            }
            let after = try served.holdings()
            #expect(after.kilobytes - before.kilobytes < Self.growth, "\(before) \(after)")
        }
    }

    @Test func `centrals beyond the file limit are disconnected, and serving goes on`() async throws {
        let limited = ["/bin/bash", "-c", "ulimit -n 20; exec \"$0\" \"$@\""]
        try await ServedDevice.serve("pulse-strap", options: ["--centrals", "64"], through: limited) { served in
            try await ScriptedCentral.script {
                var centrals = try (0..<60).map { _ in try ScriptedCentral.connected(to: served.path) }
                let count = centrals.count { $0.isServed() }
                guard (2..<20).contains(count) else { throw ScriptError("\(count) are served") }
                centrals.removeAll()
            }
        }
    }

    @Test func `two clients each have their own MTU, subscriptions and features`() async throws {
        try await ServedDevice.serve("workbench") { served in
            try await ScriptedCentral.script {
                let (first, second) = (
                    try ScriptedCentral.connected(to: served.path), try ScriptedCentral.connected(to: served.path)
                )
                try first.exchangeMTU(200)
                let long = try first.handleOfLongValue()
                guard try first.ask([Opcode.readByType, 1, 0, 0xFF, 0xFF, 0x29, 0x2B])[0] == 0x09 else {
                    throw ScriptError("no features")
                }
                let features = Array(try first.ask([Opcode.readByType, 1, 0, 0xFF, 0xFF, 0x29, 0x2B])[2...3])
                let configuration = Array(try first.ask([Opcode.readByType, 1, 0, 0xFF, 0xFF, 0x02, 0x29])[2...3])
                guard
                    try first.ask([Opcode.write] + features + [0x05]) == [0x13],
                    try first.ask([Opcode.write] + configuration + [0x02, 0x00]) == [0x13]
                else { throw ScriptError("not written") }
                for (central, feature, value) in [(first, 0x05, 0x02), (second, 0x00, 0x00)]
                    as [(ScriptedCentral, UInt8, UInt8)]
                {
                    let answers = (
                        try central.ask([Opcode.read] + features), try central.ask([Opcode.read] + configuration)
                    )
                    guard answers == ([0x0B, feature], [0x0B, value, 0x00]) else { throw ScriptError("\(answers)") }
                }
                let lengths = [first, second].map { try? $0.ask([Opcode.read] + long).count }
                guard lengths == [200, 23] else {
                    throw ScriptError("one MTU for both")
                }
            }
        }
    }
}

extension ScriptedCentral {
    /// Whether the server has ended the connection already.
    fileprivate func isClosedByNow() -> Bool { receive(milliseconds: 0) == nil && (try? send([])) == nil }

    /// Whether the server answers.
    fileprivate func isServed() -> Bool { (try? ask([Opcode.read, 3, 0])) != nil }
}
