// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

struct ATTSocketChannel: ATTChannel, ForwardingChannel {
    let peer: DeviceAddress
    let connectionHandle: UInt16?
    let maximumMTU: UInt16
    let hasFlowControl: Bool
    /// The index of the adapter; `nil` if the socket has no link.
    private let adapter: Int?
    let channel: SocketChannel

    /// The number of PDUs that wait for a slow consumer. Beyond it PDUs wait in the kernel's buffer. When that is full
    /// as well, the kernel drops PDUs, responses included, because the ATT channel of a link has no flow control. Both
    /// limits are therefore far above the rate of a device.
    private static let queueLimit = 16_384
    private static let kernelBuffer: Int32 = 1 << 20
    /// The limit if there is flow control: enough to keep the reader busy until the peer resumes sending.
    private static let heldBackQueueLimit = 1_024

    /// Takes over a connected socket. `refine` may replace the reason for the channel's end by a better one.
    init(
        _ socket: consuming OwnedFileDescriptor,
        peer: DeviceAddress,
        adapter: Int? = nil,
        hasFlowControl: Bool = false,
        during operation: String,
        on ioThread: IOThread,
        refine: @escaping @Sendable (RadioError) -> RadioError = { $0 }
    ) throws(RadioError) {
        self.peer = peer
        self.adapter = adapter
        // Asked now, because the kernel gives the handle only while the socket is connected.
        connectionHandle = L2CAPSocket.connectionHandle(of: socket)
        self.hasFlowControl = hasFlowControl
        // With flow control a full buffer loses nothing: the sender waits.
        if !hasFlowControl { socket.setReceiveBuffer(Self.kernelBuffer) }
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
                queueLimit: hasFlowControl ? Self.heldBackQueueLimit : Self.queueLimit,
                overflow: .pauseProducer,
                refine: refine
            )
        )
    }

    var security: LinkSecurity { channel.asking { L2CAPSocket.security(of: $0) } ?? .none }

    /// The properties that the kernel gives to every process: the role, and the last reported PHYs.
    var linkState: LinkState {
        var state = LinkState()
        guard let adapter else { return state }
        // No option of the socket gives the role. The list of links has it, and needs no privilege.
        if let connectionHandle {
            state.role = KernelConnections.role(of: connectionHandle, onAdapter: adapter)
        }
        if let phys = channel.asking({ L2CAPSocket.phys(of: $0) }) ?? nil {
            state.transmitPHY = phys.transmit
            state.receivePHY = phys.receive
        }
        return state
    }

    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        if try channel.suspend({ L2CAPSocket.raiseSecurity(of: $0, to: level) }) { return try await channel.drained() }
        // The kernel refuses a level that the link has already, and every level if it has no Security Manager for the
        // adapter or the socket has no link.
        let security = security
        let isMet = level == .low || security.isEncrypted && (level == .medium || security.isAuthenticated)
        guard isMet else { throw RadioError(.unsupported, during: channel.configuration.operation) }
    }
}
