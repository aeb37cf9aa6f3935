// SPDX-License-Identifier: MIT

public import Bluetooth

/// The model of the simulated adapter's controller.
public struct ControllerProfile: Hashable, Sendable {
    /// The adapter's public address.
    public var address: BluetoothAddress
    /// The version of the specification.
    public var hciVersion: BluetoothVersion
    /// The manufacturer's company identifier.
    public var manufacturer: UInt16
    /// The manufacturer's revision of the link layer.
    package var lmpSubversion: UInt16 = 0
    /// The LMP features, page 0.
    public var lmpFeatures: UInt64
    /// The LE features, page 0.
    public var leFeatures: LEFeatures
    /// The maximum number of links.
    public var maximumConnections: Int

    /// A current controller: 5.4, LE only, extended advertising, 2M and coded PHY, long packets.
    public static let modern = ControllerProfile(
        // A locally administered address, so that it belongs to no manufacturer.
        address: BluetoothAddress(rawValue: 0x02_00_00_00_00_01),
        hciVersion: .core5_4,
        // The Linux Foundation, which the kernel's own virtual controllers report as well.
        manufacturer: 0x05F1,
        // BR/EDR not supported, LE supported.
        lmpFeatures: 1 << 37 | 1 << 38,
        leFeatures: [
            .encryption, .connectionParametersRequest, .peripheralInitiatedFeaturesExchange,
            .dataPacketLengthExtension, .le2MPHY, .codedPHY, .extendedAdvertising, .channelSelectionAlgorithm2,
        ],
        maximumConnections: 8
    )

    /// A controller of 2010: 4.0, without extended commands.
    public static let legacy = ControllerProfile(
        address: BluetoothAddress(rawValue: 0x02_00_00_00_00_01),
        hciVersion: BluetoothVersion(rawValue: 0x06),
        manufacturer: 0x05F1,
        lmpFeatures: 1 << 37 | 1 << 38,
        leFeatures: .encryption,
        maximumConnections: 4
    )
}
