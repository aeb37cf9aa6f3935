// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost

/// All that there is on the simulated air, and the seed from which everything random in it follows.
public struct SimulatedWorld: Sendable {
    /// What everything random follows from.
    public var seed: UInt64
    /// The adapter's controller.
    public var controller: ControllerProfile
    /// What is the matter with the adapter.
    public var adapter: Set<AdapterTrait>
    /// The devices. Their order does not matter to what they do.
    public var devices: [SimulatedDevice]

    /// Describes a world.
    public init(
        seed: UInt64 = 1,
        controller: ControllerProfile = .modern,
        adapter: Set<AdapterTrait> = [],
        devices: [SimulatedDevice]
    ) {
        self.seed = seed
        self.controller = controller
        self.adapter = adapter
        self.devices = devices
    }
}

extension SimulatedWorld {
    /// The world that `--simulate` shows: devices that differ the way real ones do.
    ///
    /// - Parameters:
    ///   - seed: What everything random follows from.
    ///   - isHostile: Whether a device is there that tries to harm the terminal by its name.
    public static func builtIn(seed: UInt64 = 1, isHostile: Bool = false) throws(GATTDatabaseError) -> SimulatedWorld {
        var world = SimulatedWorld(
            seed: seed,
            devices: [
                try .heartRateStrap(),
                try .thermometer(),
                try .uartEcho(),
                try .workbench(),
                .iBeacon(),
                .eddystone(),
                .weatherMast(),
                try .shapeshifter(),
                try .museum(),
                try .sportsWatch(),
                try .flakyStrap(),
            ]
        )
        if isHostile { world.devices.append(try .hostile()) }
        return world
    }

    /// What of the devices is the same over a real adapter.
    public var definitions: [DeviceDefinition] {
        devices.map { $0.definition(random: SeededGenerator(seed: seed, stream: $0.address.address.rawValue)) }
    }

    /// The device of that name.
    public func device(named name: String) -> SimulatedDevice? { devices.first { $0.name == name } }
}
