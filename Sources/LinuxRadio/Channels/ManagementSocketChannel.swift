// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ

/// A socket of the kernel's management interface: HCI_CHANNEL_CONTROL, which libbluetooth has no function for.
///
/// The kernel answers within send(2). It takes note of the capability when the socket is bound.
struct ManagementSocketChannel: ManagementChannel {
    private static let operation = "management socket"
    /// The kernel's events are as long as what controllers report, and its lists as long as somebody made them.
    private static let packetLimit = 6 + 65_535
    /// So many events wait for a slow consumer, then the oldest are dropped.
    private static let queueLimit = 1_024

    private let channel: SocketChannel

    /// Opens a channel.
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

    func receive() async throws(RadioError) -> [UInt8] { try await channel.receive() }
    var droppedCount: Int { channel.droppedCount }
    func send(_ packet: [UInt8]) throws(RadioError) { try channel.send(packet) }
    func drained() async throws(RadioError) { try await channel.drained() }
    func close() { channel.close() }
}

extension OwnedFileDescriptor {
    /// A socket of the management interface.
    static func management() throws(Errno) -> OwnedFileDescriptor {
        let socket = try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_RAW, protocol: BTPROTO_HCI)
        try socket.bindHCI(index: HCI_DEV_NONE, channel: HCI_CHANNEL_CONTROL)
        return socket
    }
}
