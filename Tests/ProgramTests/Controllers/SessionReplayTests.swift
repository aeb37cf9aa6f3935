// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Foundation
import SimulatedRadio
import Testing

@testable import CommandLineInterface

/// Sessions that were recorded with controllers of others, and what becomes of them on a bad line. A run that fails says by
/// its number how to repeat it: `BLECTL_REPLAY_RUNS=237...237`.
@Suite("A recorded session with a controller")
struct SessionReplayTests {
    private static var runs: ClosedRange<Int> {
        let text = ProcessInfo.processInfo.environment["BLECTL_REPLAY_RUNS"] ?? "200"
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        return numbers.count == 2 && numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : 1...max(1, numbers.first ?? 1)
    }

    /// What a command may end with when its controller or its device is not to be relied on.
    private static let statuses: Set<RecordedSession.Status> = [
        .success, .expectationFailed, .notFound, .bluetoothUnavailable, .temporaryFailure, .protocolError, .timedOut,
    ]

    private static func replay(
        _ session: RecordedSession,
        _ sayings: [SessionReplay.Saying],
        inPiecesOf length: Int,
        thenEnds: Bool
    ) throws -> SessionBench.End {
        let time = VirtualTime()
        return try time.run { () async throws -> SessionBench.End in
            try await withTaskScope { scope in
                let controller = SessionReplay(time)
                scope.spawn { await controller.play(sayings, inPiecesOf: length, thenEnds: thenEnds) }
                return try await SessionBench.run(session.words, at: time, in: scope, over: controller)
            }
        }
    }

    @Test func `it goes as it went`() throws {
        let sessions = try RecordedSession.all()
        #expect(sessions.contains { $0.words.hasPrefix("serve ") } && sessions.contains { $0.words.hasPrefix("read ") })
        for session in sessions {
            let end = try Self.replay(session, session.sayings, inPiecesOf: 64, thenEnds: false)
            #expect(end.status == session.status, "\(session.name): \(end.messages)")
            #expect(end.leftovers == "" && end.links == 0 && !end.host.isAlive, "\(session.name): \(end.leftovers)")
        }
    }

    @Test func `octets that are lost, doubled, changed or the last lead to a status, and nothing is left`() throws {
        let sessions = try RecordedSession.all()
        for seed in Self.runs {
            var random = SeededGenerator(seed: UInt64(seed))
            let session = sessions[seed % sessions.count]
            let noise = LineNoise(session.sayings, &random)
            let end = try Self.replay(
                session,
                noise.sayings,
                inPiecesOf: noise.pieceLength,
                thenEnds: noise.endsTransport
            )
            let run: Comment = "run \(seed): \(session.name), \(noise): \(end.messages)"
            guard let status = end.status else {
                Issue.record("hangs: \(run)")
                continue
            }
            #expect(Self.statuses.contains(status), "\(status): \(run)")
            // Whoever fails says why.
            #expect(status == .success || !end.messages.isEmpty, "\(status): \(run)")
            #expect(end.leftovers == "" && !end.host.isAlive, "\(end.leftovers): \(run)")
        }
    }
}
