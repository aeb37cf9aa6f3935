// SPDX-License-Identifier: MIT

/// Identifies a command in a queue. The caller chooses the number, and uses each once.
package struct CommandID: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The failures of a command that a queue causes itself.
package protocol SerialCommandFailure: Error, Hashable, Sendable {
    /// There was no answer before the deadline.
    static var timedOut: Self { get }
    static var closed: Self { get }
    static var queueFull: Self { get }
}

/// Commands that are sent one after the other, each with a deadline: what the queues of HCI and of management have in
/// common. They know which answer is for which command.
package struct SerialCommands<Kind: Sendable, Failure: SerialCommandFailure>: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// The command is complete: its return parameters, or its failure. Occurs once for each.
        case completed(CommandID, Result<[UInt8], Failure>)
    }

    package struct Entry: Sendable {
        let id: CommandID
        /// What its answer is recognised by.
        package let kind: Kind
        let packet: [UInt8]
        /// The time at which it fails, sent or waiting.
        package let deadline: Instant

        package init(id: CommandID, kind: Kind, packet: [UInt8], deadline: Instant) {
            self.id = id
            self.kind = kind
            self.packet = packet
            self.deadline = deadline
        }
    }

    private enum State: Sendable {
        case idle
        case waiting(Entry, queued: [Entry])
        case closed
    }

    private var state = State.idle
    private let limit: Int

    /// Creates a queue for at most `limit` commands after the one that was sent.
    package init(limit: Int) { self.limit = limit }

    /// The command that waits for its answer.
    package var sent: Entry? {
        if case .waiting(let sent, _) = state { sent } else { nil }
    }

    package var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// The time at which `timerFired` must be called.
    package var nextDeadline: Instant? {
        guard case .waiting(let sent, let queued) = state else { return nil }
        return queued.reduce(sent.deadline) { min($0, $1.deadline) }
    }

    /// Sends a command, or queues it.
    package mutating func submit(_ entry: Entry) -> [Action] {
        switch state {
        case .idle:
            state = .waiting(entry, queued: [])
            return [.send(entry.packet)]
        case .waiting(let sent, let queued):
            guard queued.count < limit else { return [.completed(entry.id, .failure(.queueFull))] }
            state = .waiting(sent, queued: queued + [entry])
            return []
        case .closed:
            return [.completed(entry.id, .failure(.closed))]
        }
    }

    /// Completes the command that was sent, and sends the next one.
    package mutating func complete(_ result: Result<[UInt8], Failure>) -> [Action] {
        guard case .waiting(let sent, let queued) = state else { return [] }
        return [.completed(sent.id, result)] + next(queued)
    }

    /// Fails all commands past their deadlines. The next one is sent after one that was, because what was silent for so
    /// long may never answer.
    package mutating func timerFired(now: Instant) -> [Action] {
        guard case .waiting(let sent, let queued) = state else { return [] }
        let live = queued.filter { $0.deadline > now }
        let expired = queued.filter { $0.deadline <= now }
        let failures = expired.map { Action.completed($0.id, .failure(.timedOut)) }
        guard sent.deadline <= now else {
            state = .waiting(sent, queued: live)
            return failures
        }
        return [.completed(sent.id, .failure(.timedOut))] + failures + next(live)
    }

    /// Ends the queue because the channel has ended. Every waiting command fails once.
    package mutating func channelClosed() -> [Action] {
        defer { state = .closed }
        guard case .waiting(let sent, let queued) = state else { return [] }
        return ([sent] + queued).map { .completed($0.id, .failure(.closed)) }
    }

    private mutating func next(_ queued: [Entry]) -> [Action] {
        guard let first = queued.first else {
            state = .idle
            return []
        }
        state = .waiting(first, queued: Array(queued.dropFirst()))
        return [.send(first.packet)]
    }
}
