// SPDX-License-Identifier: MIT

public import Bluetooth

/// The data about an adapter that are available without using it.
public struct AdapterDescription: Hashable, Sendable {
    /// Whether the adapter can be used.
    public enum State: Hashable, Sendable {
        /// Powered and ready.
        case up
        /// Not powered.
        case down
        /// About to come up: the kernel is setting it up (`isSetUp` is `false`), or has just done so and keeps it on
        /// for a moment, so that a manager can power it.
        case starting(isSetUp: Bool)
        /// Blocked by rfkill.
        case blocked(byHardware: Bool)
        /// Another program uses it exclusively (HCI user channel).
        case inUse
    }

    /// The name: `hci0`.
    public var name: String
    /// The index, which is the number in the name.
    public var index: Int
    /// The public address; all zeros if the adapter has none.
    public var address: BluetoothAddress
    /// Whether the adapter can be used.
    public var state: State
    /// The kind of attachment: `usb`, `uart`, `virtual`, …
    public var bus: String
    /// The company identifier of the controller's manufacturer, if known.
    public var manufacturer: UInt16?
    /// The controller's HCI version, if known.
    public var hciVersion: BluetoothVersion?
    /// The controller's LMP features, page 0, if known.
    public var lmpFeatures: UInt64?
    /// The controller's LE features, page 0, if known.
    public var leFeatures: LEFeatures?
    /// Whether Low Energy is switched on, if known.
    public var isLowEnergyOn: Bool?
    /// The program that manages the machine's adapters, if one was found: `bluetoothd`.
    public var manager: String?
    /// The static random address of an adapter without a public one, if its host keeps one.
    package var staticAddress: BluetoothAddress?

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

    /// The address by which the keys of bonds belong to the adapter.
    package var identityAddress: DeviceAddress {
        staticAddress.map { DeviceAddress($0, .random) } ?? DeviceAddress(address, .public)
    }

    /// The 48 bits of that address.
    package var bondAddress: BluetoothAddress { identityAddress.address }

    /// Whether the controller supports Low Energy only, so that it is always on. `nil` if unknown.
    ///
    /// Spec: Core 5.4, Vol 2, Part C, 3.3: BR/EDR Not Supported (bit 37), LE Supported (Controller) (bit 38)
    public var isLowEnergyOnly: Bool? { lmpFeatures.map { $0 >> 37 & 0b11 == 0b11 } }

    /// Whether the controller supports Low Energy and Basic Rate. The kernel then keeps Low Energy off until a manager
    /// switches it on.
    public var isDualMode: Bool { lmpFeatures.map { $0 >> 37 & 0b11 == 0b10 } ?? false }

    /// Whether a text means this adapter: its name, or its address. The address stays when the kernel numbers the
    /// adapters differently.
    package func isMeant(by text: String) -> Bool {
        // All adapters without an address have the same zeros.
        text == name || address.rawValue != 0 && BluetoothAddress(text) == address
    }

    /// Throws the reason why the adapter cannot be used.
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
