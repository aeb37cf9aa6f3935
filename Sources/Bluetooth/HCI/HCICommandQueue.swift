// SPDX-License-Identifier: MIT

/// Identifies a command in the queue. The caller chooses the number, and uses each once.
package struct HCICommandID: RawRepresentable, Hashable, Sendable {
    /// The number that the caller has chosen.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

package enum HCICommandFailure: Error, Hashable, Sendable {
    case rejected(HCIStatus)
    /// The controller did not answer before the deadline.
    case timedOut
    case closed
    case queueFull
    /// The controller's answer lacks a status.
    case invalidAnswer
}

/// Sends commands to a controller one after the other, and finds their answers among the events.
///
/// Other programs may share the adapter, and the events for their commands arrive here, too. Answers are recognised by
/// the opcode, so answers to other opcodes are ignored. If another program sends the same command at the same time, the
/// channel shows it, and its answer is expected first; a channel that does not show it cannot tell the two answers
/// apart. The expectation has a deadline, because the foreign answer may have been dropped, and must not cost this
/// queue its own answer. Command credits are left to the kernel, which sends the commands of all programs one at a
/// time.
///
/// After the deadline of a command the next one is sent, because a controller that was silent for so long may never answer.
///
/// Spec: Core 5.4, Vol 4, Part E, 4.4
package struct HCICommandQueue: Sendable {
    package enum Action: Hashable, Sendable {
        /// Send this packet, which includes its indicator.
        case send([UInt8])
        /// The command is complete: the return parameters after the status, or the failure. Occurs once for each.
        case completed(HCICommandID, Result<[UInt8], HCICommandFailure>)
    }

    private struct Entry: Sendable {
        let id: HCICommandID
        let opcode: HCIOpcode
        let completion: HCICommandCompletion
        let packet: [UInt8]
        let deadline: Instant
    }

    private enum State: Sendable {
        case idle
        case waiting(Entry, queued: [Entry])
        case closed
    }

    private var state = State.idle
    /// Another program's command that the controller is executing, and the deadline for its answer.
    private var foreign: (opcode: HCIOpcode, deadline: Instant)?
    private let limit: Int

    /// Creates a queue for at most `limit` commands after the one that was sent.
    package init(limit: Int = 64) {
        self.limit = limit
    }

    /// The time at which `timerFired` must be called.
    package var nextDeadline: Instant? {
        switch state {
        case .idle, .closed: nil
        case .waiting(let outstanding, let queued):
            queued.reduce(outstanding.deadline) { min($0, $1.deadline) }
        }
    }

    /// Sends a command, or queues it.
    ///
    /// - Parameters:
    ///   - id: The number of the command in `completed`.
    ///   - deadline: The time at which it fails, sent or waiting.
    package mutating func submit<Command: HCICommand>(
        _ command: Command,
        id: HCICommandID,
        deadline: Instant
    ) -> [Action] {
        let entry = Entry(
            id: id,
            opcode: Command.opcode,
            completion: Command.completion,
            packet: HCIPacket.command(command.packet).encoded(),
            deadline: deadline
        )
        switch state {
        case .idle:
            state = .waiting(entry, queued: [])
            return [.send(entry.packet)]
        case .waiting(let outstanding, var queued):
            guard queued.count < limit else { return [.completed(id, .failure(.queueFull))] }
            queued.append(entry)
            state = .waiting(outstanding, queued: queued)
            return []
        case .closed:
            return [.completed(id, .failure(.closed))]
        }
    }

    /// Records that another program has sent a command: the next answer with that opcode before the deadline is for
    /// that program.
    package mutating func othersSent(_ opcode: HCIOpcode, deadline: Instant) {
        // One is enough: the kernel sends the commands of all programs one at a time.
        foreign = (opcode, deadline)
    }

    /// Processes an event. Events that answer no command of this queue have no effect.
    package mutating func eventReceived(_ event: HCIEvent, now: Instant) -> [Action] {
        if let foreign, foreign.deadline <= now { self.foreign = nil }
        return answer(event)
    }

    private mutating func answer(_ event: HCIEvent) -> [Action] {
        switch event {
        case .known(let event as CommandCompleteEvent):
            return answered(event.opcode) { _ in
                guard let status = event.status else { return .failure(.invalidAnswer) }
                guard status == .success else { return .failure(.rejected(status)) }
                return .success(Array(event.returnParameters.dropFirst()))
            }
        case .known(let event as CommandStatusEvent):
            return answered(event.opcode) { completion in
                guard event.status == .success else { return .failure(.rejected(event.status)) }
                switch completion {
                // The status only accepts the command: Command Complete follows with the result.
                case .commandComplete: return nil
                case .commandStatus: return .success([])
                }
            }
        default:
            return []
        }
    }

    /// Completes the outstanding command if it has the opcode and `outcome` returns a result.
    private mutating func answered(
        _ opcode: HCIOpcode,
        outcome: (HCICommandCompletion) -> Result<[UInt8], HCICommandFailure>?
    ) -> [Action] {
        // The foreign command was sent first, so that the first answer is its own.
        guard opcode != foreign?.opcode else {
            foreign = nil
            return []
        }
        switch state {
        case .idle, .closed:
            return []
        case .waiting(let outstanding, let queued):
            guard outstanding.opcode == opcode, let result = outcome(outstanding.completion) else {
                return []
            }
            return [.completed(outstanding.id, result)] + next(queued)
        }
    }

    /// Sends the first of the waiting commands.
    private mutating func next(_ queued: [Entry]) -> [Action] {
        guard let first = queued.first else {
            state = .idle
            return []
        }
        state = .waiting(first, queued: Array(queued.dropFirst()))
        return [.send(first.packet)]
    }

    package mutating func timerFired(now: Instant) -> [Action] {
        switch state {
        case .idle, .closed:
            return []
        case .waiting(let outstanding, let queued):
            let live = queued.filter { $0.deadline > now }
            let expired = queued.filter { $0.deadline <= now }
            let failures: [Action] = expired.map { .completed($0.id, .failure(.timedOut)) }
            guard outstanding.deadline <= now else {
                state = .waiting(outstanding, queued: live)
                return failures
            }
            return [.completed(outstanding.id, .failure(.timedOut))] + failures + next(live)
        }
    }

    /// Ends the queue because the channel has ended. Every waiting command fails once.
    package mutating func channelClosed() -> [Action] {
        switch state {
        case .idle, .closed:
            state = .closed
            return []
        case .waiting(let outstanding, let queued):
            state = .closed
            return ([outstanding] + queued).map { .completed($0.id, .failure(.closed)) }
        }
    }
}
