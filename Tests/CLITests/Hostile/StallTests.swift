// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A command for the tests with devices that stop.
struct StalledCommand: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    /// Whether it waits for values that a device may never send, so that only `--deadline` ends it.
    var waitsForValues = false
    /// Whether the device is known from an earlier run.
    var isWarm = false

    var testDescription: String { name }

    static let all = [
        StalledCommand(name: "inspect", arguments: ["inspect"]),
        StalledCommand(name: "inspect --values", arguments: ["inspect", "--values"]),
        StalledCommand(name: "read by UUID", arguments: ["read", "battery-level"]),
        StalledCommand(name: "read in a service", arguments: ["read", "heart-rate/body-sensor-location"]),
        StalledCommand(name: "read by handle", arguments: ["read", "handle:0x0003"]),
        StalledCommand(name: "read of a descriptor", arguments: ["read", "\(ModelDevice.long)/\(ModelDevice.label)"]),
        StalledCommand(name: "long read", arguments: ["read", "\(ModelDevice.long)"]),
        StalledCommand(
            name: "read of several",
            arguments: ["read", "battery-level", "device-name", "\(ModelDevice.long)"]
        ),
        StalledCommand(name: "write", arguments: ["write", "\(ModelDevice.writable)", "010203"]),
        StalledCommand(name: "long write", arguments: ["write", "\(ModelDevice.long)", longValue]),
        StalledCommand(
            name: "write --no-response",
            arguments: ["write", "\(ModelDevice.commandOnly)", "01", "--no-response"]
        ),
        StalledCommand(name: "write --verify", arguments: ["write", "\(ModelDevice.writable)", "0405", "--verify"]),
        StalledCommand(
            name: "long write --verify",
            arguments: ["write", "\(ModelDevice.long)", longValue, "--verify"]
        ),
        StalledCommand(
            name: "notify",
            arguments: ["notify", "\(ModelDevice.notifying)", "--count", "3"],
            waitsForValues: true
        ),
        StalledCommand(
            name: "notify of an indication",
            arguments: ["notify", "\(ModelDevice.indicating)", "--count", "3"],
            waitsForValues: true
        ),
        StalledCommand(
            name: "notify of several",
            arguments: ["notify", "\(ModelDevice.notifying)", "battery-level", "--count", "6"],
            waitsForValues: true
        ),
        StalledCommand(
            name: "watch heart-rate",
            arguments: ["watch", "heart-rate", "--count", "3"],
            waitsForValues: true
        ),
        StalledCommand(name: "inspect of a known device", arguments: ["inspect"], isWarm: true),
        StalledCommand(
            name: "write to a known device",
            arguments: ["write", "\(ModelDevice.writable)", "010203"],
            isWarm: true
        ),
        StalledCommand(
            name: "notify of a known device",
            arguments: ["notify", "\(ModelDevice.notifying)", "--count", "3"],
            waitsForValues: true,
            isWarm: true
        ),
    ]

    /// A value that takes several packets.
    private static let longValue = String(repeating: "5a", count: 512)
}

/// Devices that fall silent or disconnect in the place of one of their PDUs. Each PDU of the normal course is tested.
@Suite("Devices that stop in the middle", .startsPrograms(.waiting, isLong: true))
struct StallTests {
    /// The limit of each step, and that of a command that waits for values. They are short, because there are many
    /// runs.
    private static let limits = (step: 400, command: 1_500)
    /// How many times longer the limits are in each attempt. A machine may be too busy for an honest answer in time.
    private static let patience = [1, 2, 4, 8, 16, 32]
    /// The delay that is allowed for a busy machine.
    private static let slack = Duration.seconds(8)
    private static let device = "C0:00:00:00:00:01"

    /// The result of a command.
    private struct Outcome {
        let run: BlectlRun
        let peer: ScriptedPeer
        let start: ContinuousClock.Instant
    }

    /// Runs a command. Without `patience` it has all the time.
    private func run(
        _ command: StalledCommand,
        against manners: Manners,
        patience: Int? = nil
    ) async throws -> Outcome {
        try await TemporaryFolder.use { cache in
            if command.isWarm {
                let first = try await run(command, against: .honest, patience: nil, cache: cache)
                #expect(first.run.status == 0, "\(first.run.stderr)")
            }
            return try await run(command, against: manners, patience: patience, cache: cache)
        }
    }

    private func run(
        _ command: StalledCommand,
        against manners: Manners,
        patience: Int?,
        cache: URL
    ) async throws -> Outcome {
        let limit = patience.map { "\($0 * Self.limits.step)ms" } ?? "60"
        var deadline: [String] = []
        if let patience, command.waitsForValues { deadline = ["--deadline", "\(patience * Self.limits.command)ms"] }
        let arguments = ["-d", Self.device, "--json", "--timeout", limit] + deadline
        let start = ContinuousClock.now
        return try await ScriptedPeer.run(manners) { peer in
            let run = try await Blectl.run(
                peer.arguments + command.arguments + arguments,
                environment: ["XDG_CACHE_HOME": cache.path]
            )
            return Outcome(run: run, peer: peer, start: start)
        }
    }

    /// The normal records of a command, and for each PDU of the device whether the command's work is complete by then.
    private func honest(_ command: StalledCommand) async throws -> (records: [[String: JSON]], isDone: [Bool]) {
        let outcome = try await run(command, against: .honest)
        #expect(outcome.run.status == 0, "\(outcome.run.stderr)")
        let isDone = outcome.peer.sent.map { $0.request.isUnsubscription }
        // Without a PDU before the end of the work, the test would check nothing.
        try #require(isDone.count(where: { !$0 }) >= 1)
        return (try outcome.run.records().map(\.withoutTime), isDone)
    }

    @Test(arguments: StalledCommand.all)
    func `silence at any PDU ends the command in time, with status 124`(_ command: StalledCommand) async throws {
        let (records, isDone) = try await honest(command)
        try await each(isDone.indices) { number in
            var (outcome, patience) = (try await run(command, against: .dying(at: number), patience: 1), 1)
            // On a very busy machine the honest answers may have come too late, or hardly before the deadline.
            for longer in Self.patience.dropFirst() where !Self.isInTime(outcome, command, patience) {
                outcome = try await run(command, against: .dying(at: number), patience: longer)
                patience = longer
            }
            let run = outcome.run
            let place = "silent at PDU \(number) of \(isDone.count): \(run.stderr)"
            #expect(run.status == (isDone[number] ? 0 : 124), "\(place)")
            if !isDone[number] { #expect(run.stderr.contains("timed out"), "\(place)") }
            try expectWholeRecords(of: run, among: records, place)
            let limit = patience * (command.waitsForValues ? Self.limits.command : Self.limits.step)
            let elapsed = run.endedAt - (try #require(outcome.peer.endedAt))
            #expect(elapsed < .milliseconds(limit) + .seconds(1) + Self.slack, "\(elapsed), \(place)")
        }
    }

    /// Whether the device fell silent before any step took too long, and long before the deadline, if there is one.
    private static func isInTime(_ outcome: Outcome, _ command: StalledCommand, _ patience: Int) -> Bool {
        guard let silence = outcome.peer.endedAt else { return false }
        return !command.waitsForValues || silence - outcome.start < .milliseconds(patience * limits.command / 2)
    }

    @Test(arguments: StalledCommand.all)
    func `a connection that is lost at any PDU ends the command with status 75`(_ command: StalledCommand) async throws
    {
        let (records, isDone) = try await honest(command)
        try await each(isDone.indices) { number in
            let outcome = try await run(command, against: .closing(at: number))
            let run = outcome.run
            let place = "closed at PDU \(number) of \(isDone.count): \(run.stderr)"
            #expect(run.status == (isDone[number] ? 0 : 75), "\(place)")
            if !isDone[number] { #expect(run.stderr.contains(Self.device), "\(place)") }
            try expectWholeRecords(of: run, among: records, place)
        }
    }

    /// Expects that every printed record is complete, and one that an honest device causes as well.
    private func expectWholeRecords(of run: BlectlRun, among records: [[String: JSON]], _ place: String) throws {
        #expect(run.stdout.isEmpty || run.stdout.hasSuffix("\n"), "\(place)")
        for record in try run.records().map(\.withoutTime) where record["type"] != .string("error") {
            let isHonest =
                records.contains(record) || record["error"] ?? .null != .null
                // A written value is reported although it could not be verified.
                || records.contains { $0.merging(["verified": .null]) { $1 } == record }
            #expect(isHonest, "\(record) in no honest run, \(place)")
        }
    }

    private func each(_ numbers: Range<Int>, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        // Most of these programs only wait, so more of them can run than there are cores.
        try await ProgramSlots.concurrently(numbers, width: 8) { try await body($0) }
    }
}

extension [UInt8] {
    /// Whether it is the request that switches values off, the last one of a command.
    fileprivate var isUnsubscription: Bool { first == Opcode.write && suffix(2) == [0, 0] && count == 5 }
}

extension [String: JSON] {
    /// The part that is equal in all runs: without the times, and without the device, whose path is different.
    var withoutTime: Self { filter { !["time", "monotonic_ns", "device"].contains($0.key) } }
}
