// SPDX-License-Identifier: MIT

/// The content of the simulated air, and the seed for everything random in it.
public struct SimulatedWorld: Sendable {
    /// The seed of all random numbers.
    public var seed: UInt64
    /// The adapter's controller.
    public var controller: ControllerProfile
    /// The conditions of the adapter, such as a missing driver; empty for a working one.
    public var adapter: Set<AdapterTrait>
    /// The devices. Their order has no influence on their behaviour.
    public var devices: [SimulatedDevice]

    /// Creates a world with a modern controller by default.
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
    /// The world of `--simulate`: devices that differ as real ones do.
    ///
    /// - Parameter seed: The seed of all random numbers.
    public static func builtIn(seed: UInt64 = 1) throws(SimulatedDevice.BuiltInError) -> SimulatedWorld {
        SimulatedWorld(seed: seed, devices: try SimulatedDevice.builtIn())
    }

    /// The device with that name; `nil` if there is none.
    public func device(named name: String) -> SimulatedDevice? { devices.first { $0.name == name } }
}
