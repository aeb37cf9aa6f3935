// SPDX-License-Identifier: MIT

package import Bluetooth

/// A packet between a host and its controller, or a remark beside them, as a capture has it.
package struct CapturedPacket: Hashable, Sendable {
    /// The direction of a packet, as seen by the host.
    package enum Direction: Hashable, Sendable {
        /// To the controller, or to the kernel.
        case sent
        /// From the controller, or from the kernel.
        case received
    }

    package enum Content: Hashable, Sendable {
        /// An HCI packet with its packet indicator as first octet.
        case hci([UInt8])
        /// A packet of a program to the kernel's management interface, or the kernel's to it.
        case management(ManagementPacket)
        /// A remark of the program that has written the file, or of another one; not safe to print.
        case note(String)
        /// An adapter was added, removed, opened, closed or described, in words.
        case adapter(String)
        /// Another record, by the number of its kind.
        case other(UInt16, [UInt8])
    }

    /// The adapter; `nil` if the datalink does not record it.
    package let adapter: ManagementIndex?
    package let direction: Direction
    package let content: Content

    /// Creates a packet.
    ///
    /// - Parameters:
    ///   - content: What was captured.
    ///   - adapter: The adapter; `nil` if it is not known.
    package init(_ content: Content, _ direction: Direction, adapter: ManagementIndex? = nil) {
        self.content = content
        self.direction = direction
        self.adapter = adapter
    }
}

extension CapturedPacket {
    /// The packet in a record of a file. Throws if the datalink is unknown, or if the record does not fit it.
    package init(_ record: BTSnoopRecord, of datalink: BTSnoopDatalink) throws(DecodeError) {
        switch datalink {
        case .h4: self.init(.hci(record.data), record.flags & 1 == 0 ? .sent : .received)
        case .unencapsulatedHCI:
            let direction = record.flags & 1 == 0 ? Direction.sent : .received
            // Bit 1 marks commands and events; the direction shows which of the two it is.
            let indicator: UInt8 = record.flags & 2 == 0 ? 0x02 : direction == .sent ? 0x01 : 0x04
            self.init(.hci([indicator] + record.data), direction)
        case .linuxMonitor: try self.init(monitor: record)
        default: throw DecodeError("datalink type", .invalid(value: UInt64(datalink.rawValue)))
        }
    }

    /// The record of an HCI packet in a file with that datalink.
    ///
    /// - Parameters:
    ///   - packet: The HCI packet with its indicator.
    ///   - datalink: The datalink of the file; an unknown one counts as `h4`.
    ///   - adapter: The adapter, for datalinks that have it.
    ///   - timestamp: When the packet passed.
    package static func record(
        hci packet: [UInt8],
        _ direction: Direction,
        in datalink: BTSnoopDatalink,
        adapter: ManagementIndex = ManagementIndex(0),
        at timestamp: BTSnoopTimestamp
    ) -> BTSnoopRecord {
        let indicator = packet.first ?? 0
        let isReceived: UInt32 = direction == .received ? 1 : 0
        let isControl: UInt32 = indicator == 0x01 || indicator == 0x04 ? 2 : 0
        switch datalink {
        case .unencapsulatedHCI:
            return BTSnoopRecord(Array(packet.dropFirst()), flags: isControl | isReceived, at: timestamp)
        case .linuxMonitor:
            let opcode = MonitorOpcode(indicator: indicator, direction)
            let flags = UInt32(adapter.rawValue) << 16 | UInt32(opcode.rawValue)
            return BTSnoopRecord(Array(packet.dropFirst()), flags: flags, at: timestamp)
        default: return BTSnoopRecord(packet, flags: isControl | isReceived, at: timestamp)
        }
    }
}
