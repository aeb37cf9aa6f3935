// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import CommandLineInterface
@testable import Commands

/// Made-up machines, and the findings on them.
enum DiagnosisCases {
    /// A machine on which all is well.
    static let healthy: MachineSnapshot = {
        var adapter = AdapterDescription(
            name: "hci0",
            index: 0,
            address: BluetoothAddress(rawValue: 0x001A_7DDA_7113),
            state: .up,
            bus: "usb",
            lmpFeatures: 1 << 38
        )
        adapter.isLowEnergyOn = true
        var facts = MachineFacts(kernel: "Linux 6.1.0-13-amd64")
        facts.hasUSBDriver = true
        facts.hasSystemd = true
        facts.rights = MachineFacts.Rights(hasNetRaw: true, hasNetAdmin: true)
        facts.attachments["hci0"] = MachineFacts.Attachment(driver: "btusb", usb: dongle)
        var snapshot = MachineSnapshot()
        snapshot.facts = facts
        snapshot.adapters = [adapter]
        snapshot.adapter = adapter
        snapshot.controller = .given(.init(version: version(), hasExtendedScan: true))
        snapshot.scan = .started(.extended)
        snapshot.cache = .usable(path: "/c", count: 3)
        snapshot.bonds = .usable(path: "/s", count: 1)
        snapshot.formats = .none(path: "/f")
        return snapshot
    }()

    static let dongle = MachineFacts.USBDevice(
        place: "1-2",
        identifiers: "0a12:0001",
        isSuspended: false,
        maySuspend: true
    )

    static func version(
        company: UInt16 = 0x000A,
        hci: UInt16 = 0x2031,
        lmp: UInt16 = 0x2031
    ) -> HCIReadLocalVersionInformation.ReturnParameters {
        HCIReadLocalVersionInformation.ReturnParameters(
            hciVersion: .core5_4,
            hciSubversion: hci,
            lmpVersion: .core5_4,
            company: company,
            lmpSubversion: lmp
        )
    }

    static func with(_ change: (inout MachineSnapshot) -> Void) -> MachineSnapshot {
        var snapshot = healthy
        change(&snapshot)
        return snapshot
    }

    static func error(_ cause: RadioError.Cause) -> RadioError {
        RadioError(cause, during: "a test", on: "hci0")
    }

    /// An adapter that cannot be used, as the examination leaves it.
    static func unusable(_ state: AdapterDescription.State, _ cause: RadioError.Cause) -> MachineSnapshot {
        with {
            $0.adapter?.state = state
            $0.problem = error(cause)
            $0.controller = .notAsked
            $0.scan = .notTried
        }
    }

    /// A machine without an adapter.
    static func bare(
        _ cause: RadioError.Cause,
        _ change: (inout MachineFacts) -> Void = { _ in }
    ) -> MachineSnapshot {
        with { snapshot in
            snapshot.adapters = []
            snapshot.adapter = nil
            snapshot.problem = RadioError(cause, during: "a test")
            snapshot.controller = .notAsked
            snapshot.scan = .notTried
            snapshot.facts?.attachments = [:]
            snapshot.facts.map { facts in
                var facts = facts
                change(&facts)
                snapshot.facts = facts
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let snapshot: MachineSnapshot
        let check: DoctorCheck
        let state: Finding.State
        let text: String
        let remedy: Remedy?
        let status: CommandLineInterface.ExitStatus

        init(
            _ name: String,
            _ snapshot: MachineSnapshot,
            _ check: DoctorCheck,
            _ state: Finding.State,
            _ text: String,
            _ remedy: Remedy? = nil,
            status: CommandLineInterface.ExitStatus = .success
        ) {
            self.name = name
            self.snapshot = snapshot
            self.check = check
            self.state = state
            self.text = text
            self.remedy = remedy
            self.status = status
        }

        var testDescription: String { name }
    }

    static let blind = with { $0.facts = nil }
    static let grant = Remedy.command("sudo setcap cap_net_raw,cap_net_admin+eip \"$(command -v blectl)\"")
    static let reset = Remedy.command("sudo blectl adapter reset")

    /// What the kernel shows of the machine.
    static let machineCases: [Case] = [
        Case(
            "no kernel support, and no module",
            bare(.noKernelSupport) { $0.hasBluetoothPart = false },
            .kernel,
            .failure,
            "this kernel has no Bluetooth support",
            .advice("'--simulate' runs without a radio"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a kernel of WSL",
            bare(.noKernelSupport) {
                ($0.kernel, $0.hasBluetoothPart) = ("Linux 5.15.167.4-microsoft-standard-WSL2", false)
            },
            .kernel,
            .failure,
            "this kernel has no Bluetooth support",
            .advice(
                "WSL needs a kernel with CONFIG_BT, and an adapter on USB that usbipd attaches; "
                    + "'--simulate' needs neither"
            ),
            status: .bluetoothUnavailable
        ),
        Case(
            "a module that is not loaded",
            bare(.noKernelSupport) { ($0.hasBluetoothPart, $0.canLoadBluetoothPart) = (false, true) },
            .kernel,
            .failure,
            "this kernel has no Bluetooth support",
            .command("sudo modprobe bluetooth"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a container",
            bare(.noKernelSupport),
            .kernel,
            .failure,
            "Linux 6.1.0-13-amd64 has Bluetooth, but not for the network of this container",
            .advice("run the container in the network of the machine: --network=host"),
            status: .bluetoothUnavailable
        ),
        Case("a machine out of sight", blind, .kernel, .unchecked, "not checked: the machine is out of sight"),
        Case(
            "blocked by software",
            unusable(.blocked(byHardware: false), .radioBlocked(byHardware: false)),
            .rfkill,
            .failure,
            "the radio is blocked by software",
            .command("sudo rfkill unblock bluetooth"),
            status: .bluetoothUnavailable
        ),
        Case(
            "blocked by hardware",
            unusable(.blocked(byHardware: true), .radioBlocked(byHardware: true)),
            .rfkill,
            .failure,
            "the radio is switched off by a switch or key of the machine",
            .advice("turn the switch on"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a switch of the machine that takes the adapter off the bus",
            bare(.noAdapter) {
                $0.switches = [
                    .init(name: "tpacpi_bluetooth_sw", isBlockedBySoftware: true, isBlockedByHardware: false)
                ]
            },
            .rfkill,
            .failure,
            "the radio is blocked by software",
            .command("sudo rfkill unblock bluetooth"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a switch of another adapter",
            with {
                $0.facts?.switches = [.init(name: "hci1", isBlockedBySoftware: true, isBlockedByHardware: false)]
            },
            .rfkill,
            .ok,
            "no switch blocks hci0; blocked: hci1"
        ),
        Case(
            "a device without its driver",
            bare(.noAdapter) { ($0.driverless, $0.hasUSBDriver) = ([dongle], false) },
            .driver,
            .failure,
            "no driver has taken the Bluetooth device 0a12:0001 on USB",
            .command("sudo modprobe btusb"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a device that its driver has left",
            with { $0.facts?.driverless = [dongle] },
            .driver,
            .warning,
            "no driver has taken the Bluetooth device 0a12:0001 on USB",
            .advice("plug it in again; the driver says in 'sudo dmesg' why it left it")
        ),
        Case("a driver", healthy, .driver, .ok, "hci0 by btusb"),
        Case(
            "without capabilities",
            with {
                $0.facts?.rights = .init(hasNetRaw: false, hasNetAdmin: false)
                $0.scan = .failed(error(.permissionDenied(capability: "CAP_NET_RAW")))
            },
            .capability,
            .failure,
            "the capability CAP_NET_RAW is missing",
            grant,
            status: .permissionDenied
        ),
        Case(
            "without capabilities, and nothing that could be scanned",
            with {
                $0.facts?.rights = .init(hasNetRaw: false, hasNetAdmin: false)
                $0.scan = .notTried
            },
            .capability,
            .failure,
            "the capabilities CAP_NET_RAW and CAP_NET_ADMIN are missing",
            grant,
            status: .permissionDenied
        ),
        Case(
            "with capabilities of another user namespace, which the kernel refuses",
            with { $0.scan = .failed(error(.permissionDenied(capability: "CAP_NET_RAW"))) },
            .capability,
            .failure,
            "the capability CAP_NET_RAW is missing",
            grant,
            status: .permissionDenied
        ),
        Case(
            "with one capability",
            with { $0.facts?.rights = .init(hasNetRaw: true, hasNetAdmin: false) },
            .capability,
            .warning,
            "the capability CAP_NET_ADMIN is missing: blectl can neither pair nor switch an adapter",
            grant
        ),
        Case(
            "asleep and silent",
            with {
                $0.facts?.attachments["hci0"]?.usb?.isSuspended = true
                $0.controller = .failed(error(.controllerSilent))
                $0.scan = .notTried
            },
            .usb,
            .failure,
            "the kernel has suspended hci0, device 1-2 on USB, and it does not wake",
            .command("echo on | sudo tee /sys/bus/usb/devices/1-2/power/control"),
            status: .temporaryFailure
        ),
        Case(
            "asleep, and it wakes",
            with { $0.facts?.attachments["hci0"]?.usb?.isSuspended = true },
            .usb,
            .warning,
            "the kernel has suspended hci0, device 1-2 on USB: it may lose packets",
            .command("echo on | sudo tee /sys/bus/usb/devices/1-2/power/control")
        ),
        Case(
            "a place that is no part of a command line",
            with {
                $0.facts?.attachments["hci0"]?.usb?.isSuspended = true
                $0.facts?.attachments["hci0"]?.usb?.place = "1-2;reboot"
            },
            .usb,
            .warning,
            "the kernel has suspended hci0, device 1-2;reboot on USB: it may lose packets",
            .advice("write 'on' into its power/control in /sys")
        ),
        Case(
            "a service",
            with { $0.facts?.manager = .init(name: "bluetoothd", process: 7) },
            .manager,
            .warning,
            "bluetoothd manages the adapters: it may hold devices, switch adapters back, and keep 'serve' from serving",
            .command("sudo systemctl stop bluetooth")
        ),
        Case(
            "a daemon that is no service",
            with {
                $0.facts?.manager = .init(name: "bluetoothd", process: 7)
                $0.facts?.hasSystemd = false
            },
            .manager,
            .warning,
            "bluetoothd manages the adapters: it may hold devices, switch adapters back, and keep 'serve' from serving",
            .command("sudo kill 7")
        ),
    ]
}
