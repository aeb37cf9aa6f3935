// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import SimulatedRadio
import Testing

@testable import Toolkit

@Suite("How a run with limits ends")
struct StopLimitsTests {
    private static let minute = Duration.seconds(60)

    // MARK: - The rule

    @Test("a run that got what was asked for has not failed, whatever ended it")
    func reached() {
        let endings: [RunEnding] = [
            .complete, .quit, .timeIsUp(Self.minute), .worldAtRest, .nothingCame(Self.minute),
        ]
        for ending in endings {
            for reached in [3, 4] {
                #expect(StopLimits(count: 3).failure(after: ending, reached: reached, of: .value) == nil)
            }
            for reached in [0, 9] {
                #expect(StopLimits(duration: Self.minute).failure(after: ending, reached: reached, of: .value) == nil)
                #expect(StopLimits().failure(after: ending, reached: reached, of: .value) == nil)
            }
        }
    }

    @Test(
        "an unmet count is a failure with both numbers and the reason",
        arguments: [
            (
                RunEnding.timeIsUp(.seconds(3)), 2, CountedThing.value,
                "2 of 10 values received from Strap: --duration ended the run after 3 s"
            ),
            (
                .timeIsUp(.milliseconds(500)), 0, .device,
                "0 of 10 devices found from Strap: --duration ended the run after 500 ms"
            ),
            (
                .worldAtRest, 9, .measurement,
                "9 of 10 measurements received from Strap: nothing more can happen in the simulated world"
            ),
            (
                .nothingCame(.seconds(3_600)), 1, .connection,
                "1 of 10 connections ended from Strap: nothing came in 60 minutes of simulated time"
            ),
        ]
    )
    func unmet(ending: RunEnding, reached: Int, thing: CountedThing, message: String) {
        let failure = StopLimits(count: 10).failure(after: ending, reached: reached, of: thing, from: "Strap")
        #expect(failure?.status == .expectationFailed)
        #expect(failure?.message == message)
    }

    // MARK: - The run

    private struct Run: Sendable {
        var ending: RunEnding
        var seconds: Int64
    }

    /// Runs under limits, with things that come at these seconds, and events that do not count at those.
    private static func run(
        _ limits: StopLimits,
        things: [Int] = [],
        events: [Int] = [],
        quietLimit: Duration = minute
    ) throws -> Run {
        let time = VirtualTime()
        return try time.run { () async throws -> Run in
            let tally = Tally()
            let ending = try await limits.run(time, since: time.now, quietLimit: quietLimit, tally) {
                for second in (things + events).sorted() {
                    try await time.sleep(until: .zero + .seconds(second))
                    if things.contains(second) { tally.add() } else { tally.recordEvent() }
                    if limits.isReached(tally) { return }
                }
                let (never, continuation) = AsyncStream<Never>.makeStream()
                for await _ in never {}
                continuation.finish()
                throw CancellationError()
            }
            return Run(ending: ending, seconds: (time.now - .zero).components.seconds)
        }
    }

    @Test("the count ends a run at once")
    func count() throws {
        let run = try Self.run(StopLimits(count: 2, duration: .seconds(50)), things: [1, 7, 8])
        #expect(run.ending == .complete && run.seconds == 7)
    }

    @Test("--duration ends a run without further results, however long that takes")
    func duration() throws {
        let run = try Self.run(StopLimits(count: 2, duration: .seconds(5_000)), things: [1])
        #expect(run.ending == .timeIsUp(.seconds(5_000)) && run.seconds == 5_000)
    }

    @Test("the last result may come exactly at the end of --duration")
    func moment() throws {
        #expect(try Self.run(StopLimits(count: 1, duration: .seconds(5)), things: [5]).ending == .complete)
    }

    @Test("a world without further events ends a run at once, with or without a count", arguments: [3, nil])
    func rest(count: Int?) throws {
        let run = try Self.run(StopLimits(count: count), things: [1, 9])
        #expect(run.ending == .worldAtRest && run.seconds == 9)
    }

    @Test("a world with further events ends a run without results after a time, not before")
    func quietLimit() throws {
        let time = VirtualTime()
        let run = try time.run { () async throws -> Run in
            let tally = Tally()
            let ending = try await StopLimits(count: 9).run(time, since: .zero, quietLimit: Self.minute, tally) {
                while true {
                    try await time.sleep(for: .seconds(1))
                    // Something that counts, then something that only shows progress, then the world goes on for nothing.
                    if time.now == .zero + .seconds(50) { tally.add() }
                    if time.now == .zero + .seconds(100) { tally.recordEvent() }
                }
            }
            return Run(ending: ending, seconds: (time.now - .zero).components.seconds)
        }
        #expect(run.ending == .nothingCame(Self.minute))
        #expect((160..<220).contains(run.seconds), "\(run.seconds)")
    }

    @Test("with --duration or --deadline a run waits for that instead", arguments: [true, false])
    func bounded(hasDeadline: Bool) throws {
        let time = VirtualTime()
        let limits = StopLimits(duration: hasDeadline ? nil : .seconds(500), hasDeadline: hasDeadline)
        let ending = try time.run { () async throws -> RunEnding? in
            // As CommandRunner has it.
            try await untilDeadline(.zero + .seconds(hasDeadline ? 500 : 600), time) {
                try await limits.run(time, since: .zero, quietLimit: Self.minute, Tally()) {
                    while true { try await time.sleep(for: .seconds(1)) }
                }
            }
        }
        #expect(ending == (hasDeadline ? nil : .timeIsUp(.seconds(500))))
        #expect(time.now == .zero + .seconds(500))
    }

    @Test("an error ends a run with its own status")
    func errors() {
        struct Lost: Error {}
        let time = VirtualTime()
        #expect(throws: Lost.self) {
            try time.run { () async throws -> Void in
                _ = try await StopLimits(count: 3, duration: Self.minute).run(time, since: .zero, Tally()) {
                    try await time.sleep(for: .seconds(1))
                    throw Lost()
                }
            }
        }
    }
}
