// SPDX-License-Identifier: GPL-2.0-or-later

/// The checks of `doctor`, in the order in which a scan would meet the troubles.
enum DoctorCheck: String, CaseIterable, Sendable {
    case kernel
    case rfkill
    case driver
    case adapter
    case power
    case capability
    case usb
    case controller
    case scan
    case lowEnergy = "low-energy"
    case commands
    case firmware
    case manager
    case cache
    case bonds

    /// The object of the check, for the manual.
    var summary: String {
        switch self {
        case .kernel: "the kernel has Bluetooth, and this process gets its sockets"
        case .rfkill: "no switch of the machine and no program blocks the radio"
        case .driver: "a driver has taken each Bluetooth device on USB"
        case .adapter: "there is an adapter, or that of `--adapter`"
        case .power: "it is on, and no program has it for itself"
        case .capability: "blectl has `CAP_NET_RAW` for scans, and `CAP_NET_ADMIN` to switch and to pair"
        case .usb: "the kernel has not suspended the adapter on USB"
        case .controller: "the controller answers"
        case .scan: "a scan can be started; nothing has left one running"
        case .lowEnergy: "the controller has Low Energy, and it is on"
        case .commands: "the commands of scans are the extended ones, if the controller has them"
        case .firmware: "the controller shows no trouble that its manufacturer is known for"
        case .manager: "no other program manages the adapters"
        case .cache: "the folder of the GATT cache can be used"
        case .bonds: "the file of bonds can be read"
        }
    }
}

/// The finding of a check.
struct Finding: Sendable, Equatable {
    /// The outcomes of a check.
    enum State: String, Sendable {
        /// All is well.
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
    let remedy: Remedy?
    /// The exit status of a command that fails because of it; `nil` unless one does.
    let status: ExitStatus?
    let stops: Set<Purpose>

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

    static func ok(_ check: DoctorCheck, _ text: String) -> Finding { Finding(check, .ok, text, nil) }

    static func warning(_ check: DoctorCheck, _ text: String, _ remedy: Remedy) -> Finding {
        Finding(check, .warning, text, remedy)
    }

    static func unchecked(_ check: DoctorCheck, because reason: String) -> Finding {
        Finding(check, .unchecked, "not checked: \(reason)", nil)
    }

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

/// The remedy for a finding.
enum Remedy: Sendable, Equatable {
    /// A line to type as it stands.
    case command(String)
    /// Something to do.
    case advice(String)

    var text: String {
        switch self {
        case .command(let text), .advice(let text): text
        }
    }

    /// The line to type; `nil` if there is none.
    var command: String? { if case .command(let line) = self { line } else { nil } }
}
