// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

/// A connected device of the built-in world, with requests by hexadecimal PDUs or by UUID.
struct DeviceProbe: Sendable {
    let channel: any ATTChannel
    let device: SimulatedDevice
    let time: VirtualTime

    /// Runs a test with a connected device.
    static func run(
        _ name: String,
        seed: UInt64 = 1,
        _ body: @escaping @Sendable (DeviceProbe) async throws -> Void
    ) throws {
        let world = try SimulatedWorld.builtIn(seed: seed)
        let device = try #require(world.device(named: name))
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            let channel = try await radio.connectATT(to: device.address, deadline: .zero + .seconds(10))
            try await body(DeviceProbe(channel: channel, device: device, time: time))
        }
    }

    /// The value handle of a characteristic, in the octet order of a PDU.
    func handle(_ uuid: BluetoothUUID) throws -> String {
        Hex.string(try #require(device.database.characteristic(uuid)).valueHandle.encoded())
    }

    /// The handle of the Client Characteristic Configuration of a characteristic.
    func configuration(_ uuid: BluetoothUUID) throws -> String {
        let characteristic = try #require(device.database.characteristic(uuid))
        let handle = device.database.descriptor(.clientCharacteristicConfiguration, of: characteristic)
        return Hex.string(try #require(handle).encoded())
    }

    /// Sends a PDU, and returns the next received one.
    func exchange(_ request: String) async throws -> String { try await channel.exchange(request) }

    /// Reads a characteristic, and returns the complete response.
    func read(_ uuid: BluetoothUUID) async throws -> String { try await exchange("0a" + handle(uuid)) }

    /// Writes a characteristic, and returns the complete response.
    func write(_ uuid: BluetoothUUID, _ value: String) async throws -> String {
        try await exchange("12" + handle(uuid) + value)
    }

    /// The next PDU without a request.
    func receive() async throws -> [UInt8] { try await channel.receive() }

    /// Whether nothing is received for a while.
    func isQuiet(for duration: Duration) async -> Bool {
        do {
            _ = try await withDeadline(time.now + duration, time, operation: "silence") { try await channel.receive() }
            return false
        } catch {
            return error is DeadlineExceeded
        }
    }
}
