// SPDX-License-Identifier: MIT

import Bluetooth

/// The answers of a device that wait for their time: those that its latency holds, and those that its firmware has
/// announced.
struct DelayedAnswers: Sendable {
    /// An answer that a slow device has not sent yet.
    struct SlowAnswer: Sendable {
        let due: Instant
        let bearer: GATTServer.BearerID
        let answer: ATTAnswer
    }

    /// The answers that the latency holds, in the order of their times.
    private var slowAnswers: [SlowAnswer] = []
    /// The answers that the firmware has announced, in the order of their times.
    private var replies: [DeviceContext.Reply] = []

    /// The time of the next answer; `nil` if none waits.
    var nextDeadline: Instant? { [slowAnswers.first?.due, replies.first?.due].compactMap { $0 }.min() }

    var replyCount: Int { replies.count }

    /// Holds an answer. The latency is always the same, so that the answers come in the order of their times.
    mutating func add(_ answer: SlowAnswer) { slowAnswers.append(answer) }

    /// Holds an announced answer, after those of the same time.
    mutating func add(_ reply: DeviceContext.Reply) {
        replies.insert(reply, at: replies.firstIndex { $0.due > reply.due } ?? replies.count)
    }

    /// Removes the next answer that the latency has held until now; `nil` if there is none.
    mutating func takeSlowAnswer(now: Instant) -> SlowAnswer? {
        guard let first = slowAnswers.first, first.due <= now else { return nil }
        return slowAnswers.removeFirst()
    }

    /// Removes the next announced answer whose time has come; `nil` if there is none.
    mutating func takeReply(now: Instant) -> DeviceContext.Reply? {
        guard let first = replies.first, first.due <= now else { return nil }
        return replies.removeFirst()
    }

    /// Forgets the answers that the latency holds for bearers that have ended.
    mutating func removeAnswers(where hasEnded: (GATTServer.BearerID) -> Bool) {
        slowAnswers.removeAll { hasEnded($0.bearer) }
    }

    /// Forgets the announced answers to the questions that nothing awaits any more.
    mutating func removeReplies(unless isAwaited: (GATTServer.Token) -> Bool) {
        replies.removeAll { !isAwaited($0.question) }
    }
}
