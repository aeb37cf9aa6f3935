// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What is known of an adapter without using it.
public struct AdapterDescription: Hashable, Sendable {
    /// Whether the adapter can be used.
    public enum State: Hashable, Sendable {
        /// Powered and ready.
        case up
        /// Not powered.
        case down
        /// About to come up: the kernel is setting it up (`isSetUp` is false then), or has just done so and keeps it on for a
        /// moment, for a manager to power it.
        case starting(isSetUp: Bool)
        /// Blocked by rfkill.
        case blocked(byHardware: Bool)
        /// Another program has it to itself.
        case inUse
    }

    /// `hci0`
    public var name: String
    /// The number in the name.
    public var index: Int
    /// The public address; all zeros where the adapter has none.
    public var address: BluetoothAddress
    /// Whether it can be used.
    public var state: State
    /// How it is attached: `usb`, `uart`, `virtual`, …
    public var bus: String
    /// The manufacturer of the controller as a company identifier, where the controller told.
    public var manufacturer: UInt16?
    /// The version of the specification that the controller's HCI follows, where the controller told.
    public var hciVersion: BluetoothVersion?
    /// The controller's LMP features, page 0, where known.
    public var lmpFeatures: UInt64?
    /// The controller's LE features, page 0, where known.
    public var leFeatures: LEFeatures?
    /// Whether Low Energy is switched on, where known.
    public var isLowEnergyOn: Bool?
    /// The program that manages the adapters of the machine, where one was seen: `bluetoothd`.
    public var manager: String?

    /// Describes an adapter.
    public init(
        name: String,
        index: Int,
        address: BluetoothAddress,
        state: State,
        bus: String,
        manufacturer: UInt16? = nil,
        hciVersion: BluetoothVersion? = nil,
        lmpFeatures: UInt64? = nil,
        leFeatures: LEFeatures? = nil
    ) {
        self.name = name
        self.index = index
        self.address = address
        self.state = state
        self.bus = bus
        self.manufacturer = manufacturer
        self.hciVersion = hciVersion
        self.lmpFeatures = lmpFeatures
        self.leFeatures = leFeatures
    }

    /// Whether the controller has Low Energy and nothing else: then it is always on. `nil` where that is not known.
    ///
    /// Spec: Core 5.4, Vol 2, Part C, 3.3: BR/EDR Not Supported (bit 37), LE Supported (Controller) (bit 38)
    public var isLowEnergyOnly: Bool? { lmpFeatures.map { $0 >> 37 & 0b11 == 0b11 } }

    /// Whether the controller has both, Low Energy and Basic Rate: then the kernel has Low Energy off until somebody asks for it.
    public var isDualMode: Bool { lmpFeatures.map { $0 >> 37 & 0b11 == 0b10 } ?? false }

    /// Throws why it cannot be used.
    public func checkUse() throws(RadioError) {
        switch state {
        case .up: break
        case .down: throw RadioError(.adapterDown, during: name, on: name)
        case .starting: throw RadioError(.adapterStarting, during: name, on: name)
        case .blocked(let byHardware): throw RadioError(.radioBlocked(byHardware: byHardware), during: name, on: name)
        case .inUse: throw RadioError(.adapterBusy, during: name, on: name)
        }
    }
}
