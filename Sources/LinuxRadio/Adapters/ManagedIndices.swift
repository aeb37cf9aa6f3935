// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The adapters that the management interface knows: set up, and not taken by an HCI user channel.
enum ManagedIndices {
    /// A reply has at most as many octets as an index list of 64 adapters, and then some.
    private static let packetLimit = 1_024

    /// Asks the kernel, which answers at once: no other thread is needed. `nil` where there is no answer.
    static func read() -> Set<Int>? {
        do throws(Errno) {
            let socket = try OwnedFileDescriptor.management()
            try socket.send(ReadControllerIndexList().packet(to: .none).encoded())
            // The kernel answers within send(2). Events about adapters may lie before the answer.
            while true {
                if let indices = indices(in: try socket.receive(limit: packetLimit)) { return indices }
            }
        } catch {
            return nil
        }
    }

    /// The content of the answer to Read Controller Index List; `nil` for any other packet.
    static func indices(in bytes: [UInt8]) -> Set<Int>? {
        do throws(DecodeError) {
            guard case .commandComplete(let event) = try ManagementEvent(try ManagementPacket(decoding: bytes)),
                event.opcode == ReadControllerIndexList.opcode, event.status == .success
            else { return nil }
            let list = try ReadControllerIndexList.returnParameters(decoding: event.returnParameters)
            return Set(list.adapters.map { Int($0.rawValue) })
        } catch {
            return nil
        }
    }
}
