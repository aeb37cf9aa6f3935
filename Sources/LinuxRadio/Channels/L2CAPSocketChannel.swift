// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A credit-based channel over a socket. The kernel counts the credits: a socket whose peer gives none has no room.
struct L2CAPSocketChannel: L2CAPChannel, ForwardingChannel {
    let peer: DeviceAddress
    let connectionHandle: UInt16?
    let spsm: SPSM
    let receiveMTU: UInt16
    let sendMTU: UInt16
    let channel: SocketChannel

    /// The number of units that wait for a slow consumer in this process. Further units wait in the kernel's buffer,
    /// and hold the peer back when that is full. Kernels before 6.10 give credits without looking at the buffer; they
    /// disconnect the channel when it overflows.
    private static let queueLimit = 64
    private static let kernelBuffer: Int32 = 4 << 20
    /// The room for received units in one call, in octets. A unit can have 65,535 octets, so the number of units in one
    /// call depends on their maximum length.
    private static let roomPerCall = 1 << 18

    /// Takes over a connected socket. `refine` may replace the reason for the channel's end by a better one.
    init(
        _ socket: consuming OwnedFileDescriptor,
        peer: DeviceAddress,
        spsm: SPSM,
        during operation: String,
        on ioThread: IOThread,
        refine: @escaping @Sendable (RadioError) -> RadioError = { $0 }
    ) throws(RadioError) {
        self.peer = peer
        self.spsm = spsm
        connectionHandle = L2CAPSocket.connectionHandle(of: socket)
        socket.setReceiveBuffer(Self.kernelBuffer)
        let limits = L2CAPSocket.unitLimits(of: socket)
        (receiveMTU, sendMTU) = limits
        // One octet more than a unit may have shows that a unit is too long.
        let perCall = min(max(Self.roomPerCall / (Int(limits.receive) + 1), 1), OwnedFileDescriptor.mostPackets)
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
                packetsPerCall: perCall,
                refine: refine
            )
        )
    }

    /// More than the content, because the kernel counts memory.
    var unsentOctets: Int { channel.asking { $0.unsentMemory() } ?? 0 }
}

/// Finds a device's answer to the request for a credit-based channel in the data of links.
struct ChannelAnswers {
    /// The time in which the answer, which the kernel has seen already, arrives on another socket.
    private static let arrivalTime = Duration.milliseconds(100)

    // The data of all links pass here. An identifier is unique only on its link.
    private struct Request: Hashable {
        let connection: ConnectionHandle
        let identifier: UInt8
    }

    private let spsm: SPSM
    private var requests: Set<Request> = []

    init(of spsm: SPSM) { self.spsm = spsm }

    /// The result of the last request for a service; `nil` if there is no answer in the packets that have arrived.
    static func result(
        of spsm: SPSM,
        in data: any HCIChannel,
        _ time: any TimeSource
    ) async -> LECreditBasedConnectionResult? {
        // Without the answer, the refusal is reported without its reason.
        try? await withDeadline(time.now + arrivalTime, time, operation: "answer") {
            var answers = ChannelAnswers(of: spsm)
            while true {
                if let result = answers.take(try await data.receive()) { return result }
            }
        }
    }

    /// Takes the next packet. Returns the result if it refuses a channel of the service.
    mutating func take(_ packet: [UInt8]) -> LECreditBasedConnectionResult? {
        // A signal fits into one packet, so that a continuation (flag 0b01) has none.
        guard case .acl(let data)? = try? HCIPacket(decoding: packet), data.flags & 0b11 != 0b01,
            let frame = try? L2CAPFrame(decoding: data.data), frame.channel == .leSignaling,
            let command = try? L2CAPCommand(decoding: frame.payload)
        else { return nil }
        let request = Request(connection: data.connection, identifier: command.identifier)
        switch command.signal {
        case .connectionRequest(let content) where content.spsm == spsm:
            requests.insert(request)
            return nil
        case .connectionResponse(let response) where response.result != .successful:
            return requests.contains(request) ? response.result : nil
        default: return nil
        }
    }
}
