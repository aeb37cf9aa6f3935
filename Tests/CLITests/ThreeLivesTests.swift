// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// One device and twenty commands, in memory and in a world that processes share. The kernel lab runs the same commands
/// against the device on the air: `Tests/ThreeLives/README.md`.
@Suite("One device, three lives", .startsPrograms())
struct ThreeLivesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ThreeLives")
    private static let device = folder.appending(path: "rig.json").path
    /// The keys whose values belong to the moment and to the radio.
    private static let leftOut: Set = [
        "time", "monotonic_ns", "rssi_dbm", "address", "address_kind", "address_type", "adapter", "socket",
    ]

    /// What a command leaves behind.
    private struct Outcome: Equatable, CustomStringConvertible {
        var status: Int32
        var records: [JSON]

        init(_ run: BlectlRun) throws {
            status = run.status
            records = try run.records().map { ThreeLivesTests.comparable(.object($0)) }
        }

        var description: String { "status \(status), \(records)" }
    }

    private static func comparable(_ value: JSON) -> JSON {
        switch value {
        case .string(let text):
            .string(text.replacing(/([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}/, with: "(address)"))
        case .array(let values): .array(values.map(comparable))
        case .object(let object):
            .object(object.filter { !leftOut.contains($0.key) }.mapValues(comparable))
        case .null, .bool, .integer, .number: value
        }
    }

    private static func commands() throws -> [TypedCommand] {
        try String(contentsOf: folder.appending(path: "commands.txt"), encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { TypedCommand(String($0)) }
    }

    /// The outcome of each command, several at a time: none depends on another.
    private static func outcomes(_ commands: [TypedCommand], _ options: [String]) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            var outcomes: [Int: Outcome] = [:]
            for (index, command) in commands.enumerated() {
                if index >= 4, let (finished, outcome) = try await group.next() { outcomes[finished] = outcome }
                group.addTask {
                    (index, try Outcome(try await Blectl.run(options + command.arguments + ["--json"])))
                }
            }
            for try await (finished, outcome) in group { outcomes[finished] = outcome }
            return outcomes.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    @Test func `twenty commands have the same records in memory and in a shared world`() async throws {
        let commands = try Self.commands()
        #expect(commands.count == 20)
        let inMemory = try await Self.outcomes(commands, ["--simulate=\(Self.device)", "--simulate-time", "virtual"])
        #expect(inMemory.allSatisfy { !$0.records.isEmpty })
        #expect(Set(inMemory.map(\.status)) == [0, 68, 76])
        try await TemporaryFolder.use { folder in
            let socket = folder.appending(path: "world").path
            try await LiveBlectl.start(["simulate", "serve", "--socket", socket, Self.device]) { world in
                try await world.waits(for: "serving a world", on: \.stdout)
                let shared = try await Self.outcomes(commands, ["--simulate=\(socket)"])
                #expect(shared.count == inMemory.count)
                for (command, (one, other)) in zip(commands, zip(inMemory, shared)) {
                    #expect(one == other, "\(command)")
                }
            }
        }
    }
}
