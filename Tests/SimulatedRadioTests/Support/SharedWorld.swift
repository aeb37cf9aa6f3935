// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

/// Runs a test in a world that several machines may join, in virtual time.
func share<Value: Sendable>(
    _ world: SimulatedWorld,
    _ body: @escaping @Sendable (RunningWorld, VirtualTime, TaskScope) async throws -> Value
) throws -> Value {
    let time = VirtualTime()
    return try time.run { () async throws -> Value in
        try await withTaskScope { scope in
            try await body(RunningWorld(world, time: time, scope: scope), time, scope)
        }
    }
}

extension HCIChannel {
    /// Sends commands, each of which has to succeed.
    func perform(_ commands: [any HCICommand]) async throws {
        for command in commands {
            try send(HCIPacket.command(command.packet).encoded())
            #expect(try await status() == .success, "\(command)")
        }
    }
}

extension SimulatedRadioSystem {
    /// Sends commands over a channel of their own, where no event of another one comes between.
    func perform(_ commands: [any HCICommand]) async throws {
        let channel = try radio(named: nil).openHCI()
        defer { channel.close() }
        try await channel.perform(commands)
    }
}

/// A set that a test advertises with the extended commands.
struct AdvertisedSet: Sendable {
    var handle = LEAdvertisingHandle(rawValue: 0x01)
    var properties: LESetExtendedAdvertisingParameters.Properties = [.legacy, .connectable, .scannable]
    var ownAddressType = LEOwnAddressType.public
    var randomAddress: BluetoothAddress?
    var data: [UInt8] = [0x02, 0x01, 0x06]
    var scanResponse: [UInt8] = []

    /// The commands that put it on the air.
    func commands() throws -> [any HCICommand] {
        var commands: [any HCICommand] = [
            LESetExtendedAdvertisingParameters(
                set: handle,
                properties: properties,
                minimumInterval: LEInterval(.milliseconds(100)),
                maximumInterval: LEInterval(.milliseconds(100)),
                ownAddressType: ownAddressType,
                sid: 5
            )
        ]
        if let randomAddress { commands.append(LESetAdvertisingSetRandomAddress(handle, randomAddress)) }
        for fragment in LEAdvertisingDataFragment.fragments(of: data, set: handle) {
            commands.append(LESetExtendedAdvertisingData(fragment))
        }
        for fragment in LEAdvertisingDataFragment.fragments(of: scanResponse, set: handle) {
            commands.append(LESetExtendedScanResponseData(fragment))
        }
        commands.append(try #require(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle)])))
        return commands
    }

    /// The commands that take it off the air.
    func stop() throws -> [any HCICommand] {
        [try #require(LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle)]))]
    }
}
