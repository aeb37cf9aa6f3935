// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

/// Turns the packets of the seam into those of a capture, as if all of them had passed a controller.
///
/// HCI packets are kept as they are. ATT PDUs, which have a separate socket, become ACL data. A program does not see
/// the connection events of the link of such a socket, so these events are added where no controller has sent them.
/// Packets of the management interface are left out: the datalink has no place for them, and they carry keys.
struct CaptureConverter {
    /// A packet for a capture of any datalink.
    struct Packet: Equatable {
        /// The HCI packet with its indicator.
        package let octets: [UInt8]
        package let direction: CapturedPacket.Direction
        package let adapter: ManagementIndex
        package let timestamp: BTSnoopTimestamp

        /// The packet with zeros in place of values, names and keys.
        package var redacted: Packet {
            Packet(octets: Redaction.zeroed(octets), direction: direction, adapter: adapter, timestamp: timestamp)
        }

        /// The packet as a reader of a capture with adapters has it.
        package var record: CapturedRecord {
            CapturedRecord(CapturedPacket(.hci(octets), direction, adapter: adapter), at: WallTime(timestamp))
        }

        /// The packet in a capture with that datalink.
        package func record(in datalink: BTSnoopDatalink) -> BTSnoopRecord {
            CapturedPacket.record(hci: octets, direction, in: datalink, adapter: adapter, at: timestamp)
        }
    }

    /// A connection of an adapter. The handle alone is not enough, because each controller counts for itself.
    private struct Link: Hashable {
        let adapter: ManagementIndex
        let connection: ConnectionHandle
    }

    /// The device at the other end of a connection, as events have announced it.
    private struct Peer {
        /// Its address. An address of an identity has the type of a connection to it.
        let device: DeviceAddress
        let role: LERole
        /// Its resolvable private address on this connection; `nil` if no event has one beside the other address.
        var privateAddress: BluetoothAddress?

        func isKnown(by address: DeviceAddress) -> Bool {
            device == address || (address.kind == .resolvable && address.address == privateAddress)
        }
    }

    /// The handles for links whose own handle is not known: the last ones that a controller may use.
    static let madeUpHandles: ClosedRange<UInt16> = 0x0E00...0x0EFF

    /// The connections by the numbers of their channels. A connection may have several.
    private var connections: [Int: Link] = [:]
    /// The devices of the connections that an event has announced, until one has announced their end. That may be
    /// missing: it passes only while a channel to the controller is open.
    private var announced: [Link: Peer] = [:]

    /// The packets of a capture for a packet; empty if it is left out.
    package mutating func packets(of packet: TappedPacket) -> [Packet] {
        let direction: CapturedPacket.Direction = packet.direction == .sent ? .sent : .received
        switch packet.channel {
        case .management: return []
        case .hci:
            watch(packet.bytes, of: packet.adapter)
            return [self.packet(packet.bytes, direction, packet.adapter, packet.wall)]
        case .att: return data(L2CAPFrame(.att, packet.bytes), packet, direction)
        case .l2cap, .bearer:
            guard let frame = try? L2CAPFrame(decoding: packet.bytes) else { return [] }
            return data(frame, packet, direction)
        }
    }

    /// A frame as data of the connection that it belongs to; nothing if that is not known.
    private func data(
        _ frame: L2CAPFrame,
        _ packet: TappedPacket,
        _ direction: CapturedPacket.Direction
    ) -> [Packet] {
        guard let number = packet.link, let link = connections[number] else { return [] }
        let data = HCIACLPacket(frame, on: link.connection, isFromHost: direction == .sent)
        return [self.packet(HCIPacket.acl(data).encoded(), direction, link.adapter, packet.wall)]
    }

    /// The events of the beginning or the end of a link; none if its controller has announced that, or if another
    /// channel of the link is open.
    package mutating func packets(of link: TappedLink) -> [Packet] {
        switch link.change {
        case .opened:
            guard
                let connection = link.connectionHandle.map({ ConnectionHandle(rawValue: $0) })
                    ?? freeHandle(on: link.adapter)
            else { return [] }
            let opened = Link(adapter: link.adapter, connection: connection)
            connections[link.number] = opened
            let device = DeviceAddress(link.device.address, link.device.type.connectionType)
            let known = announced[opened]
            // A service does not know the address of its central before a channel opens.
            if let known, known.isKnown(by: device) || device.address.rawValue == 0 { return [] }
            // The controller may have announced this link under the private address of the device, where the program
            // has its identity. Nothing here distinguishes that from an old link with this handle whose end was not
            // heard.
            let hasIdentity = [.public, .randomStatic].contains(device.kind)
            let privateAddress = known?.device.kind == .resolvable && hasIdentity ? known?.device.address : nil
            let peer = Peer(device: device, role: link.role, privateAddress: privateAddress)
            announced[opened] = peer
            return [beginning(of: opened, with: peer, link.wall)]
        case .ended(let error):
            guard let ended = connections.removeValue(forKey: link.number),
                // The link goes on while another channel of it is open; or the handle belongs to a new link by now.
                !connections.values.contains(ended),
                // Without an event if the controller has announced the end: `watch` has then removed the link.
                announced.removeValue(forKey: ended) != nil
            else { return [] }
            let event = DisconnectionCompleteEvent(ended.connection, reason: Self.reason(of: error))
            return [packet(of: event, ended.adapter, link.wall)]
        }
    }

    /// The beginnings of the links that are open, for a capture that begins at that time.
    func openLinks(_ wall: WallTime) -> [Packet] {
        announced.sorted {
            ($0.key.adapter.rawValue, $0.key.connection.rawValue) < (
                $1.key.adapter.rawValue, $1.key.connection.rawValue
            )
        }
        .map { beginning(of: $0.key, with: $0.value, wall) }
    }

    private func beginning(of link: Link, with peer: Peer, _ wall: WallTime) -> Packet {
        let event = LEConnectionCompleteEvent(
            link.connection,
            role: peer.role,
            peer: peer.device,
            // A program with an ATT socket does not learn the parameters of its link, so zeros are written.
            interval: LEInterval(rawValue: 0),
            latency: 0,
            supervisionTimeout: LEInterval(rawValue: 0)
        )
        guard let address = peer.privateAddress else { return packet(of: event, link.adapter, wall) }
        let both = LEEnhancedConnectionCompleteEvent(event, peerResolvableAddress: address)
        return packet(of: both, link.adapter, wall)
    }

    /// The first handle that no open link of an adapter has.
    private func freeHandle(on adapter: ManagementIndex) -> ConnectionHandle? {
        Self.madeUpHandles.lazy.map { ConnectionHandle(rawValue: $0) }
            .first { announced[Link(adapter: adapter, connection: $0)] == nil }
    }

    /// Notes which connections a controller announces.
    private mutating func watch(_ packet: [UInt8], of adapter: ManagementIndex) {
        guard packet.first == 0x04, let packet = try? HCIPacket(decoding: packet), case .event(let event) = packet,
            event.code == .leMeta || event.code == .disconnectionComplete
        else { return }
        switch event.decoded {
        case .known(let event as LEConnectionCompleteEvent) where event.status == .success:
            announce(event, privateAddress: nil, of: adapter)
        case .known(let event as LEEnhancedConnectionCompleteEvent) where event.connection.status == .success:
            announce(event.connection, privateAddress: event.privateAddress, of: adapter)
        case .known(let event as DisconnectionCompleteEvent) where event.status == .success:
            announced[Link(adapter: adapter, connection: event.connection)] = nil
        default: break
        }
    }

    private mutating func announce(
        _ event: LEConnectionCompleteEvent,
        privateAddress: BluetoothAddress?,
        of adapter: ManagementIndex
    ) {
        let device = DeviceAddress(event.peer.address, event.peer.type.connectionType)
        let peer = Peer(device: device, role: event.role, privateAddress: privateAddress)
        announced[Link(adapter: adapter, connection: event.connection)] = peer
    }

    /// An event as a controller would have sent it.
    private func packet(
        of event: some HCIEventParameters,
        _ adapter: ManagementIndex,
        _ wall: WallTime
    ) -> Packet {
        packet(HCIPacket.event(event.packet).encoded(), .received, adapter, wall)
    }

    /// A packet of that time, which has nanoseconds where the format has microseconds.
    private func packet(
        _ octets: [UInt8],
        _ direction: CapturedPacket.Direction,
        _ adapter: ManagementIndex,
        _ wall: WallTime
    ) -> Packet {
        let timestamp = BTSnoopTimestamp(microsecondsSince1970: floorDivision(wall.nanoseconds, 1_000).quotient)
        return Packet(octets: octets, direction: direction, adapter: adapter, timestamp: timestamp)
    }

    /// The reason of a controller for the end of a link.
    private static func reason(of error: RadioError?) -> HCIStatus {
        switch error?.cause {
        case nil, .closedLocally: .connectionTerminatedByLocalHost
        case .closedByPeer(let status): status ?? .remoteUserTerminatedConnection
        case .linkLost(let status): status ?? .connectionTimeout
        default: .unspecifiedError
        }
    }
}
