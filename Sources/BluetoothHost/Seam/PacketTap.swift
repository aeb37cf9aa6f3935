// SPDX-License-Identifier: MIT

public import Bluetooth

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
    /// The direction.
    public let direction: Direction
    /// The octets.
    public let bytes: [UInt8]
    /// The time at which the packet passed, on the monotonic clock.
    public let instant: Instant
    /// The same time on the wall clock.
    public let wall: WallTime
}

/// A function that sees every packet that passes the seam.
public typealias PacketTap = @Sendable (TappedPacket) -> Void

/// A radio system of any kind whose packets are shown to a tap.
public struct TappedRadioSystem: RadioSystem {
    public let time: any TimeSource
    private let base: any RadioSystem
    private let tap: PacketTap

    /// Wraps a system.
    public init(_ base: any RadioSystem, time: any TimeSource, tap: @escaping PacketTap) {
        self.base = base
        self.time = time
        self.tap = tap
    }

    public func adapters() async throws(RadioError) -> [AdapterDescription] { try await base.adapters() }

    public func radio(named name: String?) throws(RadioError) -> any Radio {
        TappedRadio(base: try base.radio(named: name), time: time, tap: tap)
    }

    public func openManagement() throws(RadioError) -> any ManagementChannel {
        TappedPacketChannel(
            base: try base.openManagement(),
            recorder: TapRecorder(channel: .management, time: time, tap: tap)
        )
    }
}

private struct TappedRadio: Radio {
    let base: any Radio
    let time: any TimeSource
    let tap: PacketTap

    var adapter: AdapterDescription { base.adapter }

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel {
        TappedPacketChannel(
            base: try base.openHCI(for: use),
            recorder: TapRecorder(channel: .hci, time: time, tap: tap)
        )
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        let channel = try await base.connectATT(to: device, deadline: deadline)
        return TappedATTChannel(base: channel, recorder: TapRecorder(channel: .att(device), time: time, tap: tap))
    }
}

extension TappedRadio {
    var onlyPeer: DeviceAddress? { base.onlyPeer }

    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProgramReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        try await base.takeTurn(subject, by: deadline, onWait: onWait)
    }

    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? { base.connectedDevice(address) }

    func connectedAddresses() -> Set<BluetoothAddress> { base.connectedAddresses() }

    func listenATT() throws(RadioError) -> any ATTListener {
        TappedListener(base: try base.listenATT(), time: time, tap: tap)
    }
}

private struct TappedListener: ATTListener {
    let base: any ATTListener
    let time: any TimeSource
    let tap: PacketTap

    func accept() async throws(RadioError) -> any ATTChannel {
        let channel = try await base.accept()
        return TappedATTChannel(
            base: channel,
            recorder: TapRecorder(channel: .att(channel.peer), time: time, tap: tap)
        )
    }

    func close() { base.close() }
}

private struct TapRecorder: Sendable {
    let channel: TappedPacket.Channel
    let time: any TimeSource
    let tap: PacketTap

    func record(_ direction: TappedPacket.Direction, _ bytes: [UInt8]) {
        tap(TappedPacket(channel: channel, direction: direction, bytes: bytes, instant: time.now, wall: time.wallClock))
    }
}

private struct TappedPacketChannel: HCIChannel, ManagementChannel {
    let base: any PacketChannel
    let recorder: TapRecorder

    func receive() async throws(RadioError) -> [UInt8] {
        let packet = try await base.receive()
        recorder.record(.received, packet)
        return packet
    }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        let packets = try await base.receiveWaiting()
        for packet in packets { recorder.record(.received, packet) }
        return packets
    }

    var droppedCount: Int { base.droppedCount }

    func send(_ packet: [UInt8]) throws(RadioError) {
        recorder.record(.sent, packet)
        try base.send(packet)
    }

    func drained() async throws(RadioError) { try await base.drained() }
    func hangUp(_ reason: RadioError) { base.hangUp(reason) }
    func close() { base.close() }
}

private struct TappedATTChannel: ATTChannel {
    let base: any ATTChannel
    let recorder: TapRecorder

    var peer: DeviceAddress { base.peer }
    var connectionHandle: UInt16? { base.connectionHandle }
    var maximumMTU: UInt16 { base.maximumMTU }
    var hasFlowControl: Bool { base.hasFlowControl }
    var security: LinkSecurity { base.security }

    func receive() async throws(RadioError) -> [UInt8] {
        let packet = try await base.receive()
        recorder.record(.received, packet)
        return packet
    }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        let packets = try await base.receiveWaiting()
        for packet in packets { recorder.record(.received, packet) }
        return packets
    }

    var droppedCount: Int { base.droppedCount }

    func send(_ packet: [UInt8]) throws(RadioError) {
        recorder.record(.sent, packet)
        try base.send(packet)
    }

    func drained() async throws(RadioError) { try await base.drained() }
    func hangUp(_ reason: RadioError) { base.hangUp(reason) }
    func close() { base.close() }
}
