// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A central of the simulated world: somebody who comes by while the adapter can be connected to, looks at all that it
/// serves, listens for a while, and goes.
struct Guest: Sendable {
    /// From where it connects: a resolvable private address, as phones have it.
    let address: DeviceAddress
    /// Whether it asks for a larger MTU than 23.
    let exchangesMTU: Bool
    /// How long it listens.
    let stay: Duration
    /// How it uses the link.
    let link: SimulatedDevice.Link

    init(_ generator: inout SeededGenerator) {
        // Two most significant bits 0b01: resolvable.
        let bits = generator.next() & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000
        address = DeviceAddress(BluetoothAddress(rawValue: bits), .random)
        exchangesMTU = generator.happens(0.75)
        stay = .seconds(5) + generator.duration(below: .seconds(15))
        link = SimulatedDevice.Link(interval: generator.happens(0.5) ? .milliseconds(30) : .milliseconds(45))
    }

    /// What it does while it is there. Ends when it has enough, or when the link is gone.
    func visit(over channel: any ATTChannel, _ time: any TimeSource, _ scope: TaskScope) async {
        let connection = ATTConnection.start(channel, scope: scope, time: time)
        try? await lookAround(connection, time)
        connection.close()
    }

    private func lookAround(_ connection: ATTConnection, _ time: any TimeSource) async throws {
        if exchangesMTU { try await connection.exchangeMTU() }
        var subscriptions: [Handle] = []
        for service in try await connection.perform(DiscoverServices()) {
            for characteristic in try await connection.perform(DiscoverCharacteristics(in: service.range)) {
                if characteristic.properties.contains(.read) {
                    try await tolerating(connection) {
                        _ = try await $0.perform(ReadLongValue(characteristic.valueHandle))
                    }
                }
                let sends = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
                guard sends, let range = characteristic.descriptorRange else { continue }
                let procedure = DiscoverDescriptors(in: range, uuid: .clientCharacteristicConfiguration)
                guard let descriptor = try await connection.perform(procedure).first else { continue }
                let wanted: ClientConfiguration =
                    characteristic.properties.contains(.notify) ? .notification : .indication
                try await tolerating(connection) {
                    try await $0.perform(WriteValue(wanted, toDescriptor: descriptor.handle))
                }
                subscriptions.append(descriptor.handle)
            }
        }
        try await time.sleep(for: stay)
        for handle in subscriptions {
            try await tolerating(connection) { try await $0.perform(WriteValue([], toDescriptor: handle)) }
        }
    }

    /// What the server refuses is its right; only the end of the link ends the visit.
    private func tolerating(_ connection: ATTConnection, _ body: (ATTConnection) async throws -> Void) async throws {
        do {
            try await body(connection)
        } catch let error as GATTError {
            guard case .refused = error else { throw error }
        }
    }
}

/// The guest's end of a link's ATT channel.
final class GuestChannel: ATTChannel {
    let link: SimulatedLink
    let peer: DeviceAddress
    private let time: any TimeSource
    private let received = ReceiveBuffer()

    init(_ link: SimulatedLink, adapter: BluetoothAddress, time: any TimeSource) {
        self.link = link
        self.time = time
        peer = DeviceAddress(adapter, .public)
    }

    var connectionHandle: UInt16? { nil }
    var maximumMTU: UInt16 { SimulatedATTChannel.maximumMTU }
    var security: LinkSecurity { link.parameters.security }
    var droppedCount: Int { received.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard link.isOpen else { throw RadioError(.closedByPeer(nil), during: link.operation) }
        link.sendToCentral(packet, now: time.now)
    }

    func drained() async throws(RadioError) {}

    func close() { link.closeByDevice(.remoteUserTerminatedConnection) }

    /// A PDU from the adapter.
    func deliver(_ packet: [UInt8]) { received.push(packet) }

    /// The link is gone.
    func end() { received.finish(RadioError(.closedByPeer(nil), during: link.operation)) }
}
