// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface

@testable import Commands

extension DiagnosisCases {
    /// An adapter that its driver could not set up: it is down, and its address is not known.
    private static func notSetUp(
        vendor: String,
        driver: String = "btusb",
        _ sources: MachineFacts.PackageSources?
    ) -> MachineSnapshot {
        var snapshot = unusable(.down, .adapterDown)
        snapshot.adapter?.address = BluetoothAddress(rawValue: 0)
        snapshot.adapter?.lmpFeatures = nil
        snapshot.adapter?.isLowEnergyOn = nil
        snapshot.facts?.attachments["hci0"]?.driver = driver
        snapshot.facts?.attachments["hci0"]?.usb?.identifiers = "\(vendor):0001"
        snapshot.facts?.packageSources = sources
        return snapshot
    }

    private static let withFirmware = MachineFacts.PackageSources(file: "/etc/apt/sources.list", hasFirmware: true)
    private static let withoutFirmware = MachineFacts.PackageSources(file: "/etc/apt/sources.list", hasFirmware: false)
    private static let text = "the driver could not set up hci0, most often because its firmware is missing"
    private static let advice = Remedy.advice(
        "install the firmware that 'sudo dmesg' names, and plug the adapter in again"
    )

    private static func installation(_ package: String) -> String {
        "sudo apt update; sudo apt install \(package) && sudo modprobe -r btusb && sudo modprobe btusb"
    }

    private static func failure(_ name: String, _ snapshot: MachineSnapshot, _ remedy: Remedy) -> Case {
        Case(name, snapshot, .firmware, .failure, text, remedy, status: .bluetoothUnavailable)
    }

    /// A controller by Realtek that runs without its firmware.
    private static func readOnlyMemory(_ sources: MachineFacts.PackageSources?) -> MachineSnapshot {
        with {
            $0.controller = .given(.init(version: version(company: 0x005D, lmp: 0x8761), hasExtendedScan: true))
            $0.facts?.attachments["hci0"]?.usb?.identifiers = "0bda:8771"
            $0.facts?.packageSources = sources
        }
    }

    /// The firmware of the controller.
    static let firmwareCases: [Case] = [
        failure(
            "no firmware, on a Debian",
            notSetUp(vendor: "0bda", withFirmware),
            .command(installation("firmware-realtek"))
        ),
        failure(
            "no firmware, and no source of it",
            notSetUp(vendor: "0bda", withoutFirmware),
            .command(
                "sudo sed -i '/^deb \\|^Components:/s/ main/ main non-free-firmware/' /etc/apt/sources.list && "
                    + installation("firmware-realtek")
            )
        ),
        failure(
            "no firmware of Intel",
            notSetUp(vendor: "8087", withFirmware),
            .command(installation("firmware-iwlwifi"))
        ),
        failure(
            "no firmware of Atheros",
            notSetUp(vendor: "0CF3", withFirmware),
            .command(installation("firmware-atheros"))
        ),
        failure("no firmware of a vendor without a package", notSetUp(vendor: "0a5c", withFirmware), advice),
        failure("no firmware, with another driver", notSetUp(vendor: "0bda", driver: "hci_uart", withFirmware), advice),
        failure("no firmware, and no Debian", notSetUp(vendor: "0bda", nil), advice),
        Case(
            "firmware of Realtek that is missing without a failure, on a Debian",
            readOnlyMemory(withFirmware),
            .firmware,
            .warning,
            FirmwareQuirk.realtek.text,
            .command(installation("firmware-realtek"))
        ),
        Case(
            "firmware of Realtek that is missing without a failure",
            readOnlyMemory(nil),
            .firmware,
            .warning,
            FirmwareQuirk.realtek.text,
            .advice("install the firmware 'rtl_bt' (Debian: firmware-realtek), and plug the adapter in again")
        ),
        Case(
            "an adapter that was not set up, which cannot be powered",
            notSetUp(vendor: "0bda", withFirmware),
            .power,
            .unchecked,
            "not checked: hci0 was not set up",
            status: .bluetoothUnavailable
        ),
    ]

    /// Every case.
    static let all = machineCases + adapterCases + firmwareCases + elsewhereCases
}
