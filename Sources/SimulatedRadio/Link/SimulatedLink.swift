// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// A connection between the adapter and a device: two delay lines, and one end for both sides.
final class SimulatedLink: Sendable {
    /// Why and how a link ends.
    struct Ending: Sendable {
        /// What those get who use the channel.
        let cause: RadioError.Cause
        /// What the controller tells.
        let reason: HCIStatus
        /// How long it takes until both sides know.
        let delay: Duration
    }

    /// How long the controllers of a link wait for a sign of life: what Linux asks for.
    private static let supervisionTimeout = Duration.milliseconds(420)

    let handle: ConnectionHandle
    let peer: DeviceAddress
    let parameters: SimulatedDevice.Link
    /// What the device sent.
    let received = PacketQueue(limit: 64, overflow: .pauseProducer)
    private let toDevice: DelayLine
    private let toCentral: DelayLine
    private let ending = Mutex<Ending?>(nil)
    private let endings: AsyncStream<Ending>
    private let endInput: AsyncStream<Ending>.Continuation

    init(_ handle: ConnectionHandle, peer: DeviceAddress, parameters: SimulatedDevice.Link, anchor: Instant) {
        self.handle = handle
        self.peer = peer
        self.parameters = parameters
        toDevice = DelayLine(ConnectionEvents(anchor: anchor, link: parameters))
        toCentral = DelayLine(ConnectionEvents(anchor: anchor, link: parameters))
        (endings, endInput) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    var operation: String { "link to \(peer.address)" }

    /// Whether neither side has begun to close it.
    var isOpen: Bool { ending.withLock { $0 == nil } }

    // MARK: - The two sides

    /// The host sends a PDU.
    func sendToDevice(_ bytes: [UInt8], now: Instant) throws(RadioError) {
        if let ending = ending.withLock({ $0 }) { throw RadioError(ending.cause, during: operation) }
        toDevice.send(bytes, now: now)
    }

    /// Suspends until the host may send more.
    func drained() async throws(RadioError) {
        await toDevice.drained()
        if Task.isCancelled { throw RadioError(.cancelled, during: operation) }
        if let ending = ending.withLock({ $0 }) { throw RadioError(ending.cause, during: operation) }
    }

    /// The device sends a PDU.
    func sendToCentral(_ bytes: [UInt8], now: Instant) {
        guard ending.withLock({ $0 }) == nil else { return }
        toCentral.send(bytes, now: now)
    }

    /// The host closes the link: nothing is received from now on.
    func closeByHost() {
        end(Ending(cause: .closedLocally, reason: .connectionTerminatedByLocalHost, delay: parameters.interval))
        received.finish(RadioError(.closedLocally, during: operation))
    }

    /// The device closes the link, or falls silent where the reason is a connection timeout.
    func closeByDevice(_ reason: HCIStatus) {
        if reason == .connectionTimeout {
            end(Ending(cause: .linkLost(reason), reason: reason, delay: Self.supervisionTimeout))
        } else {
            end(Ending(cause: .closedByPeer(reason), reason: reason, delay: parameters.interval))
        }
    }

    /// Only the first end counts.
    private func end(_ new: Ending) {
        let isFirst = ending.withLock { ending in
            guard ending == nil else { return false }
            ending = new
            return true
        }
        if isFirst { endInput.yield(new) }
    }

    // MARK: - Life

    /// Carries PDUs until the link has ended, or the task is cancelled; returns what the controller tells.
    func run(_ time: any TimeSource, deliver: @escaping @Sendable ([UInt8]) async -> Void) async -> HCIStatus {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [toDevice] in await toDevice.run(time, deliver: deliver) }
            group.addTask { [toCentral, received] in await toCentral.run(time) { received.push($0) } }
            for await ending in endings {
                try? await time.sleep(for: ending.delay)
                break
            }
            group.cancelAll()
        }
        // A cancelled link ends as if the host had closed it.
        end(Ending(cause: .closedLocally, reason: .connectionTerminatedByLocalHost, delay: .zero))
        toDevice.close()
        toCentral.close()
        return ending.withLock { $0?.reason } ?? .connectionTerminatedByLocalHost
    }

    /// Ends the host's channel, when all that had to be done about the link's end is done.
    func finish() {
        received.finish(RadioError(ending.withLock { $0?.cause } ?? .closedLocally, during: operation))
    }
}
