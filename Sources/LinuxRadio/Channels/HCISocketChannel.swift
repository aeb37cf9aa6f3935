// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ

/// A raw HCI socket on an adapter: hci(7), HCI_CHANNEL_RAW.
///
/// It shares the controller with the kernel and with every other program, and sees the answers to their commands as well as
/// to its own. The filter is set once.
struct HCISocketChannel: HCIChannel {
    private let channel: SocketChannel
    /// A raw socket is not told that its adapter was switched off: this is.
    private let watch: AdapterWatch?

    /// Advertisements do not stop for a slow consumer: so many packets wait, then the oldest are dropped and counted.
    private static let queueLimit = 16_384
    /// What the kernel takes and gives at most (HCI_MAX_FRAME_SIZE), with the packet indicator.
    private static let packetLimit = 1_028 + 1
    /// The kernel drops what its buffer has no room for. A report takes about a kilobyte there; the usual 208 KB are 200
    /// reports, a fraction of a second in a crowd.
    private static let kernelBuffer: Int32 = 8 << 20

    /// Opens a channel to an adapter.
    init(adapter index: Int, for use: HCIUse, on ioThread: IOThread) throws(RadioError) {
        let operation = "HCI socket of hci\(index)"
        let socket = try Self.socket(index: index, use == .host ? .host : .answers, operation)
        try self.init(socket, operation, watched: use == .host ? index : nil, on: ioThread)
    }

    /// Takes over a connected descriptor that carries HCI packets.
    init(
        _ socket: consuming OwnedFileDescriptor,
        _ operation: String,
        watched index: Int? = nil,
        on ioThread: IOThread
    ) throws(RadioError) {
        socket.setReceiveBuffer(Self.kernelBuffer)
        channel = try SocketChannel(
            socket,
            on: ioThread,
            .init(
                operation: operation,
                phase: .hci,
                receiveLimit: Self.packetLimit,
                sendLimit: Self.packetLimit,
                queueLimit: Self.queueLimit,
                overflow: .dropOldest
            )
        )
        watch = if let index { try AdapterWatch(adapter: index, ending: channel, on: ioThread) } else { nil }
    }

    private static func socket(
        index: Int,
        _ filter: HCIFilter,
        _ operation: String
    ) throws(RadioError) -> OwnedFileDescriptor {
        let socket = try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.rawHCI(adapter: Int32(index))
        }
        try RadioError.translating(.hci, "setsockopt", during: operation) { () throws(Errno) in
            try filter.apply(to: socket)
        }
        let granted = try RadioError.translating(.hci, "getsockopt", during: operation) { () throws(Errno) in
            try HCIFilter(of: socket)
        }
        // The kernel masks the filter of who lacks the capability: told now, rather than as a scan without reports.
        guard granted == filter else {
            throw RadioError(.permissionDenied(capability: "CAP_NET_RAW"), during: operation)
        }
        return socket
    }

    func receive() async throws(RadioError) -> [UInt8] { try await channel.receive() }
    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await channel.receiveWaiting() }
    var droppedCount: Int { channel.droppedCount }
    func send(_ packet: [UInt8]) throws(RadioError) { try channel.send(packet) }
    func drained() async throws(RadioError) { try await channel.drained() }
    func hangUp(_ reason: RadioError) { channel.hangUp(reason) }

    func close() {
        watch?.close()
        channel.close()
    }
}
