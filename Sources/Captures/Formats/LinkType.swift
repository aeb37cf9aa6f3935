// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// How the packets of a pcap or pcapng file are encapsulated.
///
/// Spec: https://www.tcpdump.org/linktypes.html
struct LinkType: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt16

    /// 187, LINKTYPE_BLUETOOTH_HCI_H4: HCI packets with their indicator.
    static let h4 = Self(rawValue: 187)
    /// 201, LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR: the same behind four octets with the direction.
    static let h4WithDirection = Self(rawValue: 201)
    /// 254, LINKTYPE_BLUETOOTH_LINUX_MONITOR: packets of the kernel's monitor socket, behind adapter and opcode.
    static let linuxMonitor = Self(rawValue: 254)

    /// Whether the packets are those between a host and its controller.
    var isHCI: Bool { self == .h4 || self == .h4WithDirection || self == .linuxMonitor }

    /// The name that Wireshark and tcpdump have for it, or what is known of it; `nil` for other networks.
    var traffic: Traffic? {
        switch rawValue {
        // BR/EDR baseband, LE link layer, both with a header, nRF Sniffer.
        case 255, 251, 256, 272: .air
        // usbmon in two forms, USBPcap of Windows, and macOS.
        case 189, 220, 249, 266: .usb
        default: nil
        }
    }

    enum Traffic { case air, usb }

    /// The packet in a record of such a file.
    ///
    /// - Parameters:
    ///   - octets: The octets of the record.
    ///   - direction: The direction that the file tells beside them; `nil` if it does not.
    ///   - adapter: The adapter that the file tells beside them; `nil` if it does not.
    func content(
        _ octets: [UInt8],
        _ direction: CapturedPacket.Direction? = nil,
        adapter: ManagementIndex? = nil
    ) -> CapturedRecord.Content {
        do throws(DecodeError) {
            var reader = ByteReader(octets)
            switch self {
            case .h4WithDirection:
                let flags = try reader.uint32BigEndian("direction")
                let direction: CapturedPacket.Direction = flags & 1 == 0 ? .sent : .received
                return .packet(CapturedPacket(.hci(reader.rest()), direction, adapter: adapter))
            case .linuxMonitor:
                let adapter = try reader.uint16BigEndian("adapter")
                let opcode = try reader.uint16BigEndian("opcode")
                let flags = UInt32(adapter) << 16 | UInt32(opcode)
                let record = BTSnoopRecord(reader.rest(), flags: flags, at: .unixEpoch)
                return .packet(try CapturedPacket(record, of: .linuxMonitor))
            default:
                let direction = direction ?? Self.direction(ofH4: octets)
                return .packet(CapturedPacket(.hci(octets), direction, adapter: adapter))
            }
        } catch {
            return .malformed(error, octets)
        }
    }

    /// The direction of a packet in H4, where the file does not tell it. Of data, only the first part of what a host
    /// sends to an LE controller has a flag of its own.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 5.4.2
    private static func direction(ofH4 octets: [UInt8]) -> CapturedPacket.Direction {
        switch octets.first {
        case 0x01: .sent
        case 0x02 where octets.count > 2: octets[2] & 0x30 == 0 ? .sent : .received
        default: .received
        }
    }
}
