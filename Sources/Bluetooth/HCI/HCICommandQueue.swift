// SPDX-License-Identifier: MIT

package enum HCICommandFailure: SerialCommandFailure {
    case rejected(HCIStatus)
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
/// Spec: Core 5.4, Vol 4, Part E, 4.4
package struct HCICommandQueue: Sendable {
    package struct Kind: Sendable {
        let opcode: HCIOpcode
        let completion: HCICommandCompletion
    }

    /// A packet to send includes its indicator; return parameters are those after the status.
    package typealias Action = SerialCommands<Kind, HCICommandFailure>.Action

    private var commands: SerialCommands<Kind, HCICommandFailure>
    /// Another program's command that the controller is executing, and the deadline for its answer.
    private var foreign: (opcode: HCIOpcode, deadline: Instant)?

    /// Creates a queue for at most `limit` commands after the one that was sent.
    package init(limit: Int = 64) { commands = SerialCommands(limit: limit) }

    /// The time at which `timerFired` must be called.
    package var nextDeadline: Instant? { commands.nextDeadline }

    /// Sends a command, or queues it.
    ///
    /// - Parameters:
    ///   - id: The number of the command in `completed`.
    ///   - deadline: The time at which it fails, sent or waiting.
    package mutating func submit<Command: HCICommand>(
        _ command: Command,
        id: CommandID,
        deadline: Instant
    ) -> [Action] {
        commands.submit(
            .init(
                id: id,
                kind: Kind(opcode: Command.opcode, completion: Command.completion),
                packet: HCIPacket.command(command.packet).encoded(),
                deadline: deadline
            )
        )
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
        guard let kind = commands.sent?.kind, kind.opcode == opcode, let result = outcome(kind.completion) else {
            return []
        }
        return commands.complete(result)
    }

    package mutating func timerFired(now: Instant) -> [Action] { commands.timerFired(now: now) }

    /// Ends the queue because the channel has ended. Every waiting command fails once.
    package mutating func channelClosed() -> [Action] { commands.channelClosed() }
}
