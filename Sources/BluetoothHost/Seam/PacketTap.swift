// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// A packet that passed the seam, for traces and captures.
public struct TappedPacket: Sendable {
    /// The channel of a packet.
    public enum Channel: Sendable, Hashable {
        /// An HCI packet with its indicator.
        case hci
        /// A packet of the management interface.
        case management
        /// An ATT PDU to or from the device.
        case att(DeviceAddress)
        /// A frame of the L2CAP layer to or from the device, of another channel than ATT.
        case l2cap(DeviceAddress)
        /// A frame of an enhanced bearer to or from the device: an ATT PDU or a part of it.
        case bearer(DeviceAddress)
    }

    /// The direction of a packet.
    public enum Direction: Sendable, Hashable {
        /// Sent by this program.
        case sent
        /// Received by this program.
        case received
    }

    /// The channel.
    public let channel: Channel
    /// The adapter; `none` for the management interface, whose packets name theirs.
    public let adapter: ManagementIndex
    /// The number of the ATT channel, as `TappedLink` has it; `nil` for other channels.
    public let link: Int?
    /// The direction.
    public let direction: Direction
    /// The octets. Those of keys in HCI packets are zeros.
    public let bytes: [UInt8]
    /// The time at which the packet passed, on the monotonic clock.
    public let instant: Instant
    /// The same time on the wall clock.
    public let wall: WallTime
}

/// A function that sees every packet that passes the seam.
public typealias PacketTap = @Sendable (TappedPacket) -> Void

/// A radio system that shows its packets to a tap.
public struct TappedRadioSystem: RadioSystem {
    public let time: any TimeSource
    private let base: any RadioSystem
    private let observer: TapObserver

    /// Wraps a system.
    ///
    /// - Parameters:
    ///   - base: The system to tap.
    ///   - time: The clock of the packets.
    ///   - linkTap: Sees when ATT channels open and end.
    ///   - tap: Sees every packet.
    public init(
        _ base: any RadioSystem,
        time: any TimeSource,
        linkTap: @escaping LinkTap = { _ in },
        tap: @escaping PacketTap
    ) {
        self.base = base
        self.time = time
        observer = TapObserver(time: time, adapter: .none, tap: tap, linkTap: linkTap)
    }

    public func prepare() async throws(RadioError) { try await base.prepare() }

    public func adapters() async throws(RadioError) -> [AdapterDescription] { try await base.adapters() }

    public func radio(named name: String?) throws(RadioError) -> any Radio {
        let radio = try base.radio(named: name)
        return TappedRadio(base: radio, observer: observer.of(ManagementIndex(radio.adapter.index)))
    }

    public func openManagement() throws(RadioError) -> any ManagementChannel {
        ObservedPacketChannel(try base.openManagement(), observer.recorder(.management).record)
    }
}

private struct TappedRadio: ForwardingRadio {
    let base: any Radio
    let observer: TapObserver

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel {
        // The data of the Security Manager contain keys, which are for no trace and for no file.
        guard use != .securityManager else { return try base.openHCI(for: use) }
        return ObservedPacketChannel(try base.openHCI(for: use), observer.recorder(.hci).record)
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        observer.channel(try await base.connectATT(to: device, deadline: deadline), to: device, role: .central)
    }

    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        let frames = observer.frames(role: .central) { _ in device }
        do throws(RadioError) {
            let channel = try await base.connectL2CAP(to: device, request, deadline: deadline) {
                onFrame?($0)
                frames.record($0)
            }
            return TappedL2CAPChannel(channel, frames)
        } catch {
            frames.end(error)
            throw error
        }
    }

    func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener {
        let frames = observer.frames(role: .peripheral) { _ in DeviceAddress(BluetoothAddress(rawValue: 0), .public) }
        let listener = try base.listenL2CAP(request) {
            onFrame?($0)
            frames.record($0)
        }
        return TappedL2CAPListener(base: listener, frames: frames)
    }

    func listenATT() throws(RadioError) -> any ATTListener {
        TappedListener(base: try base.listenATT(), observer: observer)
    }
}

private struct TappedListener: ATTListener {
    let base: any ATTListener
    let observer: TapObserver

    func accept() async throws(RadioError) -> any ATTChannel {
        let channel = try await base.accept()
        return observer.channel(channel, to: channel.peer, role: .peripheral)
    }

    func close() { base.close() }
}

private struct TappedL2CAPListener: L2CAPListener {
    let base: any L2CAPListener
    let frames: FrameRecorder

    func accept() async throws(RadioError) -> any L2CAPChannel { TappedL2CAPChannel(try await base.accept(), frames) }

    func close() { base.close() }
}

/// A credit-based channel. The radio shows its frames; this class shows its end as that of its link.
private final class TappedL2CAPChannel: L2CAPChannel {
    private let base: any L2CAPChannel
    private let frames: FrameRecorder
    private let hasEnded = Mutex(false)

    init(_ base: any L2CAPChannel, _ frames: FrameRecorder) {
        self.base = base
        self.frames = frames
        frames.channelOpened(to: base.peer, on: base.connectionHandle)
    }

    var peer: DeviceAddress { base.peer }
    var connectionHandle: UInt16? { base.connectionHandle }
    var spsm: SPSM { base.spsm }
    var receiveMTU: UInt16 { base.receiveMTU }
    var sendMTU: UInt16 { base.sendMTU }
    var unsentOctets: Int { base.unsentOctets }
    var droppedCount: Int { base.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] {
        do throws(RadioError) {
            return try await base.receive()
        } catch {
            // A cancelled wait does not end the channel.
            if error.cause != .cancelled { end(error) }
            throw error
        }
    }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        do throws(RadioError) {
            return try await base.receiveWaiting()
        } catch {
            if error.cause != .cancelled { end(error) }
            throw error
        }
    }

    func send(_ packet: [UInt8]) throws(RadioError) { try base.send(packet) }
    func drained() async throws(RadioError) { try await base.drained() }
    func hangUp(_ reason: RadioError) { base.hangUp(reason) }

    func close() {
        // The request to close the channel is shown before.
        base.close()
        end(nil)
    }

    /// Shows the end, unless it was shown before.
    private func end(_ reason: RadioError?) {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        guard let late = base as? any DeferredFrames else { return frames.channelEnded(on: connectionHandle, reason) }
        late.afterLastFrame { [frames, connectionHandle] in frames.channelEnded(on: connectionHandle, reason) }
    }
}

/// A channel whose packets are shown: those that are received, and those that are sent, before they are.
package struct ObservedPacketChannel: HCIChannel, ManagementChannel {
    private let base: any PacketChannel
    private let show: @Sendable (TappedPacket.Direction, [UInt8]) -> Void

    package init(
        _ base: any PacketChannel,
        _ show: @escaping @Sendable (TappedPacket.Direction, [UInt8]) -> Void
    ) {
        self.base = base
        self.show = show
    }

    package func receive() async throws(RadioError) -> [UInt8] {
        let packet = try await base.receive()
        show(.received, packet)
        return packet
    }

    package func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        let packets = try await base.receiveWaiting()
        for packet in packets { show(.received, packet) }
        return packets
    }

    package var droppedCount: Int { base.droppedCount }

    package func send(_ packet: [UInt8]) throws(RadioError) {
        // Before the send, so that the answer is not shown first.
        show(.sent, packet)
        try base.send(packet)
    }

    package func drained() async throws(RadioError) { try await base.drained() }
    package func hangUp(_ reason: RadioError) { base.hangUp(reason) }
    package func close() { base.close() }
}

struct TappedATTChannel: ATTChannel {
    let base: any ATTChannel
    let recorder: TapRecorder
    let link: LinkRecorder

    var peer: DeviceAddress { base.peer }
    var connectionHandle: UInt16? { base.connectionHandle }
    var maximumMTU: UInt16 { base.maximumMTU }
    var hasFlowControl: Bool { base.hasFlowControl }
    var linkState: LinkState { base.linkState }
    var security: LinkSecurity { base.security }

    func raiseSecurity(to level: SecurityLevel) async throws(RadioError) { try await base.raiseSecurity(to: level) }

    var enhancedBearerLimit: Int { base.enhancedBearerLimit }

    func openEnhancedBearers(_ count: Int) async throws(RadioError) -> [any L2CAPChannel] {
        try await base.openEnhancedBearers(count)
    }

    func acceptEnhancedBearer() async throws(RadioError) -> any L2CAPChannel { try await base.acceptEnhancedBearer() }

    func observeEnhancedBearers(_ observer: @escaping FrameObserver) { base.observeEnhancedBearers(observer) }

    func receive() async throws(RadioError) -> [UInt8] {
        do throws(RadioError) {
            let packet = try await base.receive()
            recorder.record(.received, packet)
            return packet
        } catch {
            if error.cause != .cancelled { link.end(error) }
            throw error
        }
    }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await receiveAged().map(\.bytes)[...]
    }

    func receiveAged() async throws(RadioError) -> [TimestampedPacket] {
        do throws(RadioError) {
            let packets = try await base.receiveAged()
            for packet in packets { recorder.record(.received, packet.bytes) }
            return packets
        } catch {
            if error.cause != .cancelled { link.end(error) }
            throw error
        }
    }

    var droppedCount: Int { base.droppedCount }

    func send(_ packet: [UInt8]) throws(RadioError) {
        // Before the send, so that the answer is not recorded first.
        recorder.record(.sent, packet)
        try base.send(packet)
    }

    func drained() async throws(RadioError) { try await base.drained() }
    func hangUp(_ reason: RadioError) { base.hangUp(reason) }

    func close() {
        // First, so that the receiver does not report this close as an error of the link.
        link.end(nil)
        base.close()
    }
}
