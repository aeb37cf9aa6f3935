// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("RecoverySchedule")
struct RecoveryScheduleTests {
    private static let policy = RetryPolicy.unlimited(firstPause: .milliseconds(500), longestPause: .seconds(2))

    private let failed = RadioError(.connectFailed(nil), during: "test")

    private func moment(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func `the first link is made again at once, however short the lost one was`() {
        var schedule = RecoverySchedule(Self.policy)
        #expect(schedule.linkLost(now: moment(1)) == .zero)
        #expect(schedule.attempt == 1)
    }

    @Test func `pauses between failed attempts double up to the longest, without an end`() {
        var schedule = RecoverySchedule(Self.policy)
        _ = schedule.linkLost(now: moment(0))
        let pauses = (0..<5).map { _ in schedule.attemptFailed(failed) }
        #expect(pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(2), .seconds(2)])
        #expect(schedule.attempt == 6)
    }

    @Test func `a hopeless failure ends the attempts, and is not counted`() {
        var schedule = RecoverySchedule(Self.policy)
        _ = schedule.linkLost(now: moment(0))
        #expect(schedule.attemptFailed(RadioError(.permissionDenied(capability: "cap_net_raw"), during: "test")) == nil)
        #expect(schedule.attemptFailed(CancellationError()) == nil)
        #expect(schedule.attempt == 1)
    }

    @Test func `links lost soon count as failed attempts, until one lasts for the longest pause`() {
        var schedule = RecoverySchedule(Self.policy)
        _ = schedule.linkLost(now: moment(0))
        var now = 0
        var pauses: [Duration] = []
        for lasting in [1_999, 0, 0, 2_000, 1_999] {
            schedule.attemptSucceeded(now: moment(now))
            now += lasting
            pauses.append(schedule.linkLost(now: moment(now)))
        }
        #expect(pauses == [.milliseconds(500), .seconds(1), .seconds(2), .zero, .milliseconds(500)])
    }

    @Test func `each loss begins with attempt 1, and its pauses are those of its own attempts`() {
        var schedule = RecoverySchedule(Self.policy)
        _ = schedule.linkLost(now: moment(0))
        _ = schedule.attemptFailed(failed)
        _ = schedule.attemptFailed(failed)
        schedule.attemptSucceeded(now: moment(5_000))
        #expect(schedule.linkLost(now: moment(5_100)) == .milliseconds(500))
        #expect(schedule.attempt == 1)
        #expect(schedule.attemptFailed(failed) == .milliseconds(500))
    }
}
