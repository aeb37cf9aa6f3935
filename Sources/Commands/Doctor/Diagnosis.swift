// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Toolkit

/// The conclusions from a snapshot of a machine: a finding of each check, and whether a scan and a connection would
/// work.
struct Diagnosis: Sendable {
    /// The observed state of the machine. The findings are a function of it, so that tests need no machine.
    let snapshot: MachineSnapshot
    /// The finding of each check, in the order of the checks.
    let findings: [Finding]

    init(_ snapshot: MachineSnapshot) {
        self.snapshot = snapshot
        let checks = MachineChecks(snapshot: snapshot)
        findings = checks.made.map { checks.finding($0) }
    }

    /// The first finding that keeps something from working; `nil` if it would work.
    func obstacle(to purpose: Finding.Purpose) -> Finding? { findings.first { $0.stops.contains(purpose) } }

    /// The error with which `doctor` ends; `nil` if a scan and a connection would work. It has the status that the
    /// scan, or else the connection, would end with.
    var error: BlectlError? {
        let (scan, connection) = (obstacle(to: .scan), obstacle(to: .connection))
        guard let first = scan ?? connection, let status = first.status else { return nil }
        let action = scan == nil ? "connect" : connection == nil ? "scan" : "scan or connect"
        return BlectlError(status, cannot: action, first.text, hint: first.remedy?.text)
            .about(adapter: snapshot.adapter?.name ?? snapshot.wanted)
    }
}

/// The checks of a snapshot. Each is a function of the observed state.
struct MachineChecks: Sendable {
    let snapshot: MachineSnapshot

    /// The facts from `/sys` and `/proc`; `nil` if the machine cannot be looked at.
    var facts: MachineFacts? { snapshot.facts }

    /// The reason why checks of the machine are skipped.
    static let outOfSight = "the machine is out of sight"

    /// The finding of a check. Each check is a property of an extension of this type.
    func finding(_ check: DoctorCheck) -> Finding {
        switch check {
        case .kernel: kernel
        case .rfkill: rfkill
        case .driver: driver
        case .transport: transport
        case .adapter: adapter
        case .power: power
        case .capability: capability
        case .usb: usb
        case .controller: controller
        case .scan: scan
        case .lowEnergy: lowEnergy
        case .commands: commands
        case .firmware: firmware
        case .manager: manager
        case .cache: cache
        case .bonds: bonds
        case .formats: formats
        }
    }

    /// The finding that an operation fails with an error, in the words and with the status of a command that it ends.
    func failure(
        _ check: DoctorCheck,
        _ error: RadioError,
        _ remedy: Remedy? = nil,
        stops: Set<Finding.Purpose> = [.scan, .connection]
    ) -> Finding {
        let described = BlectlError(error, doing: "scan")
        let hint = described.hint.map { Self.isCommand(error.cause) ? Remedy.command($0) : .advice($0) }
        return .failure(check, described.status, described.reason, remedy ?? hint, stops: stops)
    }

    /// Whether the hint of an error is a line to type that mends it.
    private static func isCommand(_ cause: RadioError.Cause) -> Bool {
        switch cause {
        case .adapterDown, .adapterStarting, .lowEnergyOff, .radioBlocked(byHardware: false), .permissionDenied,
            .controllerSilent:
            true
        default: false
        }
    }

    /// The reason why the adapter's controller is not asked; `nil` if it is.
    var obstacleToAsking: String? {
        if let problem = snapshot.problem { return problem.reason }
        return snapshot.adapter == nil ? "there is no Bluetooth adapter" : nil
    }

    /// The adapter as messages name it, even if there is none.
    var name: String { snapshot.adapter?.name ?? snapshot.wanted ?? "the adapter" }
}
