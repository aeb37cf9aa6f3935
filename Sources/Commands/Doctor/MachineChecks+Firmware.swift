// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface

extension MachineChecks {
    /// Whether the driver could not set the adapter up: the kernel does not know its address.
    ///
    /// Set Powered does not reach such an adapter, because the management interface does not list it.
    ///
    /// Spec: Linux, net/bluetooth/hci_sync.c, hci_dev_init_sync: the driver loads the firmware, and stops without it,
    /// before the address is read
    var isNotSetUp: Bool { snapshot.adapter.map { $0.state == .down && $0.address.rawValue == 0 } ?? false }

    var firmware: Finding {
        if isNotSetUp {
            let text = "the driver could not set up \(name), most often because its firmware is missing"
            return .failure(.firmware, .bluetoothUnavailable, text, remedyForMissingFirmware)
        }
        guard case .given(let controller) = snapshot.controller else {
            return .unchecked(.firmware, because: obstacleToAsking ?? "the controller does not answer")
        }
        guard let quirk = FirmwareQuirk.all.first(where: { $0.isShown(controller.version, attachment?.usb) }) else {
            return .ok(.firmware, "no known trouble of \(manufacturer(controller.version.company))")
        }
        return .warning(.firmware, quirk.text, installation(of: quirk.package) ?? .advice(quirk.advice))
    }

    private var attachment: MachineFacts.Attachment? { snapshot.adapter.flatMap { facts?.attachments[$0.name] } }

    /// The packages of Debian with firmware of a manufacturer, by the vendor of its devices on USB.
    static let firmwarePackages = [
        "0bda": "firmware-realtek", "0cf3": "firmware-atheros", "8087": "firmware-iwlwifi",
    ]

    private var remedyForMissingFirmware: Remedy {
        let vendor = attachment?.usb?.identifiers.prefix(4).lowercased()
        return installation(of: vendor.flatMap { Self.firmwarePackages[$0] })
            ?? .advice("install the firmware that 'sudo dmesg' names, and plug the adapter in again")
    }

    /// The line that installs a package of firmware, and lets the driver load it; `nil` if the machine has no such
    /// packages, or another driver.
    private func installation(of package: String?) -> Remedy? {
        guard let package, let sources = facts?.packageSources, attachment?.driver == "btusb" else { return nil }
        // Debian has its firmware in a component of its own, which not every machine has among its sources.
        let expression = "/^deb \\|^Components:/s/ main/ main non-free-firmware/"
        let component = sources.hasFirmware ? "" : "sudo sed -i '\(expression)' \(sources.file) && "
        // A source of other packages that fails to be updated does not matter. The driver loads firmware only when it
        // takes a device.
        return .command(
            "\(component)sudo apt update; sudo apt install \(package) && sudo modprobe -r btusb && sudo modprobe btusb"
        )
    }
}
