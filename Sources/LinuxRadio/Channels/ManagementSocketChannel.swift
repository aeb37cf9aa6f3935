// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ

/// A socket of the kernel's management interface: HCI_CHANNEL_CONTROL, for which libbluetooth has no function.
///
/// The kernel answers a command during send(2). It checks CAP_NET_ADMIN once, when the socket is bound.
struct ManagementSocketChannel: ManagementChannel, ForwardingChannel {
    private static let operation = "management socket"
    /// The largest packet: a header of 6 octets and a length field of 16 bits. Lists of the kernel may be that long.
    private static let packetLimit = 6 + 65_535
    /// The number of events that wait for a slow consumer. Beyond it the oldest are dropped.
    private static let queueLimit = 1_024

    let channel: SocketChannel

    init(on ioThread: IOThread) throws(RadioError) {
        let socket = try RadioError.translating(.management, "socket", during: Self.operation) { () throws(Errno) in
            try OwnedFileDescriptor.management()
        }
        try self.init(socket, on: ioThread)
    }

    /// Takes over a connected descriptor that carries management packets.
    init(_ socket: consuming OwnedFileDescriptor, on ioThread: IOThread) throws(RadioError) {
        channel = try SocketChannel(
            socket,
            on: ioThread,
            .init(
                operation: Self.operation,
                phase: .management,
                receiveLimit: Self.packetLimit,
                sendLimit: Self.packetLimit,
                queueLimit: Self.queueLimit,
                overflow: .dropOldest
            )
        )
    }
}

extension OwnedFileDescriptor {
    /// Opens a socket of the management interface, which belongs to no adapter.
    static func management() throws(Errno) -> OwnedFileDescriptor {
        let socket = try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_RAW, protocol: BTPROTO_HCI)
        try socket.bindHCI(index: HCI_DEV_NONE, channel: HCI_CHANNEL_CONTROL)
        return socket
    }
}
