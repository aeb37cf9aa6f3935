// SPDX-License-Identifier: MIT

/// The facts about a machine's Bluetooth outside of the Bluetooth sockets. Names come from outside and may contain
/// anything.
package struct MachineFacts: Hashable, Sendable {
    package struct USBDevice: Hashable, Sendable {
        /// Its place on the bus, by which sysfs names it: `1-2`.
        package var place: String
        /// Its vendor and product identifiers in hexadecimal digits: `0bda:8771`.
        package var identifiers: String
        package var isSuspended: Bool
        /// Whether the kernel may suspend it when it is idle.
        package var maySuspend: Bool

        package init(place: String, identifiers: String, isSuspended: Bool, maySuspend: Bool) {
            self.place = place
            self.identifiers = identifiers
            self.isSuspended = isSuspended
            self.maySuspend = maySuspend
        }
    }

    /// The way in which an adapter is attached.
    package struct Attachment: Hashable, Sendable {
        /// The kernel's driver: `btusb`; `nil` if there is none, as for virtual adapters.
        package var driver: String?
        /// The device on USB; `nil` if it is on no USB.
        package var usb: USBDevice?

        package init(driver: String?, usb: USBDevice?) {
            self.driver = driver
            self.usb = usb
        }
    }

    /// A switch of rfkill for Bluetooth.
    package struct RadioSwitch: Hashable, Sendable {
        /// The name of the switched device: `hci0`, `tpacpi_bluetooth_sw`.
        package var name: String
        package var isBlockedBySoftware: Bool
        package var isBlockedByHardware: Bool

        package init(name: String, isBlockedBySoftware: Bool, isBlockedByHardware: Bool) {
            self.name = name
            self.isBlockedBySoftware = isBlockedBySoftware
            self.isBlockedByHardware = isBlockedByHardware
        }
    }

    package struct Manager: Hashable, Sendable {
        /// Its name: `bluetoothd`.
        package var name: String
        package var process: Int32

        package init(name: String, process: Int32) {
            self.name = name
            self.process = process
        }
    }

    package struct Rights: Hashable, Sendable {
        /// Whether the process has `CAP_NET_RAW`.
        package var hasNetRaw: Bool
        /// Whether the process has `CAP_NET_ADMIN`.
        package var hasNetAdmin: Bool

        package init(hasNetRaw: Bool, hasNetAdmin: Bool) {
            self.hasNetRaw = hasNetRaw
            self.hasNetAdmin = hasNetAdmin
        }
    }

    /// The sources of packages of a Debian, from version 12 on.
    package struct PackageSources: Hashable, Sendable {
        /// The file that lists them: `/etc/apt/sources.list`. No part of it comes from outside.
        package var file: String
        /// Whether the component of firmware is among them, `non-free-firmware`.
        package var hasFirmware: Bool

        package init(file: String, hasFirmware: Bool) {
            self.file = file
            self.hasFirmware = hasFirmware
        }
    }

    /// The kernel and its version: `Linux 6.1.0`.
    package var kernel: String
    /// Whether the Bluetooth part of the kernel is there: built in, or as a loaded module.
    package var hasBluetoothPart: Bool
    /// Whether the Bluetooth part is a module that could be loaded.
    package var canLoadBluetoothPart: Bool
    package var hasUSBDriver: Bool
    /// The Bluetooth devices on USB that no driver has taken.
    package var driverless: [USBDevice]
    package var switches: [RadioSwitch]
    /// The rights of the process; `nil` if unknown.
    package var rights: Rights?
    /// The program that manages the adapters; `nil` if none was found.
    package var manager: Manager?
    /// Whether systemd runs the machine's services.
    package var hasSystemd: Bool
    /// The sources of packages; `nil` unless the machine is a Debian that has them.
    package var packageSources: PackageSources?
    package var attachments: [String: Attachment]

    /// A machine of which only the kernel is known.
    package init(kernel: String) {
        self.kernel = kernel
        hasBluetoothPart = true
        canLoadBluetoothPart = false
        hasUSBDriver = false
        driverless = []
        switches = []
        hasSystemd = false
        attachments = [:]
    }
}

/// A system of adapters whose machine can be looked at.
package protocol InspectedMachine: Sendable {
    /// The present facts. Sends no packet.
    func facts() -> MachineFacts
}
