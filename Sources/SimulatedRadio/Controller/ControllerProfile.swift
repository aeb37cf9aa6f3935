// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What kind of controller the simulated adapter has.
public struct ControllerProfile: Hashable, Sendable {
    /// The adapter's public address.
    public var address: BluetoothAddress
    /// The HCI version, 0x0D for 5.4.
    public var hciVersion: UInt8
    /// The manufacturer's company identifier.
    public var manufacturer: UInt16
    /// The LMP features, page 0.
    public var lmpFeatures: UInt64
    /// The LE features, page 0.
    public var leFeatures: UInt64
    /// The most links it can hold.
    public var maximumConnections: Int

    /// LE Extended Advertising, bit 12: whether the extended commands exist.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 4.6
    static let extendedAdvertising: UInt64 = 1 << 12

    var supportsExtendedAdvertising: Bool { leFeatures & Self.extendedAdvertising != 0 }

    /// A controller of today: 5.4, LE only, extended advertising, 2M and coded PHY, long packets.
    public static let modern = ControllerProfile(
        address: BluetoothAddress(rawValue: 0x02_00_00_00_00_01),
        hciVersion: 0x0D,
        // The Linux Foundation, as the kernel's own virtual controllers say.
        manufacturer: 0x05F1,
        // BR/EDR not supported, LE supported.
        lmpFeatures: 1 << 37 | 1 << 38,
        // Encryption, parameter requests, extended reject, feature exchange, ping, data length, extended filter policies,
        // 2M, coded, extended advertising, channel selection algorithm 2.
        leFeatures: 0b0101_1001_1011_1111,
        maximumConnections: 8
    )

    /// A controller of 2010: 4.0, legacy commands only.
    public static let legacy = ControllerProfile(
        address: BluetoothAddress(rawValue: 0x02_00_00_00_00_01),
        hciVersion: 0x06,
        manufacturer: 0x05F1,
        lmpFeatures: 1 << 37 | 1 << 38,
        leFeatures: 0b1,
        maximumConnections: 4
    )
}
