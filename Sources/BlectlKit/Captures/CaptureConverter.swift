// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Turns what passes the seam into the records of a capture, as if all of it had passed a controller.
///
/// HCI packets are kept as they are. ATT PDUs, which have a socket of their own, become ACL data; and because a program does
/// not see the link of such a socket come and go, the events that announce it are added where no controller has announced
/// it. Packets of the management interface are left out: the datalink has no place for them, and they carry keys.
struct CaptureConverter {
    /// The kind of the records that are written.
    static let datalink = BTSnoopDatalink.h4
    /// The handles for links whose own handle is not known: the last ones that a controller may use.
    static let madeUpHandles: ClosedRange<UInt16> = 0x0E00...0x0EFF

    /// The connections by the number of their ATT channel.
    private var connections: [Int: ConnectionHandle] = [:]
    /// The connections that an event has announced, until one has announced their end.
    private var announced: Set<ConnectionHandle> = []

    /// The records of a packet; none for one that is left out.
    mutating func records(of packet: TappedPacket) -> [BTSnoopRecord] {
        let direction: CapturedPacket.Direction = packet.direction == .sent ? .sent : .received
        switch packet.channel {
        case .management: return []
        case .hci:
            watch(packet.bytes)
            return [record(packet.bytes, direction, packet.wall)]
        case .att:
            guard let number = packet.link, let connection = connections[number] else { return [] }
            let frame = L2CAPFrame(.att, packet.bytes)
            let data = HCIACLPacket(frame, on: connection, isFromHost: direction == .sent)
            return [record(HCIPacket.acl(data).encoded(), direction, packet.wall)]
        case .l2cap:
            guard let number = packet.link, let connection = connections[number],
                let frame = try? L2CAPFrame(decoding: packet.bytes)
            else { return [] }
            let data = HCIACLPacket(frame, on: connection, isFromHost: direction == .sent)
            return [record(HCIPacket.acl(data).encoded(), direction, packet.wall)]
        }
    }

    /// The records of the beginning or the end of a link; none if its controller has announced that.
    mutating func records(of link: TappedLink) -> [BTSnoopRecord] {
        switch link.change {
        case .opened:
            guard let connection = link.connectionHandle.map({ ConnectionHandle(rawValue: $0) }) ?? freeHandle else {
                return []
            }
            connections[link.number] = connection
            guard announced.insert(connection).inserted else { return [] }
            let event = LEConnectionCompleteEvent(
                connection,
                role: link.role,
                peer: DeviceAddress(link.device.address, link.device.type.connectionType),
                // A program with an ATT socket does not learn the parameters of its link, so zeros are written.
                interval: LEInterval(rawValue: 0),
                latency: 0,
                supervisionTimeout: LEInterval(rawValue: 0)
            )
            return [record(of: event, link.wall)]
        case .ended(let error):
            guard let connection = connections.removeValue(forKey: link.number),
                announced.remove(connection) != nil
            else { return [] }
            return [record(of: DisconnectionCompleteEvent(connection, reason: Self.reason(of: error)), link.wall)]
        }
    }

    /// The first handle that no open link has.
    private var freeHandle: ConnectionHandle? {
        Self.madeUpHandles.lazy.map { ConnectionHandle(rawValue: $0) }.first { !announced.contains($0) }
    }

    /// Notes which connections a controller announces.
    private mutating func watch(_ packet: [UInt8]) {
        guard packet.first == 0x04, let packet = try? HCIPacket(decoding: packet), case .event(let event) = packet,
            event.code == .leMeta || event.code == .disconnectionComplete
        else { return }
        switch try? HCIEvent(event) {
        case .leConnectionComplete(let event) where event.status == .success: announced.insert(event.connection)
        case .leEnhancedConnectionComplete(let event) where event.connection.status == .success:
            announced.insert(event.connection.connection)
        case .disconnectionComplete(let event) where event.status == .success: announced.remove(event.connection)
        default: break
        }
    }

    /// The record of an event as a controller would have sent it.
    private func record(of event: some HCIEventParameters, _ wall: WallTime) -> BTSnoopRecord {
        record(HCIPacket.event(event.packet).encoded(), .received, wall)
    }

    /// A record of an H4 packet. The wall time has nanoseconds, and the format microseconds.
    private func record(
        _ packet: [UInt8],
        _ direction: CapturedPacket.Direction,
        _ wall: WallTime
    ) -> BTSnoopRecord {
        let timestamp = BTSnoopTimestamp(microsecondsSince1970: floorDivision(wall.nanoseconds, 1_000).quotient)
        return CapturedPacket.record(hci: packet, direction, in: Self.datalink, at: timestamp)
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
