// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A trouble of controllers that their version shows.
struct FirmwareQuirk: Sendable {
    /// The version that the controller gives of itself: manufacturer, HCI and LMP version with subversions.
    typealias Version = HCIReadLocalVersionInformation.ReturnParameters

    /// The consequence for the user.
    let text: String
    /// The advice for systems on which the package has no known name.
    let advice: String
    /// The package of Debian with the file that the controller lacks; `nil` if there is none.
    let package: String?
    /// Whether a controller shows it. The device is `nil` if it is on no USB.
    let isShown: @Sendable (Version, MachineFacts.USBDevice?) -> Bool

    /// The quirks in the order in which they are looked for. At most one is reported.
    static let all = [counterfeit, realtek, broadcom]

    /// Company identifiers, from the Assigned Numbers.
    private enum Company {
        static let cambridgeSiliconRadio: UInt16 = 0x000A
        static let broadcom: UInt16 = 0x000F
        static let realtek: UInt16 = 0x005D
    }

    /// A copy of a dongle by Cambridge Silicon Radio: the real one has one number for both of its revisions, that of
    /// its firmware.
    ///
    /// Spec: Linux, drivers/bluetooth/btusb.c, btusb_setup_csr
    static let counterfeit = FirmwareQuirk(
        text: "the device 0a12:0001 is a copy of one by Cambridge Silicon Radio: it may lack commands, and hang",
        advice: "use another adapter",
        package: nil
    ) { version, usb in
        usb?.identifiers.lowercased() == "0a12:0001"
            && (version.company != Company.cambridgeSiliconRadio || version.hciSubversion != version.lmpSubversion)
    }

    /// The revisions of Realtek's ROMs. Loaded firmware has another revision.
    ///
    /// Spec: Linux, drivers/bluetooth/btrtl.c, RTL_ROM_LMP_*
    private static let realtekROMs: Set<UInt16> = [
        0x8703, 0x1200, 0x8723, 0x8821, 0x8761, 0x8822, 0x8852, 0x8851, 0x8922,
    ]

    /// A Realtek controller that still has the revision of its ROM, which means that no firmware was loaded.
    static let realtek = FirmwareQuirk(
        text: "the controller by Realtek runs without its firmware: links break, and advertisements are lost",
        advice: "install the firmware 'rtl_bt' (Debian: firmware-realtek), and plug the adapter in again",
        package: "firmware-realtek"
    ) { version, _ in
        version.company == Company.realtek && realtekROMs.contains(version.lmpSubversion)
    }

    /// The build number in the revision is 0 until the patch file is loaded.
    ///
    /// Spec: Linux, drivers/bluetooth/btbcm.c, btbcm_initialize
    static let broadcom = FirmwareQuirk(
        text: "the controller by Broadcom runs without its patch file: Low Energy is unreliable",
        advice: "install the file 'brcm/*.hcd' that 'sudo dmesg' names, and plug the adapter in again",
        // The packages have the files of very few devices.
        package: nil
    ) { version, _ in
        version.company == Company.broadcom && version.hciSubversion & 0x0FFF == 0
    }
}
