// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The controller as a guest of a shared link sees it: the commands about that link, their answers, and the events
/// about it. `LinkControl` can therefore read and change the link in the same way on both sides.
///
/// Earlier events are repeated to the guest, because it was not there when the link was made.
final class SharedHCIChannel: HCIChannel {
    /// The owner's channel for this guest.
    private let base: any HCIChannel
    private let link: SharedLink
    /// The packets for the guest, and those it already has.
    private let state = Mutex(State())

    private struct State {
        /// The link that the guest knows; `nil` if there is none.
        var reported: ConnectionHandle?
        /// The packets that were received with the one that the guest has asked for.
        var waiting: [[UInt8]] = []
    }

    init(_ base: any HCIChannel, of link: SharedLink) {
        self.base = base
        self.link = link
    }

    /// The present link; `nil` if there is none.
    private var connection: ConnectionHandle? { link.connectionHandle.map { ConnectionHandle(rawValue: $0) } }

    /// The number of packets that were dropped before the guest read them.
    var droppedCount: Int { base.droppedCount }

    /// The next packet about the link.
    func receive() async throws(RadioError) -> [UInt8] {
        var packets = try await receiveWaiting()
        let first = packets.removeFirst()
        state.withLock { $0.waiting.insert(contentsOf: packets, at: 0) }
        return first
    }

    /// The packets about the link, at least one.
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        var packets = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        // Stored events are repeated without a packet of the controller.
        if packets.isEmpty { packets = lent([]) }
        while packets.isEmpty { packets = lent(try await base.receiveWaiting()) }
        return packets[...]
    }

    /// The packets that the guest gets, after the news of a link that is new to it.
    private func lent(_ packets: ArraySlice<[UInt8]>) -> [[UInt8]] {
        let present = connection
        let before = state.withLock { state in
            defer { state.reported = present ?? state.reported }
            return state.reported
        }
        let news = present.map { $0 == before ? [] : link.news.packets(about: $0) } ?? []
        return news + packets.filter { Self.isLent($0, of: [present, before]) }
    }

    /// Whether the guest gets a packet. The end of a link may be reported after the beginning of the next one, so there
    /// may be two links.
    private static func isLent(_ bytes: [UInt8], of links: [ConnectionHandle?]) -> Bool {
        guard let packet = try? HCIPacket(decoding: bytes) else { return false }
        switch packet {
        // Without the commands of other programs, their answers would look like those to the guest.
        case .command(let packet): return LinkCommands.areLent(packet.opcode)
        case .event(let packet):
            guard let event = try? HCIEvent(packet) else { return false }
            if let opcode = event.answeredCommand { return LinkCommands.areLent(opcode) }
            return event.linkConnection.map { links.contains($0) } ?? false
        case .acl, .other: return false
        }
    }

    /// Sends a command about the link, or a question to the controller. Throws for every other one: guests share a link, and
    /// not the controller.
    func send(_ packet: [UInt8]) throws(RadioError) {
        let operation = "command to the controller"
        guard case .command(let command)? = try? HCIPacket(decoding: packet),
            LinkCommands.areLent(command.opcode)
        else { throw RadioError(.noController, during: operation) }
        let isQuestion = LinkCommands.questions.contains(command.opcode)
        guard let connection, isQuestion || LinkCommands.connection(of: command) == connection else {
            throw RadioError(.linkLost(nil), during: operation)
        }
        try base.send(packet)
    }

    /// Suspends until the kernel has accepted all commands.
    func drained() async throws(RadioError) { try await base.drained() }
    /// Ends the channel after the packets that have arrived.
    func hangUp(_ reason: RadioError) { base.hangUp(reason) }
    /// Closes the channel. The link goes on.
    func close() { base.close() }
}

/// The commands that read and change the properties of one link. The handle of the link comes first in each of them.
private enum LinkCommands {
    static let opcodes: Set<HCIOpcode> = [
        HCIReadRSSI.opcode, HCIReadTransmitPowerLevel.opcode, LEReadPHY.opcode, LESetPHY.opcode,
        LEReadRemoteFeatures.opcode, LESetDataLength.opcode, LEConnectionUpdate.opcode,
        HCIReadRemoteVersionInformation.opcode, LESubrateRequest.opcode, LEReadChannelMap.opcode,
    ]
    /// What a guest may ask the controller for.
    static let questions: Set<HCIOpcode> = [
        HCIReadLocalSupportedCommands.opcode, HCIReadLocalVersionInformation.opcode,
    ]

    static func areLent(_ opcode: HCIOpcode) -> Bool { opcodes.contains(opcode) || questions.contains(opcode) }

    /// The link that such a command is about; `nil` if the command is malformed.
    static func connection(of command: HCICommandPacket) -> ConnectionHandle? {
        guard command.parameters.count >= 2 else { return nil }
        let word = UInt16(command.parameters[0]) | UInt16(command.parameters[1]) << 8
        // A handle has 12 bits; the others are reserved.
        return ConnectionHandle(rawValue: word & 0x0FFF)
    }
}

/// The events that carry the present properties of links: the last one of each kind for each link.
final class LinkEvent: Sendable {
    /// The maximum number of links that are remembered. No controller has more.
    private static let limit = 64

    /// The events of each link in the order of their arrival.
    private let events = Mutex<[ConnectionHandle: [HCIEventPacket]]>([:])

    func received(_ bytes: [UInt8]) {
        guard case .event(let packet)? = try? HCIPacket(decoding: bytes), let event = try? HCIEvent(packet),
            event.hasSucceeded, let connection = event.linkConnection
        else { return }
        events.withLock { events in
            switch event {
            case .known(is DisconnectionCompleteEvent):
                events[connection] = nil
            case .known(is LEConnectionCompleteEvent), .known(is LEEnhancedConnectionCompleteEvent):
                if events.count >= Self.limit { events = [:] }
                events[connection] = [packet]
            default:
                guard events.count < Self.limit || events[connection] != nil else { return }
                var known = events[connection] ?? []
                // Only the last event of a kind has the present properties, and their changes have no limit.
                known.removeAll { $0.kind == packet.kind }
                events[connection] = known + [packet]
            }
        }
    }

    func packets(about connection: ConnectionHandle) -> [[UInt8]] {
        events.withLock { $0[connection] ?? [] }.map { HCIPacket.event($0).encoded() }
    }
}

extension HCIEventPacket {
    /// The code, and that of an LE event after it.
    fileprivate var kind: [UInt8] { [code.rawValue] + (code == .leMeta ? Array(parameters.prefix(1)) : []) }
}

extension HCIEvent {
    /// Whether an event about a link reports a success.
    fileprivate var hasSucceeded: Bool {
        switch self {
        case .known(let event as LEConnectionCompleteEvent): event.status == .success
        case .known(let event as LEEnhancedConnectionCompleteEvent): event.connection.status == .success
        case .known(let event as DisconnectionCompleteEvent): event.status == .success
        case .known(let event as LEConnectionUpdateCompleteEvent): event.status == .success
        case .known(let event as LEPHYUpdateCompleteEvent): event.status == .success
        case .known(let event as LEReadRemoteFeaturesCompleteEvent): event.status == .success
        case .known(let event as ReadRemoteVersionInformationCompleteEvent): event.status == .success
        case .known(let event as LESubrateChangeEvent): event.status == .success
        default: true
        }
    }

    /// The command that the event answers; `nil` if it is not an answer.
    fileprivate var answeredCommand: HCIOpcode? {
        switch self {
        case .known(let event as CommandCompleteEvent): event.opcode
        case .known(let event as CommandStatusEvent): event.opcode
        default: nil
        }
    }
}
