// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The adapters that the management interface lists: set up, and not open as an HCI user channel.
enum ManagedIndices {
    /// More octets than an index list of 64 adapters needs.
    private static let packetLimit = 1_024

    /// Asks the kernel without the I/O thread, since it answers at once. `nil` if it does not answer.
    static func read() -> Set<Int>? {
        do throws(Errno) {
            let socket = try OwnedFileDescriptor.management()
            try socket.send(ReadControllerIndexList().packet(to: .none).encoded())
            // The kernel puts the answer into the socket during send(2). Events about adapters may come before it.
            while true {
                if let indices = indices(in: try socket.receive(limit: packetLimit)) { return indices }
            }
        } catch {
            return nil
        }
    }

    /// The indices in an answer to Read Controller Index List; `nil` for any other packet.
    static func indices(in bytes: [UInt8]) -> Set<Int>? {
        do throws(DecodeError) {
            guard
                case .known(let event as ManagementCommandCompleteEvent) = try ManagementEvent(
                    try ManagementPacket(decoding: bytes)
                ),
                event.opcode == ReadControllerIndexList.opcode, event.status == .success
            else { return nil }
            let list = try ReadControllerIndexList.returnParameters(decoding: event.returnParameters)
            return Set(list.adapters.map { Int($0.rawValue) })
        } catch {
            return nil
        }
    }
}
