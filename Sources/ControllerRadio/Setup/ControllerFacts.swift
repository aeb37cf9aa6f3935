// SPDX-License-Identifier: MIT

import Bluetooth

/// What a controller has said about itself while it was brought up.
struct ControllerFacts: Hashable, Sendable {
    /// The version of the host interface.
    var hciVersion: BluetoothVersion
    /// The manufacturer's company identifier.
    var company: UInt16
    /// The commands that it lists; `nil` if it cannot list them.
    var commands: HCISupportedCommands?
    /// The features of its link manager, page 0; `nil` if it cannot list them.
    var lmpFeatures: UInt64?
    /// The features of its link layer.
    var leFeatures: LEFeatures
    /// Its public address; all zeros if it has none.
    var publicAddress: BluetoothAddress
    /// The largest data packet, in octets.
    var packetLength: Int
    /// The number of its buffers for data packets.
    var packetCount: Int
    /// The number of devices that the filter accept list has room for.
    var acceptListSize: Int

    /// A controller about which nothing is known.
    init() {
        hciVersion = BluetoothVersion(rawValue: 0x06)
        company = 0xFFFF
        leFeatures = []
        publicAddress = BluetoothAddress(rawValue: 0)
        packetLength = 0
        packetCount = 0
        acceptListSize = 0
    }

    /// Whether it claims a command. One that cannot list its commands claims none of those that are optional.
    func lists(_ type: any HCICommand.Type) -> Bool { commands?.contains(type) ?? (type.supportBit == nil) }

    /// The address with which this host connects and advertises: the random one that was set, if there is no public one.
    var ownAddressType: LEOwnAddressType { publicAddress.rawValue == 0 ? .random : .public }

    /// Whether it has Basic Rate as well.
    ///
    /// Spec: Core 5.4, Vol 2, Part C, 3.3: BR/EDR Not Supported (bit 37), LE Supported (Controller) (bit 38)
    var isDualMode: Bool { lmpFeatures.map { $0 >> 37 & 0b11 == 0b10 } ?? false }

    /// Whether it has Low Energy. One that cannot list its features is believed to have it.
    var hasLowEnergy: Bool { lmpFeatures.map { $0 >> 38 & 1 == 1 } ?? true }
}
