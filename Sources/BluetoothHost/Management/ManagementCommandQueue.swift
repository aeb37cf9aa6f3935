// SPDX-License-Identifier: MIT

package import Bluetooth

package enum ManagementCommandFailure: SerialCommandFailure {
    case rejected(ManagementStatus)
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
    package typealias Action = SerialCommands<Kind, ManagementCommandFailure>.Action

    package struct Kind: Hashable, Sendable {
        let opcode: ManagementOpcode
        let adapter: ManagementIndex
    }

    private var commands: SerialCommands<Kind, ManagementCommandFailure>
    /// Whether an answer of its kind was ignored since the command was sent. It may have been this command's own.
    private var hasIgnoredAnswer = false
    /// The commands that were sent alongside, and wait for their answers.
    private var alongside: [Kind: CommandID] = [:]
    /// The number of answers that are still expected to commands that timed out.
    private var late: [Kind: Int] = [:]

    /// Creates a queue for at most `limit` commands after the one that was sent.
    package init(limit: Int = 16) { commands = SerialCommands(limit: limit) }

    /// The time at which `timerFired` must be called.
    package var nextDeadline: Instant? { commands.nextDeadline }

    /// Sends a command, or queues it.
    ///
    /// - Parameters:
    ///   - adapter: The adapter that it concerns, or `none` for the kernel.
    ///   - id: The number of the command in `completed`.
    ///   - deadline: The time at which it fails, sent or waiting.
    package mutating func submit<Command: ManagementCommand>(
        _ command: Command,
        to adapter: ManagementIndex,
        id: CommandID,
        deadline: Instant
    ) -> [Action] {
        commands.submit(
            .init(
                id: id,
                kind: Kind(opcode: Command.opcode, adapter: adapter),
                packet: command.packet(to: adapter).encoded(),
                deadline: deadline
            )
        )
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
        id: CommandID
    ) -> [Action] {
        if commands.isClosed { return [.completed(id, .failure(.closed))] }
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
            if commands.sent?.kind == kind { hasIgnoredAnswer = true }
            return []
        }
        guard commands.sent?.kind == kind else { return [] }
        hasIgnoredAnswer = false
        return commands.complete(result)
    }

    /// Fails all commands past their deadlines.
    package mutating func timerFired(now: Instant) -> [Action] {
        // Only this command was sent. The expired ones of the queue cannot be answered.
        if let sent = commands.sent, sent.deadline <= now {
            // A command whose own answer may have been ignored expects none, or one lost answer would fail every later
            // command of the kind.
            if !hasIgnoredAnswer { late[sent.kind, default: 0] += 1 }
            hasIgnoredAnswer = false
        }
        return commands.timerFired(now: now)
    }

    /// Ends the queue because the channel has ended. Every waiting command fails once.
    package mutating func channelClosed() -> [Action] {
        defer { alongside = [:] }
        let waiting = alongside.values.sorted { $0.rawValue < $1.rawValue }
        return commands.channelClosed() + waiting.map { .completed($0, .failure(.closed)) }
    }
}
