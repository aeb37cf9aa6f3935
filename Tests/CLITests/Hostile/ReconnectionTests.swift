// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// `notify --reconnect` with devices that come and go, and with devices that report changes without end.
@Suite("Devices that disconnect repeatedly", .startsPrograms(.waiting))
struct ReconnectionTests {
    private static let notify = ["notify", "\(ModelDevice.notifying)", "--json", "--timeout", "60"]

    /// Whether the request switches values on.
    private static func subscribes(_ turn: Manners.Turn) -> Bool {
        turn.opcode == Opcode.write && turn.request.suffix(2) == [1, 0]
    }

    private func run(_ options: [String], against manners: Manners) async throws -> (run: BlectlRun, peer: ScriptedPeer)
    {
        try await ScriptedPeer.run(manners) { peer in
            (try await Blectl.run(peer.arguments + Self.notify + options), peer)
        }
    }

    private func values(_ run: BlectlRun) throws -> [JSON?] {
        try run.records().filter { $0["type"] == .string("notification") }.map { $0["value"] }
    }

    @Test func `each connection brings one value, and is followed by another`() async throws {
        let manners = Manners { turn in
            Self.subscribes(turn) ? turn.acts.prefix(2) + [Manners.Act.close] : turn.acts
        }
        let (run, peer) = try await run(["--reconnect", "--count", "3", "--deadline", "200"], against: manners)
        #expect(run.status == 0, "\(run.stderr)")
        #expect(try values(run) == ["09", "09", "09"].map { .string($0) })
        #expect(peer.connectionCount >= 3)
        // Each gap is reported at its beginning and at its end.
        let types = try run.records().map { $0["type"] }
        let gap = ["link-lost", "link-restored"]
        let expected = ["notification"] + gap + ["notification"] + gap + ["notification"]
        #expect(types == expected.map { .string($0) }, "\(run.stdout)")
    }

    @Test func `attributes that moved without a connection are found again`() async throws {
        var manners = Manners { turn in
            Self.subscribes(turn) && turn.connection == 0 ? turn.acts.prefix(2) + [Manners.Act.close] : turn.acts
        }
        manners.laterServices = ModelDevice.services.reversed()
        let options = ["--reconnect", "--count", "3", "--deadline", "200", "-d", "C0:00:00:00:00:01"]
        let (run, _) = try await run(options, against: manners)
        #expect(run.status == 0, "\(run.stderr)")
        #expect(try values(run) == ["09", "09", "09"].map { .string($0) })
    }

    @Test func `without --reconnect it does not connect again`() async throws {
        let manners = Manners { turn in
            Self.subscribes(turn) ? turn.acts.prefix(2) + [Manners.Act.close] : turn.acts
        }
        let (run, peer) = try await run(["--count", "3"], against: manners)
        #expect(run.status == 75, "\(run.stderr)")
        #expect(try values(run).count == 1)
        #expect(peer.connectionCount == 1)
    }

    @Test func `a device that never gets beyond a connection is tried until the timeout`() async throws {
        let manners = Manners { turn in
            guard turn.connection == 0 else { return [.close] }
            return Self.subscribes(turn) ? turn.acts.prefix(2) + [Manners.Act.close] : turn.acts
        }
        let (run, peer) = try await run(["--reconnect", "--count", "3", "--deadline", "6"], against: manners)
        #expect(run.status == 124, "\(run.stderr)")
        // Attempts are separated by pauses.
        #expect((2...40).contains(peer.connectionCount), "\(peer.connectionCount)")
    }

    @Test func `a failed attempt says what has failed`() async throws {
        for (refuses, words) in [(true, "attempt 1: cannot listen to"), (false, "attempt 1: cannot connect to")] {
            let manners = Manners { turn in
                guard turn.connection > 0 else {
                    return Self.subscribes(turn) ? turn.acts.prefix(2) + [Manners.Act.close] : turn.acts
                }
                guard refuses else { return [.close] }
                // Unlikely Error: a later attempt may succeed.
                let error = [Opcode.error, Opcode.write] + turn.request[1...2] + [0x0E]
                return Self.subscribes(turn) ? [.send(error)] : turn.acts
            }
            let (run, _) = try await run(["--reconnect", "--count", "3", "--deadline", "5"], against: manners)
            #expect(run.status == 124 && run.stderr.contains(words), "\(run.stderr)")
        }
    }

    @Test func `a device that changes without end is still heard, or given up in time`() async throws {
        // The handle of Service Changed in the model.
        let changed: [UInt8] = [Opcode.indication, 0x08, 0x00, 0x01, 0x00, 0xFF, 0xFF]
        let manners = Manners { turn in turn.opcode == Opcode.confirmation ? [] : turn.after([changed]) }
        let (run, peer) = try await run(["--count", "1000", "--deadline", "2"], against: manners)
        #expect(run.status == 124, "\(run.stderr)")
        #expect(peer.received.count < 20_000)
        for record in try values(run) { #expect(record == .string("09")) }
    }
}
