// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The ATT channel of a link. The link ends with it, unless credit-based channels use it. The place of a channel whose
/// peer owes an answer stays taken then: ATT has no transaction numbers, and the next channel would take the answer for
/// its own.
final class LinkATTChannel: ATTChannel {
    /// The number of PDUs that wait for a slow consumer. Beyond it notifications are dropped first, because the oldest
    /// PDU may be a response that a task waits for.
    private static let queueLimit = 16_384

    let peer: DeviceAddress
    let operation: String
    let handle: ConnectionHandle
    private let host: ControllerHost
    /// The bearers that the peer has opened, and nobody has taken.
    private let bearers = BoundedQueue<LinkChannel>(
        limit: EnhancedChannelSignal.channelLimit,
        overflow: .dropOldest
    )
    /// Sees the frames of bearers; `nil` for nobody.
    let frameObserver = Mutex<FrameObserver?>(nil)
    /// When the request was sent whose answer the peer owes; `nil` if it owes none.
    private let asked = Mutex<Instant?>(nil)
    private let received = PacketQueue(limit: queueLimit, overflow: .dropOldest) { $0.first.map(isUnasked) ?? true }

    init(_ host: ControllerHost, _ handle: ConnectionHandle, _ peer: DeviceAddress, during operation: String) {
        self.host = host
        self.handle = handle
        self.peer = peer
        self.operation = operation
    }

    /// Whether a PDU with that opcode is a notification of one or of several values.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.7
    private static func isUnasked(_ opcode: UInt8) -> Bool { opcode == 0x1B || opcode == 0x23 }

    var connectionHandle: UInt16? { handle.rawValue }
    var linkState: LinkState { host.linkState(of: self) }
    var maximumMTU: UInt16 { ControllerHost.maximumMTU }
    var droppedCount: Int { received.droppedCount }
    var security: LinkSecurity { host.security(of: self) }

    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await received.next(atMost: 64) }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(maximumMTU) else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(maximumMTU)), during: operation)
        }
        if let end { throw end }
        try host.send(packet, on: self)
    }

    func drained() async throws(RadioError) {
        if let end { throw end }
        try await host.drained(handle, during: operation)
    }

    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) {
        guard level > .low else { return }
        if let end { throw end }
        try await host.raiseSecurity(of: self, to: level)
    }

    var enhancedBearerLimit: Int { EnhancedChannelSignal.channelLimit }

    func observeEnhancedBearers(_ observer: @escaping FrameObserver) { frameObserver.withLock { $0 = observer } }

    func openEnhancedBearers(_ count: Int) async throws(RadioError) -> [any L2CAPChannel] {
        if let end { throw end }
        return try await host.openBearers(count, of: self)
    }

    func acceptEnhancedBearer() async throws(RadioError) -> any L2CAPChannel {
        host.offerBearers(of: self, to: bearers)
        return try await bearers.next()
    }

    func hangUp(_ reason: RadioError) {
        end(reason)
        host.end(self)
    }

    func close() { hangUp(RadioError(.closedLocally, during: operation)) }

    /// Why the channel has ended; `nil` while it has not.
    var end: RadioError? { received.endReason }

    func deliver(_ packet: [UInt8]) {
        if Self.kind(of: packet) == .response { asked.withLock { $0 = nil } }
        received.push(packet)
    }

    /// Looks at the clock for requests only: most of what a server sends is none.
    func noteSent(_ packet: [UInt8], now: @autoclosure () -> Instant) {
        guard case .request? = Self.kind(of: packet) else { return }
        let now = now()
        asked.withLock { $0 = now }
    }

    /// Whether the next channel of the link can have the place of this one.
    func isGone(now: Instant) -> Bool {
        guard end != nil else { return false }
        return asked.withLock { $0.map { $0 + ATTBearer.transactionTimeout <= now } ?? true }
    }

    private static func kind(of packet: [UInt8]) -> ATTPDUKind? {
        packet.first.flatMap { ATTCatalog.format(of: ATTOpcode($0))?.kind }
    }

    func end(_ reason: RadioError) {
        received.finish(reason)
        bearers.finish(reason)
    }
}
