// SPDX-License-Identifier: MIT

import Bluetooth

/// What a controller has said about itself while it was brought up.
struct ControllerFacts: Hashable, Sendable {
    var hciVersion: BluetoothVersion
    /// The manufacturer's company identifier.
    var company: UInt16
    /// The manufacturer's revision of the link manager.
    var lmpSubversion: UInt16
    /// The commands that it lists; `nil` if it cannot list them.
    var commands: HCISupportedCommands?
    /// The features of its link manager, page 0; `nil` if it cannot list them.
    var lmpFeatures: UInt64?
    var leFeatures: LEFeatures
    /// Its public address; all zeros if it has none.
    var publicAddress: BluetoothAddress
    /// The largest data packet, in octets.
    var packetLength: Int
    var packetCount: Int
    /// The number of devices that the filter accept list has room for.
    var acceptListSize: Int
    /// The number of devices that the resolving list has room for; 0 without one.
    var resolvingListSize = 0

    /// A controller about which nothing is known.
    init() {
        hciVersion = BluetoothVersion(rawValue: 0x06)
        company = 0xFFFF
        lmpSubversion = 0
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

    /// Whether it can recognise devices with private addresses, also those that use their identity (5.0).
    var canResolve: Bool {
        let needed: [any HCICommand.Type] = [
            LEReadResolvingListSize.self, LEAddDeviceToResolvingList.self, LEClearResolvingList.self,
            LESetAddressResolutionEnable.self, LESetPrivacyMode.self,
        ]
        return needed.allSatisfy(lists)
    }

    /// Whether links can leave events out.
    var hasSubrating: Bool { leFeatures.contains(.connectionSubrating) && lists(LESetHostFeature.self) }

    /// Whether it has Basic Rate as well.
    ///
    /// Spec: Core 5.4, Vol 2, Part C, 3.3: BR/EDR Not Supported (bit 37), LE Supported (Controller) (bit 38)
    var isDualMode: Bool { lmpFeatures.map { $0 >> 37 & 0b11 == 0b10 } ?? false }

    /// The maker, if it is one whose controllers work with firmware that the kernel's driver loads.
    ///
    /// Spec: Bluetooth SIG, Assigned Numbers, 7.1
    var firmwareMaker: String? {
        switch company {
        case 0x0002: "Intel"
        case 0x0046: "MediaTek"
        case 0x005D: "Realtek"
        default: nil
        }
    }

    /// Whether it has its read-only memory only. Those of Realtek say the number of their chip until they have firmware.
    ///
    /// Spec: Linux, drivers/bluetooth/btrtl.c, RTL_ROM_LMP
    var isBare: Bool {
        let chips: [UInt16] = [
            0x1200, 0x3499, 0x8703, 0x8723, 0x8761, 0x8821, 0x8822, 0x8851, 0x8852, 0x8922,
        ]
        return company == 0x005D && chips.contains(lmpSubversion)
    }

    /// Whether it has Low Energy. One that cannot list its features is believed to have it.
    var hasLowEnergy: Bool { lmpFeatures.map { $0 >> 38 & 1 == 1 } ?? true }
}
