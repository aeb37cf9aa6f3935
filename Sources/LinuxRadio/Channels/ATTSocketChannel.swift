// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The ATT channel of a link as a socket.
struct ATTSocketChannel: ATTChannel {
    let peer: DeviceAddress
    let connectionHandle: UInt16?
    let maximumMTU: UInt16
    private let channel: SocketChannel

    /// So many PDUs wait for a slow consumer before the kernel's flow control holds the device back.
    private static let queueLimit = 256

    /// Takes over a connected socket. `refine` may know a better reason for the channel's end.
    init(
        _ socket: consuming OwnedFileDescriptor,
        peer: DeviceAddress,
        during operation: String,
        on ioThread: IOThread,
        refine: @escaping @Sendable (RadioError) -> RadioError = { $0 }
    ) throws(RadioError) {
        self.peer = peer
        connectionHandle = L2CAPSocket.connectionHandle(of: socket)
        let limits = L2CAPSocket.packetLimits(of: socket)
        maximumMTU = limits.receive
        channel = try SocketChannel(
            socket,
            on: ioThread,
            .init(
                operation: operation,
                phase: .connected,
                receiveLimit: Int(limits.receive),
                sendLimit: Int(limits.send),
                queueLimit: Self.queueLimit,
                overflow: .pauseProducer,
                refine: refine
            )
        )
    }

    func receive() async throws(RadioError) -> [UInt8] { try await channel.receive() }
    var droppedCount: Int { channel.droppedCount }
    func send(_ packet: [UInt8]) throws(RadioError) { try channel.send(packet) }
    func drained() async throws(RadioError) { try await channel.drained() }
    func close() { channel.close() }
}
