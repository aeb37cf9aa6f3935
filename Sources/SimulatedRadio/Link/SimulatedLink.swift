// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// A connection between two ends: two delay lines with a common end. The near end is an adapter; the far end, here
/// called the device, is a device of the world, a visitor, or another adapter.
final class SimulatedLink: Sendable {
    /// The causes of a link's end, and its delay.
    struct Ending: Sendable {
        /// The error for users of the near channel.
        let cause: RadioError.Cause
        /// The reason in the Disconnection Complete of the near adapter.
        let reason: HCIStatus
        /// The error for users of the far channel.
        let farCause: RadioError.Cause
        /// The reason in the Disconnection Complete of the far adapter.
        let farReason: HCIStatus
        /// The time until both sides know.
        let delay: Duration
    }

    /// The properties of a link that can change.
    struct Shape: Hashable, Sendable {
        var interval: Duration
        /// The number of connection events that the peripheral may leave out.
        var latency: UInt16 = 0
        /// The supervision timeout of the controllers; by default the value that Linux requests.
        var supervisionTimeout = Duration.milliseconds(420)
        /// The PHY, which is the same in both directions.
        var phy = LEPHY.le1M
        /// The largest packet that the host's controller sends, in octets.
        var dataLength: Int
    }

    let handle: ConnectionHandle
    let peer: DeviceAddress
    /// The link parameters that the device supports and requests, which bound all changes.
    let parameters: SimulatedDevice.Link
    /// The PDUs that the device sent.
    let received = ReceiveBuffer()
    /// The credit-based channels at this end.
    let near: LinkChannels
    /// The credit-based channels at the other end.
    let far: LinkChannels
    /// Whether the near end's host has the ATT channel. Without it, the link lasts as long as a credit-based channel.
    private let hasATT = Mutex(true)
    /// The direction from the near to the far end.
    private let toDevice: DelayLine
    /// The direction from the far to the near end.
    private let toCentral: DelayLine
    private let shape: Mutex<Shape>
    private let protection: Mutex<LinkSecurity>
    /// How the link has ended; `nil` while it is open. Set once.
    private let ending = Mutex<Ending?>(nil)
    /// Passes the end of the link to `run`, which waits for it.
    private let endings: AsyncStream<Ending>
    /// The sending end of `endings`.
    private let endInput: AsyncStream<Ending>.Continuation

    /// Creates an open link, whose connection events begin at the anchor.
    init(_ handle: ConnectionHandle, peer: DeviceAddress, parameters: SimulatedDevice.Link, anchor: Instant) {
        self.handle = handle
        self.peer = peer
        self.parameters = parameters
        protection = Mutex(parameters.security)
        shape = Mutex(Shape(interval: parameters.interval, dataLength: parameters.dataLength))
        toDevice = DelayLine(ConnectionEvents(anchor: anchor, link: parameters))
        toCentral = DelayLine(ConnectionEvents(anchor: anchor, link: parameters))
        // One ending is kept, because the link may end before `run` waits for it.
        (endings, endInput) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        near = LinkChannels(sendingOn: toDevice, during: "link to \(peer.address)")
        far = LinkChannels(sendingOn: toCentral, during: "link to \(peer.address)")
    }

    var operation: String { "link to \(peer.address)" }

    /// Whether neither side has begun to close the link.
    var isOpen: Bool { ending.withLock { $0 == nil } }

    // MARK: - The two sides

    func sendToDevice(_ bytes: [UInt8], now: Instant) throws(RadioError) {
        if let ending = ending.withLock({ $0 }) { throw RadioError(ending.cause, during: operation) }
        toDevice.send(L2CAPFrame(.att, bytes), now: now)
    }

    /// Suspends until the host may send more.
    func drained() async throws(RadioError) {
        await toDevice.drained()
        if Task.isCancelled { throw RadioError(.cancelled, during: operation) }
        if let ending = ending.withLock({ $0 }) { throw RadioError(ending.cause, during: operation) }
    }

    /// Suspends until the device may send more. Returns at once after the link's end.
    func drainedToCentral() async { await toCentral.drained() }

    /// The error for users of the near channel; `nil` while the link is open.
    var nearError: RadioError? { ending.withLock { $0?.cause }.map { RadioError($0, during: operation) } }

    /// The error for users of the far channel; `nil` while the link is open.
    var farError: RadioError? { ending.withLock { $0?.farCause }.map { RadioError($0, during: operation) } }

    /// Sends a PDU of the device. PDUs of a closing link are lost, as on the air.
    func sendToCentral(_ bytes: [UInt8], now: Instant) {
        guard ending.withLock({ $0 }) == nil else { return }
        toCentral.send(L2CAPFrame(.att, bytes), now: now)
    }

    /// Closes the link from the host's side, or because the adapter is gone or down. Nothing is received from now on.
    ///
    /// - Parameter reason: What the far end is told; `nil` for what follows from the cause.
    func closeByHost(_ cause: RadioError.Cause = .closedLocally, telling reason: HCIStatus? = nil) {
        let farReason = reason ?? .seenByPeer(closing: cause)
        let ending = Ending(
            cause: cause,
            reason: .connectionTerminatedByLocalHost,
            farCause: .closedByPeer(farReason),
            farReason: farReason,
            // LL_TERMINATE_IND goes out at the next connection event.
            delay: currentShape.interval
        )
        end(ending)
        received.finish(RadioError(cause, during: operation))
        near.end(RadioError(cause, during: operation))
    }

    /// Ends the ATT channel of the near end. The link ends with it, unless there are credit-based channels.
    func closeATT() {
        // Before the check, so that a channel that ends at the same time sees that nothing else uses the link.
        hasATT.withLock { $0 = false }
        guard near.isIdle else { return received.finish(RadioError(.closedLocally, during: operation)) }
        closeByHost()
    }

    /// The last credit-based channel of the near end has ended.
    private func channelsEnded() {
        if !hasATT.withLock({ $0 }), isOpen { closeByHost() }
    }

    /// Closes the link from the device's side. If the reason is a connection timeout, the device falls silent instead,
    /// and the end is noticed only after the supervision timeout.
    ///
    /// - Parameter farCause: The error for users of the far channel, unless the link is lost.
    func closeByDevice(_ reason: HCIStatus, _ farCause: RadioError.Cause = .closedLocally) {
        let isLost = reason == .connectionTimeout || reason == .linkLayerResponseTimeout
        let shape = currentShape
        let ending = Ending(
            cause: isLost ? .linkLost(reason) : .closedByPeer(reason),
            reason: reason,
            farCause: isLost ? .linkLost(reason) : farCause,
            farReason: isLost ? reason : .connectionTerminatedByLocalHost,
            delay: reason == .connectionTimeout ? shape.supervisionTimeout : shape.interval
        )
        end(ending)
    }

    /// Sets the ending; only the first one counts.
    private func end(_ new: Ending) {
        let isFirst = ending.withLock { ending in
            guard ending == nil else { return false }
            ending = new
            return true
        }
        if isFirst { endInput.yield(new) }
    }

    // MARK: - Security

    var security: LinkSecurity { protection.withLock { $0 } }

    func become(_ security: LinkSecurity) { protection.withLock { $0 = security } }

    /// Encrypts the link with the key of the bond, if there is one that is good enough. Returns whether it is
    /// encrypted.
    func encrypt(for level: SecurityLevel) -> Bool {
        protection.withLock { security in
            // The level above `high` needs a key of Secure Connections with its full length, as in Linux.
            let isGoodEnough =
                level <= .medium
                || security.isAuthenticated
                    && (level == .high || security.isSecureConnections && security.keySize == 16)
            guard security.hasBond || security.isEncrypted, isGoodEnough else { return false }
            security.isEncrypted = true
            return true
        }
    }

    // MARK: - Shape

    var currentShape: Shape { shape.withLock { $0 } }

    /// Changes the connection parameters. Takes the largest allowed interval, as controllers prefer it.
    func update(_ new: LEConnectionParameters, now: Instant) {
        shape.withLock { shape in
            shape.interval = new.maximumInterval.duration
            shape.latency = new.latency
            shape.supervisionTimeout = new.supervisionTimeout.duration
        }
        for line in [toDevice, toCentral] {
            line.change { $0.change(interval: new.maximumInterval.duration, now: now) }
        }
    }

    /// Changes to the fastest PHY that the host wants and the device supports.
    func choosePHY(_ preference: LEPHYPreference) {
        let wanted = (preference.transmit ?? .all).intersection(preference.receive ?? .all)
        let possible = wanted.intersection(parameters.phys)
        guard !possible.isEmpty else { return }
        let phy: LEPHY = possible.contains(.le2M) ? .le2M : possible.contains(.le1M) ? .le1M : .coded
        shape.withLock { $0.phy = phy }
        for line in [toDevice, toCentral] { line.change { $0.change(phy: phy, link: parameters) } }
    }

    /// Changes the length of the host's packets, within the device's limit. Returns whether it changed.
    func setDataLength(_ octets: UInt16) -> Bool {
        let length = min(Int(octets), parameters.dataLength)
        let isOther = shape.withLock { shape in
            defer { shape.dataLength = length }
            return shape.dataLength != length
        }
        toDevice.change { $0.dataLength = length }
        return isOther
    }

    // MARK: - Life

    /// Carries PDUs until the link has ended or the task is cancelled. Returns the cause.
    func run(_ time: any TimeSource, deliver: @escaping @Sendable ([UInt8]) async -> Void) async -> Ending {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [toDevice, far] in
                await toDevice.run(time) { [self] frame in
                    if frame.channel == .att { return await deliver(frame.payload) }
                    far.received(frame, security: security, now: time.now)
                }
            }
            group.addTask { [toCentral, received, near] in
                await toCentral.run(time) { [self] frame in
                    if frame.channel == .att { return received.push(frame.payload) }
                    near.received(frame, security: security, now: time.now)
                    if near.isIdle { channelsEnded() }
                }
            }
            for await ending in endings {
                // PDUs that are on their way still arrive during the delay.
                try? await time.sleep(for: ending.delay)
                break
            }
            group.cancelAll()
        }
        // If the task was cancelled, the link ends as if the host had closed it.
        let cancelled = Ending(
            cause: .closedLocally,
            reason: .connectionTerminatedByLocalHost,
            farCause: .closedByPeer(.remoteUserTerminatedConnection),
            farReason: .remoteUserTerminatedConnection,
            delay: .zero
        )
        end(cancelled)
        toDevice.close()
        toCentral.close()
        let last = ending.withLock { $0 } ?? cancelled
        near.end(RadioError(last.cause, during: operation))
        far.end(RadioError(last.farCause, during: operation))
        return last
    }

    /// Ends the host's channel. Called last, so that a host that sees the end finds everything about it done.
    func finish() {
        received.finish(RadioError(ending.withLock { $0?.cause } ?? .closedLocally, during: operation))
    }
}

extension HCIStatus {
    /// The reason that the other side sees if an adapter closes a link for that cause.
    fileprivate static func seenByPeer(closing cause: RadioError.Cause) -> HCIStatus {
        switch cause {
        case .adapterDown: .remoteDeviceTerminatedConnectionPowerOff
        case .adapterRemoved: .connectionTimeout
        default: .remoteUserTerminatedConnection
        }
    }
}

extension LEPHYSet {
    /// Every PHY, which a host means that has no preference.
    fileprivate static let all: LEPHYSet = [.le1M, .le2M, .coded]
}
