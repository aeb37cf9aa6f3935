// SPDX-License-Identifier: MIT

import BluetoothHost
import Synchronization

/// One end of a connection between two clocks, with the channels through it and the packets that wait for the next turn.
final class ClockPeer: Sendable {
    /// The most channels at a time. Further ones end at once.
    private static let maximumChannels = 512

    /// What is at this end of a channel.
    enum End: Sendable {
        case channel(MultiplexedChannel)
        /// Another process, to which all events go on.
        case process(ClockPeer, number: UInt32)
    }

    private struct State {
        var ends: [UInt32: End] = [:]
        /// The number of the last channel that this end has opened. The numbers of the two ends are odd and even.
        var lastChannel: UInt32
        var outgoing: [ChannelPacket] = []
        var end: RadioError?
    }

    let link: ClockLink
    private let state: Mutex<State>

    /// Takes over a connection.
    ///
    /// - Parameter isMember: Whether this is the end of the process that has joined.
    init(_ link: ClockLink, isMember: Bool) {
        self.link = link
        state = Mutex(State(lastChannel: isMember ? 1 : 0))
    }

    /// Whether packets wait for the next turn.
    var hasPackets: Bool { state.withLock { !$0.outgoing.isEmpty } }

    // MARK: - Channels

    /// Opens a channel to the process that has made an offer of that name, or without a name to the world. Throws if the
    /// connection has ended.
    func open(_ name: String?) throws(RadioError) -> any PacketChannel {
        if let end = state.withLock({ $0.end }) { throw end }
        let number = nextNumber()
        let channel = channel(number)
        add(.channel(channel), as: number, saying: .open(name))
        return channel
    }

    /// Opens a channel whose other end is at another process, and returns its number here.
    func open(for other: ClockPeer, _ number: UInt32) -> UInt32 {
        let own = nextNumber()
        add(.process(other, number: number), as: own, saying: .open(nil))
        return own
    }

    /// Takes the channel that the other end has opened; `nil` if there are too many, or if there is one of that number.
    func accept(_ number: UInt32) -> (any PacketChannel)? {
        guard hasRoom(for: number) else { return nil }
        let channel = channel(number)
        add(.channel(channel), as: number, saying: nil)
        return channel
    }

    /// Has the channel that the other end has opened end at another process. Returns `false` if there are too many, or if
    /// there is one of that number.
    func forward(_ number: UInt32, to other: ClockPeer) -> Bool {
        guard hasRoom(for: number) else { return false }
        add(.process(other, number: other.open(for: self, number)), as: number, saying: nil)
        return true
    }

    /// Refuses the channel that the other end has opened.
    func refuse(_ number: UInt32) {
        state.withLock { $0.outgoing.append(ChannelPacket(channel: number, event: .close)) }
    }

    /// Makes an offer, or withdraws it.
    func say(_ event: ChannelPacket.Event) {
        state.withLock { if $0.end == nil { $0.outgoing.append(ChannelPacket(channel: 0, event: event)) } }
    }

    private func nextNumber() -> UInt32 {
        state.withLock { state in
            state.lastChannel &+= 2
            return state.lastChannel
        }
    }

    private func hasRoom(for number: UInt32) -> Bool {
        state.withLock { $0.end == nil && $0.ends[number] == nil && $0.ends.count < Self.maximumChannels }
    }

    private func channel(_ number: UInt32) -> MultiplexedChannel {
        MultiplexedChannel { [weak self] event in self?.queue(event, on: number) }
    }

    private func add(_ end: End, as number: UInt32, saying event: ChannelPacket.Event?) {
        state.withLock { state in
            state.ends[number] = end
            if let event { state.outgoing.append(ChannelPacket(channel: number, event: event)) }
        }
    }

    // MARK: - Packets

    /// Keeps an event for the next turn.
    private func queue(_ event: ChannelPacket.Event, on number: UInt32) {
        state.withLock { state in
            guard state.end == nil, state.ends[number] != nil else { return }
            if event == .close { state.ends[number] = nil }
            state.outgoing.append(ChannelPacket(channel: number, event: event))
        }
    }

    /// Takes an event of the other end on one of the channels.
    func take(_ packet: ChannelPacket) {
        let end = state.withLock { state in
            defer { if packet.event == .close { state.ends[packet.channel] = nil } }
            return state.ends[packet.channel]
        }
        switch end {
        case .channel(let channel)?: channel.take(packet.event)
        case .process(let peer, let number)?: peer.queue(packet.event, on: number)
        case nil: break
        }
    }

    func send(_ message: ([ChannelPacket]) -> ClockMessage) {
        let packets = state.withLock { state in
            defer { state.outgoing = [] }
            return state.outgoing
        }
        send(message(packets))
    }

    /// Sends a message. A failure ends the connection, by which both ends notice it.
    func send(_ message: ClockMessage) {
        do throws(RadioError) {
            try link.send(message)
        } catch {
            link.channel.hangUp(error)
        }
    }

    /// Ends the connection and all channels through it.
    func end() {
        let reason = RadioError(.closedByPeer(nil), during: "shared clock")
        let ends = state.withLock { state in
            state.end = reason
            state.outgoing = []
            defer { state.ends = [:] }
            return state.ends
        }
        for (_, end) in ends.sorted(by: { $0.key < $1.key }) {
            switch end {
            case .channel(let channel): channel.end(reason)
            case .process(let peer, let number): peer.queue(.close, on: number)
            }
        }
        link.channel.close()
    }
}
