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
    /// The HCI version number of the controller (0x0D: 5.4), where the controller told.
    public var hciVersion: UInt8?
    /// The controller's LMP features, page 0, where known.
    public var lmpFeatures: UInt64?
    /// The controller's LE features, page 0, where known.
    public var leFeatures: UInt64?

    /// Describes an adapter.
    public init(
        name: String,
        index: Int,
        address: BluetoothAddress,
        state: State,
        bus: String,
        manufacturer: UInt16? = nil,
        hciVersion: UInt8? = nil,
        lmpFeatures: UInt64? = nil,
        leFeatures: UInt64? = nil
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
}
