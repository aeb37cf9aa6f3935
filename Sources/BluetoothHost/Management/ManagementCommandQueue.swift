// SPDX-License-Identifier: MIT

package import Bluetooth

/// Identifies a management command in the queue. The caller chooses the number, and uses each once.
package struct ManagementCommandID: RawRepresentable, Hashable, Sendable {
    /// The number that the caller has chosen.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

package enum ManagementCommandFailure: Error, Hashable, Sendable {
    case rejected(ManagementStatus)
    /// The kernel did not answer before the deadline.
    case timedOut
    case closed
    case queueFull
}

/// Sends management commands one after the other, and finds their answers among the events.
///
/// The kernel answers only the socket that sent the command, and repeats the adapter and the opcode. A command that
/// timed out may still be answered. The next command with the same opcode and adapter would take that answer for its
/// own, so the queue expects the late answer, and ignores it, as long as the channel is open. If the late answer was
/// lost, the next command's own answer is ignored instead, and that command times out. It then counts as answered, so
/// that a lost answer fails no more than one further command.
///
/// A command that waits for a person goes alongside: the kernel needs other commands to complete it.
package struct ManagementCommandQueue: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        /// The command is complete: its return parameters, or its failure. Occurs once for each.
        case completed(ManagementCommandID, Result<[UInt8], ManagementCommandFailure>)
    }

    private struct Kind: Hashable, Sendable {
        let opcode: ManagementOpcode
        let adapter: ManagementIndex
    }

    private struct Entry: Sendable {
        let id: ManagementCommandID
        let kind: Kind
        let packet: [UInt8]
        let deadline: Instant
        /// Whether an answer of the kind was ignored while this command was sent. It may have been this command's own.
        var hasIgnoredAnswer = false
    }

    private enum State: Sendable {
        case idle
        case waiting(Entry, queued: [Entry])
        case closed
    }

    private var state = State.idle
    /// The commands that were sent alongside, and wait for their answers.
    private var alongside: [Kind: ManagementCommandID] = [:]
    /// The number of answers that are still expected to commands that timed out.
    private var late: [Kind: Int] = [:]
    private let limit: Int

    /// Creates a queue for at most `limit` commands after the one that was sent.
    package init(limit: Int = 16) { self.limit = limit }

    /// The time at which `timerFired` must be called.
    package var nextDeadline: Instant? {
        switch state {
        case .idle, .closed: nil
        case .waiting(let sent, let queued): queued.reduce(sent.deadline) { min($0, $1.deadline) }
        }
    }

    /// Sends a command, or queues it.
    ///
    /// - Parameters:
    ///   - adapter: The adapter that it concerns, or `none` for the kernel.
    ///   - id: The number of the command in `completed`.
    ///   - deadline: The time at which it fails, sent or waiting.
    package mutating func submit<Command: ManagementCommand>(
        _ command: Command,
        to adapter: ManagementIndex,
        id: ManagementCommandID,
        deadline: Instant
    ) -> [Action] {
        let entry = Entry(
            id: id,
            kind: Kind(opcode: Command.opcode, adapter: adapter),
            packet: command.packet(to: adapter).encoded(),
            deadline: deadline
        )
        switch state {
        case .idle:
            state = .waiting(entry, queued: [])
            return [.send(entry.packet)]
        case .waiting(let sent, var queued):
            guard queued.count < limit else { return [.completed(id, .failure(.queueFull))] }
            queued.append(entry)
            state = .waiting(sent, queued: queued)
            return []
        case .closed:
            return [.completed(id, .failure(.closed))]
        }
    }

    /// Sends a command at once, in addition to those of the queue. It has no deadline, and at most one of a kind can
    /// wait.
    ///
    /// - Parameters:
    ///   - command: The command. Those of its kind must not be in the queue.
    ///   - adapter: The adapter that it concerns.
    ///   - id: The number of the command in `completed`.
    package mutating func submitAlongside<Command: ManagementCommand>(
        _ command: Command,
        to adapter: ManagementIndex,
        id: ManagementCommandID
    ) -> [Action] {
        if case .closed = state { return [.completed(id, .failure(.closed))] }
        let kind = Kind(opcode: Command.opcode, adapter: adapter)
        guard alongside[kind] == nil else { return [.completed(id, .failure(.queueFull))] }
        alongside[kind] = id
        return [.send(command.packet(to: adapter).encoded())]
    }

    /// Processes an event about an adapter. Events that answer no command have no effect.
    package mutating func eventReceived(_ event: ManagementEvent, about adapter: ManagementIndex) -> [Action] {
        switch event {
        case .known(let event as ManagementCommandCompleteEvent):
            let result: Result<[UInt8], ManagementCommandFailure> =
                event.status == .success ? .success(event.returnParameters) : .failure(.rejected(event.status))
            return answered(Kind(opcode: event.opcode, adapter: adapter), result)
        case .known(let event as ManagementCommandStatusEvent):
            // Success means that the command has been started; Command Complete will follow.
            guard event.status != .success else { return [] }
            return answered(Kind(opcode: event.opcode, adapter: adapter), .failure(.rejected(event.status)))
        case .known, .unknown:
            return []
        }
    }

    private mutating func answered(
        _ kind: Kind,
        _ result: Result<[UInt8], ManagementCommandFailure>
    ) -> [Action] {
        // Commands of this kind are either alongside or in the queue, so that the answer has one meaning.
        if let id = alongside.removeValue(forKey: kind) { return [.completed(id, result)] }
        if let count = late[kind] {
            late[kind] = count > 1 ? count - 1 : nil
            if case .waiting(var sent, let queued) = state, sent.kind == kind {
                sent.hasIgnoredAnswer = true
                state = .waiting(sent, queued: queued)
            }
            return []
        }
        guard case .waiting(let sent, let queued) = state, sent.kind == kind else { return [] }
        return [.completed(sent.id, result)] + next(queued)
    }

    private mutating func next(_ queued: [Entry]) -> [Action] {
        guard let first = queued.first else {
            state = .idle
            return []
        }
        state = .waiting(first, queued: Array(queued.dropFirst()))
        return [.send(first.packet)]
    }

    /// Fails all commands past their deadlines.
    package mutating func timerFired(now: Instant) -> [Action] {
        guard case .waiting(let sent, let queued) = state else { return [] }
        let expired = queued.filter { $0.deadline <= now }
        let live = queued.filter { $0.deadline > now }
        let failed = expired.map { Action.completed($0.id, .failure(.timedOut)) }
        guard sent.deadline <= now else {
            state = .waiting(sent, queued: live)
            return failed
        }
        // Only this command was sent. The expired ones of the queue cannot be answered.
        // A command whose own answer may have been ignored expects none, or one lost answer would fail every later
        // command of the kind.
        if !sent.hasIgnoredAnswer { late[sent.kind, default: 0] += 1 }
        return [.completed(sent.id, .failure(.timedOut))] + failed + next(live)
    }

    /// Ends the queue because the channel has ended. Every waiting command fails once.
    package mutating func channelClosed() -> [Action] {
        defer {
            state = .closed
            alongside = [:]
        }
        let waiting = alongside.values.sorted { $0.rawValue < $1.rawValue }
        let failed = waiting.map { Action.completed($0, .failure(.closed)) }
        guard case .waiting(let sent, let queued) = state else { return failed }
        return ([sent] + queued).map { .completed($0.id, .failure(.closed)) } + failed
    }
}
