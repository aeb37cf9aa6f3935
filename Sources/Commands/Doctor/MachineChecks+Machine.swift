// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import ControllerCommands
import Terminal
import Toolkit

/// The checks of the kernel and of the machine around the adapter.
extension MachineChecks {
    /// Whether the kernel has Bluetooth, and whether this process is allowed to use it. In a container it may
    /// be there but out of reach, because Bluetooth sockets belong to the network namespace of the machine.
    var kernel: Finding {
        if let problem = snapshot.problem, problem.cause == .noKernelSupport {
            guard let facts, facts.hasBluetoothPart || facts.canLoadBluetoothPart else {
                return failure(.kernel, problem, remedyForKernel)
            }
            guard facts.hasBluetoothPart else {
                return failure(.kernel, problem, .command("sudo modprobe bluetooth"))
            }
            let described = BlectlError(problem, doing: "scan")
            // The kernel gives Bluetooth sockets only to processes in its first network namespace (bt_sock_create).
            return .failure(
                .kernel,
                described.status,
                "\(facts.kernel) has Bluetooth, but not for the network of this container",
                .advice("run the container in the network of the machine: --network=host")
            )
        }
        guard let facts else { return .unchecked(.kernel, because: Self.outOfSight) }
        return .ok(.kernel, "\(facts.kernel) has Bluetooth")
    }

    /// The remedy for a kernel without Bluetooth. In WSL another kernel alone does not help: Windows also has to hand
    /// the adapter over.
    private var remedyForKernel: Remedy {
        // Microsoft's kernels have such releases: 5.15.167.4-microsoft-standard-WSL2.
        guard facts?.kernel.lowercased().contains(text: "microsoft") == true else {
            return .advice("'--simulate' runs without a radio")
        }
        return .advice(
            "WSL needs a kernel with CONFIG_BT, and an adapter on USB that usbipd attaches; '--simulate' needs neither"
        )
    }

    /// Whether a switch blocks the radio: that of the adapter, or any switch if there is no adapter.
    var rfkill: Finding {
        guard snapshot.problem?.cause != .noKernelSupport else {
            return .unchecked(.rfkill, because: "this kernel has no Bluetooth support")
        }
        if case .blocked(let byHardware)? = snapshot.adapter?.state { return blocked(byHardware: byHardware, by: name) }
        guard let facts else { return .unchecked(.rfkill, because: Self.outOfSight) }
        // A switch of the machine may take the adapter off its bus, so that only the switch is left to see.
        if snapshot.adapter == nil, snapshot.adapters.isEmpty {
            if let held = facts.switches.first(where: \.isBlockedByHardware) {
                return blocked(byHardware: true, by: held.name)
            }
            if let held = facts.switches.first(where: \.isBlockedBySoftware) {
                return blocked(byHardware: false, by: held.name)
            }
        }
        let others = facts.switches.filter { $0.isBlockedBySoftware || $0.isBlockedByHardware }
        return .ok(
            .rfkill,
            others.isEmpty
                ? "no switch blocks the radio" : "no switch blocks \(name); blocked: " + list(others.map(\.name))
        )
    }

    /// The failure of a blocked radio, in the words of the error that a command would report.
    private func blocked(byHardware: Bool, by place: String) -> Finding {
        failure(.rfkill, RadioError(.radioBlocked(byHardware: byHardware), during: place, on: snapshot.adapter?.name))
    }

    /// Whether each Bluetooth device on USB has a driver. With a working adapter beside it, a device without
    /// one is a warning only.
    var driver: Finding {
        guard let facts else { return .unchecked(.driver, because: Self.outOfSight) }
        if let device = facts.driverless.first {
            let text = "no driver has taken the Bluetooth device \(device.identifiers) on USB"
            let remedy: Remedy =
                facts.hasUSBDriver
                ? .advice("plug it in again; the driver says in 'sudo dmesg' why it left it")
                : .command("sudo modprobe btusb")
            guard snapshot.adapter == nil else { return .warning(.driver, text, remedy) }
            return .failure(.driver, .bluetoothUnavailable, text, remedy)
        }
        let drivers = facts.attachments.sorted { $0.key < $1.key }.compactMap { name, attachment in
            attachment.driver.map { "\(name) by \($0)" }
        }
        guard drivers.isEmpty else { return .ok(.driver, list(drivers)) }
        return facts.attachments.isEmpty
            ? .unchecked(.driver, because: "there is no Bluetooth device that a driver could take")
            : .ok(.driver, "virtual adapters need none")
    }

    /// Whether this process may scan and manage. The result of the scan counts more than the capabilities themselves.
    var capability: Finding {
        if case .failed(let error) = snapshot.scan, case .permissionDenied = error.cause {
            return failure(.capability, error, stops: [.scan])
        }
        guard let rights = facts?.rights else {
            if case .started = snapshot.scan { return .ok(.capability, "blectl may scan") }
            return .unchecked(.capability, because: Self.outOfSight)
        }
        guard rights.hasNetRaw else {
            let missing = rights.hasNetAdmin ? "CAP_NET_RAW" : "CAP_NET_RAW and CAP_NET_ADMIN"
            let error = BlectlError(denial("CAP_NET_RAW"), doing: "scan")
            let text = rights.hasNetAdmin ? error.reason : "the capabilities \(missing) are missing"
            return .failure(.capability, error.status, text, error.hint.map { .command($0) }, stops: [.scan])
        }
        guard rights.hasNetAdmin else {
            let hint = BlectlError(denial("CAP_NET_ADMIN"), doing: "pair").hint ?? ""
            let text = "the capability CAP_NET_ADMIN is missing: blectl can neither pair nor switch an adapter"
            return .warning(.capability, text, .command(hint))
        }
        return .ok(.capability, "blectl has CAP_NET_RAW and CAP_NET_ADMIN")
    }

    /// The error that the kernel would answer with if the capability is needed.
    private func denial(_ capability: String) -> RadioError {
        RadioError(.permissionDenied(capability: capability), during: name)
    }

    /// Whether the adapter is suspended on USB. A sleeping adapter that does not answer is a failure; one that
    /// is not in use may sleep.
    var usb: Finding {
        guard let facts else { return .unchecked(.usb, because: Self.outOfSight) }
        guard let adapter = snapshot.adapter, let attachment = facts.attachments[adapter.name] else {
            return .unchecked(.usb, because: "there is no Bluetooth adapter")
        }
        guard let device = attachment.usb else { return .ok(.usb, "\(adapter.name) is not on USB") }
        guard device.isSuspended else {
            let state = device.maySuspend ? "awake; the kernel may suspend it when it is idle" : "kept awake"
            return .ok(.usb, "\(adapter.name) is device \(device.place), \(state)")
        }
        let remedy = Self.waking(device)
        let text = "the kernel has suspended \(adapter.name), device \(device.place) on USB"
        if case .failed(let error) = snapshot.controller, error.cause == .controllerSilent {
            let described = BlectlError(error, doing: "scan")
            return .failure(.usb, described.status, "\(text), and it does not wake", remedy)
        }
        // One that is down sleeps rightly, and wakes when it is powered.
        guard adapter.state == .up else { return .ok(.usb, "\(text), because it is not in use") }
        return .warning(.usb, "\(text): it may lose packets", remedy)
    }

    /// The command that keeps a device on USB from being suspended. A name with a character that a shell might
    /// interpret gives advice instead, because the user pastes the line into a shell.
    private static func waking(_ device: MachineFacts.USBDevice) -> Remedy {
        let isPlain = Prose.word(device.place) == device.place
        guard isPlain else { return .advice("write 'on' into its power/control in /sys") }
        return .command("echo on | sudo tee /sys/bus/usb/devices/\(device.place)/power/control")
    }

    /// Whether a program manages the adapters. The manager that the machine shows wins over the one that the
    /// adapter's settings suggest, because its process is known.
    var manager: Finding {
        guard let manager = facts?.manager else {
            if let name = snapshot.adapter?.manager {
                return .warning(.manager, Self.text(of: name), .advice("end \(name), if it gets in the way"))
            }
            return facts == nil
                ? .unchecked(.manager, because: Self.outOfSight) : .ok(.manager, "no program manages the adapters")
        }
        let isService = facts?.hasSystemd == true && manager.name == "bluetoothd"
        let line = isService ? "sudo systemctl stop bluetooth" : "sudo kill \(manager.process)"
        return .warning(.manager, Self.text(of: manager.name), .command(line))
    }

    /// The warning about a manager, which is the same however it was found.
    private static func text(of manager: String) -> String {
        "\(manager) manages the adapters: it may hold devices, switch adapters back, and keep 'serve' from serving"
    }

    /// The first of several names.
    func list(_ names: [String]) -> String {
        let shown = names.prefix(4).joined(separator: ", ")
        return names.count > 4 ? "\(shown) and \(names.count - 4) more" : shown
    }
}

/// The checks of a controller that is not the kernel's.
extension MachineChecks {
    /// Where the controller is; `nil` for an adapter of the kernel.
    private var place: ControllerPlace? { snapshot.wanted.flatMap { ControllerPlace($0) } }

    /// The checks that say something: those of the kernel, or those of a controller elsewhere.
    var made: [DoctorCheck] {
        DoctorCheck.allCases.filter { check in
            switch check {
            case .transport: place != nil
            case .kernel, .rfkill, .driver, .power, .capability, .usb, .firmware, .manager: place == nil
            // What keeps it from being one is found by the transport.
            case .adapter: place == nil || snapshot.adapter != nil
            case .controller, .scan, .lowEnergy, .commands, .cache, .bonds, .formats: true
            }
        }
    }

    var transport: Finding {
        guard let place else { return .unchecked(.transport, because: "the adapter is the kernel's") }
        guard let problem = snapshot.problem else { return .ok(.transport, place.way) }
        if case .attachment(let attachment) = problem.cause, attachment.isCommand {
            return failure(.transport, problem, .command(attachment.remedy))
        }
        return failure(.transport, problem, BlectlError(problem, doing: "scan").hint.map { .advice($0) })
    }
}
