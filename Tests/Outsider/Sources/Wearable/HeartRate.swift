// SPDX-License-Identifier: MIT

// What the README of RZBluetooth shows, with this library.

import BluetoothHost

/// A device that a user has chosen.
public struct ChosenStrap: Sendable {
    public let address: DeviceAddress
    public let name: String
}

/// Lets the user choose: straps in the order in which they are heard, each once.
public func straps(_ central: Central, for duration: Duration) async throws(BluetoothError) -> [ChosenStrap] {
    var found: [ChosenStrap] = []
    for try await advertisement in central.scan(for: duration) {
        guard advertisement.services.contains(HeartRateService.uuid), let name = advertisement.name else { continue }
        guard !found.contains(where: { $0.address == advertisement.address }) else { continue }
        found.append(ChosenStrap(address: advertisement.address, name: name))
    }
    return found
}

/// A person that waits, and does not wait longer than five seconds.
public func bodyLocation(_ strap: Peripheral) async -> String {
    do throws(BluetoothError) {
        return "\(try await strap.service(HeartRateService.self).location())"
    } catch {
        return error.isTimeout ? "please come nearer" : error.reason
    }
}

/// All that Device Information has, also of devices that have not all of it.
public func facts(_ device: Peripheral) async throws(BluetoothError) -> [String] {
    let information = try await device.service(DeviceInformationService.self).information()
    return [information.manufacturer, information.model, information.serialNumber].compactMap(\.self)
}

/// Keeps a device in sync each time that it is there: battery levels, also over lost links.
@MainActor
public final class BatteryMonitor {
    public private(set) var levels: [UInt8] = []
    public private(set) var losses = 0
    public private(set) var failure: String?
    private var task: Task<Void, Never>?

    public init() {}

    public func start(_ device: Peripheral) {
        task = Task {
            do throws(BluetoothError) {
                let battery = device.service(BatteryService.self)
                for try await level in battery.levels(onEvent: { await self.happened($0) }) {
                    levels.append(level.percent)
                }
            } catch {
                if !error.isCancellation { failure = error.description }
            }
        }
    }

    public func stop() { task?.cancel() }

    private func happened(_ event: SubscriptionEvent) {
        if case .linkLost = event { losses += 1 }
    }
}

/// A model of one's own, for both sides: a client reads it, and a device publishes it.
public struct Ping: CharacteristicModel, Hashable {
    public static let characteristic = BluetoothUUID(bits128: 0x5f3c1a52_9a44_4b0d_b8d5_63c8a7b50f10)
    public static let service = BluetoothUUID(bits128: 0x5f3c1a51_9a44_4b0d_b8d5_63c8a7b50f10)

    public var number: UInt8

    public init(number: UInt8) { self.number = number }

    public init(decoding octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        number = try reader.uint8("number")
    }

    public func encoded() -> [UInt8] { [number] }
}

/// A service of one's own.
public struct PingService: TypedService {
    public static var uuid: BluetoothUUID { Ping.service }
    public let peripheral: Peripheral

    public init(peripheral: Peripheral) { self.peripheral = peripheral }

    /// Writes a ping, and returns the answer.
    public func ping(_ number: UInt8) async throws(BluetoothError) -> UInt8 {
        try await peripheral.write(Ping(number: number))
        return try await peripheral.read(Ping.self).number
    }
}

/// The device of that service, with firmware: it answers with the number after the one that was written.
public func pingDevice() -> DeviceDefinition {
    let last = LastPing()
    return DeviceDefinition("ping", name: "Ping") {
        DeviceAdvertising(name: "Ping", services: [Ping.service])
        DeviceService(Ping.service) {
            DeviceCharacteristic(Ping.self, [.read, .write, .notify])
                .onRead { _ in Ping(number: last.number &+ 1) }
                .onWrite { octets, device in
                    last.number = try Ping(decoding: octets).number
                    try device.send(Ping(number: last.number))
                }
        }
    }
}
