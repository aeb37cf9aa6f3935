// SPDX-License-Identifier: GPL-2.0-or-later

/// Names a command in the queue; whoever submits it chooses the number, and uses each once.
public struct HCICommandID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Takes the number as it is.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Why a command was not carried out.
public enum HCICommandFailure: Error, Hashable, Sendable {
    /// The controller refused it.
    case rejected(HCIStatus)
    /// The controller did not answer before the deadline.
    case timedOut
    /// The channel closed.
    case closed
    /// Whoever submitted it took it back.
    case cancelled
    /// Too many commands were waiting.
    case queueFull
    /// The controller's answer is not what the command returns.
    case invalidAnswer
}

/// Sends commands to a controller one after the other and finds their answers among the events.
///
/// The adapter may be shared: events about the commands of other programs pass by here too. An answer is recognised by its
/// opcode, so answers to foreign commands of another opcode are ignored. One to a foreign command of the same opcode at the
/// same moment is told apart where the channel shows the commands of others when they go out; otherwise it is taken. A foreign
/// command has its deadline as well: its answer may have been dropped before it came here, and must not cost us ours. Command
/// credits are left to the kernel, through which all go, one at a time.
///
/// A command that was taken back on the wire still holds the place of the next one until its answer or its deadline, so
/// that its answer is not mistaken for that of a successor with the same opcode. After the deadline nothing holds the next
/// one back any more: a controller that was silent for so long may never answer.
///
/// Spec: Core 5.4, Vol 4, Part E, 4.4
public struct HCICommandQueue: Sendable {
    /// What is to be done after an event.
    public enum Action: Hashable, Sendable {
        /// Send this packet, indicator and all.
        case send([UInt8])
        /// The command came to its end: what it returned behind the status, or why it failed. Said once for each.
        case completed(HCICommandID, Result<[UInt8], HCICommandFailure>)
    }

    private struct Entry: Sendable {
        let id: HCICommandID
        let opcode: HCIOpcode
        let completion: HCICommandCompletion
        let packet: [UInt8]
        let deadline: Instant
    }

    /// The command on the wire, and whether somebody still waits for its answer.
    private struct Outstanding: Sendable {
        let entry: Entry
        var isCancelled = false
    }

    private enum State: Sendable {
        case idle
        case waiting(Outstanding, queued: [Entry])
        case closed
    }

    private var state = State.idle
    /// The command of another program that is with the controller, and until when its answer is expected.
    private var foreign: (opcode: HCIOpcode, deadline: Instant)?
    private let limit: Int

    /// A queue in which at most `limit` commands wait behind the one on the wire.
    public init(limit: Int = 64) {
        self.limit = limit
    }

    /// The next moment at which `timerFired` has to be called.
    public var nextDeadline: Instant? {
        switch state {
        case .idle, .closed: nil
        case .waiting(let outstanding, let queued):
            queued.reduce(outstanding.entry.deadline) { min($0, $1.deadline) }
        }
    }

    /// Whether a command is on the wire.
    public var isBusy: Bool {
        switch state {
        case .idle, .closed: false
        case .waiting: true
        }
    }

    /// Sends a command, or lets it wait for its turn.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - id: Names it in `completed` and `cancel`.
    ///   - deadline: When it is given up, be it on the wire or still waiting.
    public mutating func submit<Command: HCICommand>(
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
            state = .waiting(Outstanding(entry: entry), queued: [])
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

    /// Takes a command back. One that waits is dropped; the answer to one on the wire is swallowed when it comes.
    public mutating func cancel(_ id: HCICommandID) -> [Action] {
        switch state {
        case .idle, .closed:
            return []
        case .waiting(var outstanding, var queued):
            if outstanding.entry.id == id {
                guard !outstanding.isCancelled else { return [] }
                outstanding.isCancelled = true
            } else {
                guard let index = queued.firstIndex(where: { $0.id == id }) else { return [] }
                queued.remove(at: index)
            }
            state = .waiting(outstanding, queued: queued)
            return [.completed(id, .failure(.cancelled))]
        }
    }

    /// Another program's command goes to the controller: the next answer with that opcode, before the deadline, is not for us.
    public mutating func othersSent(_ opcode: HCIOpcode, deadline: Instant) {
        foreign = (opcode, deadline)
    }

    /// Takes an event of whatever kind; those that answer no command of ours change nothing.
    public mutating func eventReceived(_ event: HCIEvent, now: Instant) -> [Action] {
        if let foreign, foreign.deadline <= now { self.foreign = nil }
        return answer(event)
    }

    private mutating func answer(_ event: HCIEvent) -> [Action] {
        switch event {
        case .commandComplete(let event):
            return answered(event.opcode) { _ in
                guard let status = event.status else { return .failure(.invalidAnswer) }
                guard status == .success else { return .failure(.rejected(status)) }
                return .success(Array(event.returnParameters.dropFirst()))
            }
        case .commandStatus(let event):
            return answered(event.opcode) { completion in
                guard event.status == .success else { return .failure(.rejected(event.status)) }
                switch completion {
                case .commandComplete: return nil
                case .commandStatus: return .success([])
                }
            }
        default:
            return []
        }
    }

    /// Ends the command on the wire if the event is about it and `outcome` says that it is over.
    private mutating func answered(
        _ opcode: HCIOpcode,
        outcome: (HCICommandCompletion) -> Result<[UInt8], HCICommandFailure>?
    ) -> [Action] {
        guard opcode != foreign?.opcode else {
            foreign = nil
            return []
        }
        switch state {
        case .idle, .closed:
            return []
        case .waiting(let outstanding, let queued):
            guard outstanding.entry.opcode == opcode, let result = outcome(outstanding.entry.completion) else {
                return []
            }
            let answer: [Action] = outstanding.isCancelled ? [] : [.completed(outstanding.entry.id, result)]
            return answer + next(queued)
        }
    }

    /// Sends the first of those that wait.
    private mutating func next(_ queued: [Entry]) -> [Action] {
        guard let first = queued.first else {
            state = .idle
            return []
        }
        state = .waiting(Outstanding(entry: first), queued: Array(queued.dropFirst()))
        return [.send(first.packet)]
    }

    /// Gives up what is past its deadline.
    public mutating func timerFired(now: Instant) -> [Action] {
        switch state {
        case .idle, .closed:
            return []
        case .waiting(let outstanding, let queued):
            let live = queued.filter { $0.deadline > now }
            let expired = queued.filter { $0.deadline <= now }
            var actions: [Action] = []
            if outstanding.entry.deadline <= now, !outstanding.isCancelled {
                actions.append(.completed(outstanding.entry.id, .failure(.timedOut)))
            }
            actions += expired.map { .completed($0.id, .failure(.timedOut)) }
            guard outstanding.entry.deadline <= now else {
                state = .waiting(outstanding, queued: live)
                return actions
            }
            return actions + next(live)
        }
    }

    /// The channel is gone: everyone who waits is told, once.
    public mutating func channelClosed() -> [Action] {
        switch state {
        case .idle, .closed:
            state = .closed
            return []
        case .waiting(let outstanding, let queued):
            state = .closed
            let first = outstanding.isCancelled ? [] : [outstanding.entry.id]
            return (first + queued.map(\.id)).map { .completed($0, .failure(.closed)) }
        }
    }
}
