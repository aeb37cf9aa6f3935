// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// A central of the simulated world. It comes by while the adapter advertises connectably, reads everything that is
/// served, subscribes for a while, and disconnects.
struct VisitingCentral: Sendable {
    /// Its address: resolvable private, as that of a phone.
    let address: DeviceAddress
    /// Whether it requests an MTU larger than 23.
    let exchangesMTU: Bool
    /// The time for which it stays subscribed.
    let stay: Duration
    let link: SimulatedDevice.Link

    init(_ generator: inout SeededGenerator) {
        // Two most significant bits 0b01: resolvable.
        let bits = generator.next() & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000
        address = DeviceAddress(BluetoothAddress(rawValue: bits), .random)
        exchangesMTU = generator.happens(0.75)
        stay = .seconds(5) + generator.duration(below: .seconds(15))
        link = SimulatedDevice.Link(interval: generator.happens(0.5) ? .milliseconds(30) : .milliseconds(45))
    }

    /// The whole visit. It ends when the visitor is done, or when the link has ended.
    func visit(over channel: any ATTChannel, _ time: any TimeSource, _ scope: TaskScope) async {
        let connection = ATTConnection.start(channel, scope: scope, time: time)
        // An error ends the visit as its completion does: a visitor has nobody to report it to.
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

    /// Ignores refusals, since a server may refuse any request; other errors end the visit.
    private func tolerating(_ connection: ATTConnection, _ body: (ATTConnection) async throws -> Void) async throws {
        do {
            try await body(connection)
        } catch let error as GATTError {
            guard case .refused = error else { throw error }
        }
    }
}
