// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// A channel whose other end is controlled by the input. Sent packets go to a function.
final class FuzzChannel: ATTChannel, HCIChannel, L2CAPChannel {
    let peer: DeviceAddress
    let connectionHandle: UInt16?
    let maximumMTU: UInt16
    let security: LinkSecurity
    private let queue: PacketQueue
    /// The enhanced bearers, which end with this channel, and those that nobody has taken.
    private let opened = Mutex<[FuzzChannel]>([])
    private let bearers = BoundedQueue<any L2CAPChannel>(limit: 64, overflow: .dropOldest)
    private let ending = Mutex<RadioError?>(nil)
    private let onSend: @Sendable (FuzzChannel, [UInt8]) -> Void

    init(
        _ peer: DeviceAddress = FuzzRadio.device,
        connectionHandle: UInt16? = nil,
        maximumMTU: UInt16 = 517,
        isEncrypted: Bool = false,
        overflow: PacketQueue.Overflow = .pauseProducer,
        onSend: @escaping @Sendable (FuzzChannel, [UInt8]) -> Void
    ) {
        self.peer = peer
        self.connectionHandle = connectionHandle
        self.maximumMTU = maximumMTU
        security = isEncrypted ? LinkSecurity(isEncrypted: true, keySize: 16) : .none
        self.onSend = onSend
        queue = PacketQueue(limit: 64, overflow: overflow)
    }

    var isClosed: Bool { ending.withLock { $0 != nil } }

    var droppedCount: Int { queue.droppedCount }

    var spsm: SPSM { .enhancedATT }
    var receiveMTU: UInt16 { maximumMTU }
    var sendMTU: UInt16 { maximumMTU }
    var unsentOctets: Int { 0 }
    var enhancedBearerLimit: Int { 5 }

    func acceptEnhancedBearer() async throws(RadioError) -> any L2CAPChannel { try await bearers.next() }

    /// Opens an enhanced bearer from the other end.
    func open(_ bearer: FuzzChannel) {
        opened.withLock { $0.append(bearer) }
        bearers.push(bearer)
    }

    func receive() async throws(RadioError) -> [UInt8] { try await queue.next() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        if let ending = ending.withLock({ $0 }) { throw ending }
        onSend(self, packet)
    }

    func drained() async throws(RadioError) {
        if let ending = ending.withLock({ $0 }) { throw ending }
    }

    func close() { end(.closedLocally) }

    /// Delivers a packet from the other end.
    func deliver(_ packet: [UInt8]) { queue.push(packet) }

    /// Ends the channel.
    func end(_ cause: RadioError.Cause) {
        let error = RadioError(cause, during: "channel")
        ending.withLock { $0 = $0 ?? error }
        queue.finish(error)
        bearers.finish(error)
        let opened = opened.withLock { opened in
            defer { opened = [] }
            return opened
        }
        for bearer in opened { bearer.end(cause) }
    }

    /// One of the causes of a link's end.
    static func cause(_ number: UInt8) -> RadioError.Cause {
        let causes: [RadioError.Cause] = [
            .linkLost(nil), .linkLost(.connectionFailedToBeEstablished), .closedByPeer(nil), .adapterDown,
            .adapterRemoved,
            .connectTimedOut, .connectFailed(nil), .authenticationFailed, .channelBusy(by: nil), .initiatorBusy,
        ]
        return causes[Int(number) % causes.count]
    }
}

/// A radio whose channels are created by functions.
struct FuzzRadio: Radio {
    static let device = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)

    var hci: @Sendable () throws(RadioError) -> FuzzChannel = { () throws(RadioError) in
        throw RadioError(.noController, during: "radio")
    }
    var att: @Sendable (Instant) async throws(RadioError) -> FuzzChannel = { _ throws(RadioError) in
        throw RadioError(.connectTimedOut, during: "radio")
    }

    var listener: (any ATTListener)?
    var onlyPeer: DeviceAddress?

    let adapter = AdapterDescription(
        name: "hci0",
        index: 0,
        address: BluetoothAddress(rawValue: 0x0010_0000_0001),
        state: .up,
        bus: "virtual"
    )

    func openHCI() throws(RadioError) -> any HCIChannel { try hci() }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await att(deadline)
    }

    func listenATT() throws(RadioError) -> any ATTListener {
        guard let listener else { throw RadioError(.attributesServedElsewhere, during: "radio") }
        return listener
    }
}
