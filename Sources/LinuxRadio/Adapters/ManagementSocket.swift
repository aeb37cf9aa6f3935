// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CBlueZ

/// The management interface of the kernel (HCI_CHANNEL_CONTROL), as far as everyone may use it.
///
/// Only commands without an adapter: the first one that names an adapter makes the kernel treat that adapter as managed,
/// which changes how it pairs. Listing must not do that.
enum ManagementSocket {
    /// Read Controller Index List, to no adapter, without parameters.
    private static let readIndexList: [UInt8] = [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00]
    /// A reply has at most as many octets as an index list of 64 adapters, and then some.
    private static let packetLimit = 1_024

    /// The adapters that the management interface knows: configured, and not taken by an HCI user channel. `nil` where
    /// there is no answer.
    static func indices() -> Set<Int>? {
        do throws(Errno) {
            let socket = try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_RAW, protocol: BTPROTO_HCI)
            try socket.bindHCI(index: HCI_DEV_NONE, channel: HCI_CHANNEL_CONTROL)
            try socket.send(readIndexList)
            // The kernel answers within send(2). Events about adapters may lie before the answer.
            while true {
                if let indices = indices(in: try socket.receive(limit: packetLimit)) { return indices }
            }
        } catch {
            return nil
        }
    }

    /// The content of the Command Complete event of Read Controller Index List; `nil` for any other packet.
    static func indices(in packet: [UInt8]) -> Set<Int>? {
        var reader = ByteReader(packet)
        do throws(DecodeError) {
            // Command Complete.
            guard try reader.uint16("event") == 0x0001 else { return nil }
            _ = try reader.uint16("adapter")
            _ = try reader.uint16("length")
            guard try reader.uint16("command") == 0x0003, try reader.uint8("status") == 0 else { return nil }
            var indices: Set<Int> = []
            for _ in 0..<(try reader.uint16("number of adapters")) {
                indices.insert(Int(try reader.uint16("adapter")))
            }
            return indices
        } catch {
            return nil
        }
    }
}
