// SPDX-License-Identifier: MIT

import Bluetooth

/// Sends the commands of this host and of all HCI channels to a controller, one at a time.
///
/// One, because some controllers lose the second; and none before the controller has said that it accepts another one
/// (Num_HCI_Command_Packets). After a controller was silent for too long, or has accepted none for as long, the next
/// command is sent nevertheless. This host's commands go before those of channels: a peer may be waiting for them.
///
/// Spec: Core 5.4, Vol 4, Part E, 4.4
struct ControllerCommandQueue: Sendable {
    enum Action: Hashable, Sendable {
        case send(HCICommandPacket, CommandOwner)
        /// A command has ended: with the return parameters after the status, empty for Command Status, or by a refusal.
        case ended(CommandOwner, Result<[UInt8], CommandRefusal>)
        /// The controller has not answered in time.
        case unanswered(CommandOwner, HCIOpcode)
    }

    private struct Entry: Sendable {
        let packet: HCICommandPacket
        var owner: CommandOwner
    }

    /// The longest wait for an answer; the kernel's is the same (Linux, HCI_CMD_TIMEOUT).
    static let answerLimit = Duration.seconds(2)
    /// The number of commands of channels that wait. A channel that has more is a mistake, and is told so.
    private static let channelLimit = 256
    /// The number of this host's commands that wait. Only a controller that asks without measure causes so many.
    private static let hostLimit = 1_024

    private var hostCommands: [Entry] = []
    private var channelCommands: [Entry] = []
    private var sent: (entry: Entry, deadline: Instant)?
    private var credits = 1
    /// Whether the commands of channels wait, because the controller is being set up.
    private var holdsChannels = false
    /// Until when commands wait for a controller that accepts none.
    private var stalledUntil: Instant?

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? { sent?.deadline ?? stalledUntil }

    /// Who has sent the command that waits for its answer.
    var awaiting: CommandOwner? { sent?.entry.owner }

    /// Whether no further command of a channel can be taken.
    var isFull: Bool { channelCommands.count >= Self.channelLimit }

    /// Sends a command, or lets it wait.
    mutating func submit(_ packet: HCICommandPacket, from owner: CommandOwner, now: Instant) -> [Action] {
        let entry = Entry(packet: packet, owner: owner)
        if case .channel = owner {
            channelCommands.append(entry)
        } else {
            guard hostCommands.count < Self.hostLimit else { return [.unanswered(owner, packet.opcode)] }
            hostCommands.append(entry)
        }
        return next(now)
    }

    /// Takes an event. One that answers no command may still say how many commands are accepted.
    mutating func received(_ event: HCIEvent, now: Instant) -> [Action] {
        switch event {
        case .known(let event as CommandCompleteEvent):
            credits = Int(event.commandPackets)
            let outcome: Result<[UInt8], CommandRefusal> =
                event.status == .success
                ? .success(Array(event.returnParameters.dropFirst())) : .failure(CommandRefusal(status: event.status))
            return answered(event.opcode, outcome) + next(now)
        case .known(let event as CommandStatusEvent):
            credits = Int(event.commandPackets)
            let isAccepted = event.status == .success
            let outcome: Result<[UInt8], CommandRefusal> =
                isAccepted ? .success([]) : .failure(CommandRefusal(status: event.status))
            return answered(event.opcode, outcome) + next(now)
        default: return []
        }
    }

    /// Gives up a command whose answer is late, or the wait until the controller accepts one.
    mutating func timerFired(now: Instant) -> [Action] {
        guard let end = nextDeadline, end <= now else { return [] }
        let late = sent?.entry
        sent = nil
        credits = 1
        return (late.map { [.unanswered($0.owner, $0.packet.opcode)] } ?? []) + next(now)
    }

    /// A link has ended, whose handle another one may get: drops its commands that wait, and the answer to one that was
    /// sent.
    mutating func ended(_ link: ConnectionHandle) {
        let owners: [CommandOwner] = [.disconnect(link), .security(link), .link(link)]
        hostCommands.removeAll { owners.contains($0.owner) }
        if let owner = sent?.entry.owner, owners.contains(owner) { sent?.entry.owner = .host }
    }

    /// A channel has ended: what it has left waiting goes before what this host wants from now on.
    mutating func ended(_ channel: ChannelID) {
        hostCommands += channelCommands.filter { $0.owner == .channel(channel) }
        channelCommands.removeAll { $0.owner == .channel(channel) }
    }

    /// Forgets all commands, because the controller is reset. The users of channels wait for their answers in vain, and
    /// later commands of theirs until `release`.
    mutating func reset() {
        self = Self()
        holdsChannels = true
    }

    /// The controller is set up.
    mutating func release(now: Instant) -> [Action] {
        holdsChannels = false
        return next(now)
    }

    private mutating func answered(
        _ opcode: HCIOpcode,
        _ outcome: Result<[UInt8], CommandRefusal>
    ) -> [Action] {
        guard let entry = sent?.entry, entry.packet.opcode == opcode else { return [] }
        sent = nil
        return [.ended(entry.owner, outcome)]
    }

    private mutating func next(_ now: Instant) -> [Action] {
        guard sent == nil else { return [] }
        guard credits > 0 else {
            let isWaiting = !hostCommands.isEmpty || !holdsChannels && !channelCommands.isEmpty
            stalledUntil = isWaiting ? stalledUntil ?? now + Self.answerLimit : nil
            return []
        }
        stalledUntil = nil
        let entry: Entry
        if !hostCommands.isEmpty {
            entry = hostCommands.removeFirst()
        } else if !holdsChannels, !channelCommands.isEmpty {
            entry = channelCommands.removeFirst()
        } else {
            return []
        }
        sent = (entry, now + Self.answerLimit)
        credits -= 1
        return [.send(entry.packet, entry.owner)]
    }
}
