// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ

/// A raw HCI socket on an adapter: hci(7), HCI_CHANNEL_RAW.
///
/// The socket shares the controller with the kernel and with other programs, and receives the answers to their commands
/// as well as to its own. The filter is set once.
struct HCISocketChannel: HCIChannel, ForwardingChannel {
    let channel: SocketChannel
    /// Ends the channel with its adapter, because the kernel does not report that on this socket.
    private let watch: AdapterWatch?

    /// The number of packets that wait for a slow consumer. Beyond it the oldest are dropped and counted, because
    /// advertisements cannot be held back.
    private static let queueLimit = 16_384
    /// The largest packet that the kernel takes and gives (HCI_MAX_FRAME_SIZE), with the packet indicator.
    private static let packetLimit = 1_028 + 1
    /// The size of the kernel's receive buffer, in octets. When it is full, the kernel drops packets. A report takes
    /// about a kilobyte there, so that the default of 208 KB holds 200 reports: a fraction of a second in a crowd.
    private static let kernelBuffer: Int32 = 8 << 20

    init(adapter index: Int, for use: HCIUse, on ioThread: IOThread) throws(RadioError) {
        let operation = "HCI socket of hci\(index)"
        let filter: HCIFilter =
            switch use {
            case .host: .host
            case .questions: .answers
            case .securityManager: .dataOfLinks
            }
        let socket = try Self.socket(index: index, filter, operation)
        // Only a host waits for packets without a deadline. The other uses end by themselves.
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

    /// A raw socket with the filter. Throws if the kernel has not granted all of it.
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
        // The kernel removes parts of the filter if the capability is missing. Failing here is better than a scan that
        // never receives a report.
        guard granted == filter else {
            throw RadioError(.permissionDenied(capability: "CAP_NET_RAW"), during: operation)
        }
        return socket
    }

    /// The address of the adapter that has an index now; `nil` if there is none, or it is down.
    func address(ofAdapter index: Int) -> BluetoothAddress? {
        channel.asking { KernelAdapters.address(ofAdapter: index, $0) } ?? nil
    }

    func close() {
        watch?.close()
        channel.close()
    }
}
