// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

/// The checks of `doctor`, in the order in which a scan would meet the troubles.
enum DoctorCheck: String, CaseIterable, Sendable {
    /// Whether there are Bluetooth sockets. Without them no other check means anything.
    case kernel
    /// Whether the radio is blocked (rfkill), by hardware or by software.
    case rfkill
    /// Whether Bluetooth devices on USB have a driver. Without a driver they do not become adapters.
    case driver
    /// Whether the way to a controller that is not the kernel's leads to one.
    case transport
    /// Whether there is the adapter that is wanted.
    case adapter
    /// Whether the adapter is up, and not taken by a user channel.
    case power
    /// Whether the capabilities are there that raw HCI sockets and management commands need.
    case capability
    /// Whether USB autosuspend has put the adapter to sleep.
    case usb
    /// Whether the controller answers an HCI command at all.
    case controller
    /// Whether a scan can be started now.
    case scan
    /// Whether the controller has Low Energy, and whether it is enabled.
    case lowEnergy = "low-energy"
    /// Whether scans use extended commands, without which extended advertisements are not heard. If the controller has
    /// them and refuses them, the kernel cannot connect.
    case commands
    /// Whether the driver could set up the controller, and its version is not one with known faults.
    case firmware
    /// Whether another program, such as bluetoothd, manages the adapters.
    case manager
    /// Whether the folder of cached attributes can be used. Commands work without it, but discover more often.
    case cache
    /// Whether the file of bonds can be read. Connections need its keys.
    case bonds
    /// Whether the user's formats can be read. A damaged file ends every command that shows values or takes names.
    case formats

    var isOfAdapter: Bool {
        switch self {
        case .transport, .adapter, .power, .usb, .controller, .scan, .lowEnergy, .commands, .firmware: true
        case .kernel, .rfkill, .driver, .capability, .manager, .cache, .bonds, .formats: false
        }
    }

    /// The object of the check, for the manual.
    var summary: String {
        switch self {
        case .kernel: "Bluetooth in the kernel, and sockets for this process"
        case .rfkill: "no switch or program blocks the radio"
        case .driver: "each Bluetooth device on USB has one"
        case .transport: "of a controller that is not the kernel's; those of the kernel are left out then"
        case .adapter: "any, or that of `--adapter`"
        case .power: "on, and no program has it for itself"
        case .capability: "blectl has `CAP_NET_RAW` for scans, and `CAP_NET_ADMIN` to switch and to pair"
        case .usb: "the adapter is not suspended"
        case .controller: "the controller answers"
        case .scan: "can be started; none was left running"
        case .lowEnergy: "the controller has it, and it is on"
        case .commands: "extended ones for scans, if the controller has them"
        case .firmware: "set up by the driver; no known trouble of the manufacturer"
        case .manager: "no other program manages the adapters"
        case .cache: "its folder can be used"
        case .bonds: "the file of bonds can be read"
        case .formats: "the user's file, if any, can be read"
        }
    }
}

struct Finding: Sendable, Equatable {
    enum State: String, Sendable {
        case ok
        /// Scans and connections work, but something may get in their way.
        case warning
        /// A scan or a connection fails.
        case failure
        /// Nothing can be said, for the reason in the text.
        case unchecked
    }

    /// The purpose that fails because of a finding.
    enum Purpose: Hashable, Sendable {
        case scan
        case connection
    }

    let check: DoctorCheck
    let state: State
    /// The finding and its consequence: lower case, without a full stop. May contain text from outside.
    let text: String
    /// The remedy; `nil` if nothing has to be done, or can be done.
    let remedy: Remedy?
    /// The exit status of a command that fails because of it; `nil` unless one does.
    let status: ExitStatus?
    /// The purposes that fail because of it; empty unless the state is a failure.
    let stops: Set<Purpose>

    /// Creates a finding. The functions below allow only combinations that make sense.
    private init(
        _ check: DoctorCheck,
        _ state: State,
        _ text: String,
        _ remedy: Remedy?,
        status: ExitStatus? = nil,
        stops: Set<Purpose> = []
    ) {
        self.check = check
        self.state = state
        self.text = text
        self.remedy = remedy
        self.status = status
        self.stops = stops
    }

    /// All is well. The text describes the finding.
    static func ok(_ check: DoctorCheck, _ text: String) -> Finding { Finding(check, .ok, text, nil) }

    /// Something may cause trouble. There is always a remedy, because a warning without one is noise.
    static func warning(_ check: DoctorCheck, _ text: String, _ remedy: Remedy) -> Finding {
        Finding(check, .warning, text, remedy)
    }

    /// The check could not be made, because an earlier one has failed or the machine cannot be seen.
    static func unchecked(_ check: DoctorCheck, because reason: String) -> Finding {
        Finding(check, .unchecked, "not checked: \(reason)", nil)
    }

    /// Something fails, with the exit status that the command which needs it would end with.
    static func failure(
        _ check: DoctorCheck,
        _ status: ExitStatus,
        _ text: String,
        _ remedy: Remedy?,
        stops: Set<Purpose> = [.scan, .connection]
    ) -> Finding {
        Finding(check, .failure, text, remedy, status: status, stops: stops)
    }
}

enum Remedy: Sendable, Equatable {
    /// A line to type as it stands.
    case command(String)
    case advice(String)

    /// The remedy as it is shown, whether it is a command or a sentence.
    var text: String {
        switch self {
        case .command(let text), .advice(let text): text
        }
    }

    /// The line to type; `nil` if there is none.
    var command: String? { if case .command(let line) = self { line } else { nil } }
}
