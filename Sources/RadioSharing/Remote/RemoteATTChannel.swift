// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The ATT channel of a radio in another process.
struct RemoteATTChannel: ATTChannel, ForwardingChannel {
    /// The connection to the other process, which carries the PDUs.
    let channel: RemoteChannel
    /// The description of the link that the other process sent when it was made.
    let link: RemotePacket.Link
    /// The machine that the link is one of; `nil` for the link of a session, whose security this process cannot change.
    var machine: RemoteMachine?
    let enhancedBearerLimit: Int
    /// What the enhanced bearers of the link need.
    private let bearers = RemoteBearers()

    init(channel: RemoteChannel, link: RemotePacket.Link, machine: RemoteMachine?, enhancedBearerLimit: Int) {
        self.channel = channel
        self.link = link
        self.machine = machine
        self.enhancedBearerLimit = enhancedBearerLimit
    }

    var peer: DeviceAddress { link.peer }
    /// The handle of the link in the other process.
    var connectionHandle: UInt16? { link.connectionHandle }
    /// The largest MTU that the other process can receive.
    var maximumMTU: UInt16 { link.maximumMTU }
    /// The security that the other process sent last.
    var security: LinkSecurity {
        connectionHandle.flatMap { machine?.state.security(of: $0) } ?? link.security
    }

    /// Sends a PDU to the other process. A PDU that is too long is refused here, with the error that a local
    /// channel has.
    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(link.maximumMTU) else {
            let cause = RadioError.Cause.packetTooLong(packet.count, limit: Int(link.maximumMTU))
            throw RadioError(cause, during: "link to \(peer.address)")
        }
        try channel.send(packet)
    }

    /// Asks the other process to raise the security, over a separate connection.
    ///
    /// Throws `unsupported` for the link of a session: its owner decides about its security.
    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        let operation = "encryption of the link to \(peer.address)"
        guard level > .low else { return }
        guard let machine, let connectionHandle else { throw RadioError(.unsupported, during: operation) }
        let request = RemoteRequest.raise(machine.member, link: connectionHandle, level)
        let raising = try machine.open(request, during: operation, lost: .linkLost(nil))
        defer { raising.close() }
        while true {
            // Other packets are news of the link's security, which the channel has taken already.
            if case .opened = try await raising.next() { return }
        }
    }

    func observeEnhancedBearers(_ observer: @escaping FrameObserver) { bearers.observe(observer) }

    /// Asks the other process for bearers, and takes them over.
    func openEnhancedBearers(_ count: Int) async throws(RadioError) -> [any L2CAPChannel] {
        guard enhancedBearerLimit > 0 else { return [] }
        let listener = try listener(asking: UInt8(clamping: count))
        defer { listener.close() }
        return try await listener.acceptAll()
    }

    func acceptEnhancedBearer() async throws(RadioError) -> any L2CAPChannel {
        try await bearers.arrivals { () throws(RadioError) in try listener(asking: 0) }.accept()
    }

    private func listener(asking count: UInt8) throws(RadioError) -> RemoteL2CAPListener {
        let operation = "enhanced bearers to \(peer.address)"
        guard let machine, let connectionHandle else { throw RadioError(.unsupported, during: operation) }
        let frames = machine.arrivingFrames(of: bearers.observer)
        let wish = RemoteRequest.bearers(machine.member, link: connectionHandle, count: count)
        do throws(RadioError) {
            let request = frames.map { .observed(by: $0.number, wish) } ?? wish
            let channel = try machine.open(request, during: operation, lost: .linkLost(nil))
            return RemoteL2CAPListener(arrivals: RemoteArrivals(channel: channel, machine: machine), frames: frames)
        } catch {
            frames?.close()
            throw error
        }
    }
}

/// The observer of the enhanced bearers of a link, and those that its peer opens.
private final class RemoteBearers: Sendable {
    private let state = Mutex<(observer: FrameObserver?, arrivals: RemoteL2CAPListener?)>((nil, nil))

    var observer: FrameObserver? { state.withLock { $0.observer } }

    func observe(_ observer: @escaping FrameObserver) { state.withLock { $0.observer = observer } }

    /// The bearers that the peer opens, which the first caller asks for.
    func arrivals(_ ask: () throws(RadioError) -> RemoteL2CAPListener) throws(RadioError) -> RemoteL2CAPListener {
        if let arrivals = state.withLock({ $0.arrivals }) { return arrivals }
        let arrivals = try ask()
        state.withLock { $0.arrivals = arrivals }
        return arrivals
    }
}
