// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

extension MachineChecks {
    var adapter: Finding {
        guard let adapter = snapshot.adapter else {
            guard let problem = snapshot.problem, problem.cause != .noKernelSupport else {
                return .unchecked(.adapter, because: snapshot.problem?.reason ?? Self.outOfSight)
            }
            guard problem.cause == .noAdapter else { return failure(.adapter, problem) }
            return failure(.adapter, problem, remedyForAbsence)
        }
        let others = snapshot.adapters.filter { $0.name != adapter.name }.map(\.name)
        let more = others.isEmpty ? "" : "; others: " + list(others)
        return .ok(.adapter, "\(adapter.name) (\(adapter.address), \(adapter.bus))\(more)")
    }

    /// The remedy for a missing adapter. If the adapter is there but blocked, or lacks its driver, the remedy is that
    /// of the check that has found this: plugging one in would not help.
    private var remedyForAbsence: Remedy {
        for cause in [rfkill, driver] where cause.state == .failure {
            if let remedy = cause.remedy { return remedy }
        }
        return .advice("plug one in, or use blectl --simulate")
    }

    var power: Finding {
        guard let adapter = snapshot.adapter else {
            return .unchecked(.power, because: obstacleToAsking ?? Self.outOfSight)
        }
        switch adapter.state {
        // The checks of the switches and of the firmware report these two, with their remedies.
        case .blocked: return .unchecked(.power, because: "\(adapter.name) is blocked")
        case .down where isNotSetUp: return .unchecked(.power, because: "\(adapter.name) was not set up")
        case .down: return failure(.power, RadioError(.adapterDown, during: name, on: name))
        case .starting: return failure(.power, RadioError(.adapterStarting, during: name, on: name))
        case .inUse:
            return failure(
                .power,
                RadioError(.adapterBusy, during: name, on: name),
                .advice("end that program, or choose another adapter: blectl adapters")
            )
        case .up:
            if let problem = snapshot.problem { return failure(.power, problem) }
            return .ok(.power, "\(adapter.name) is on")
        }
    }

    var controller: Finding {
        switch snapshot.controller {
        case .notAsked: return .unchecked(.controller, because: obstacleToAsking ?? Self.outOfSight)
        case .failed(let error):
            // A socket has no controller, and connections need none there.
            return failure(.controller, error, stops: error.cause == .noController ? [.scan] : [.scan, .connection])
        case .given(let controller):
            let version = controller.version
            return .ok(.controller, "\(manufacturer(version.company)), version \(version.hciVersion)")
        }
    }

    func manufacturer(_ company: UInt16) -> String {
        AssignedNumbers.companyName(company) ?? "company 0x\(Hex.string(company, minimumDigits: 4))"
    }

    var scan: Finding {
        switch snapshot.scan {
        case .notTried:
            if case .failed(let error) = snapshot.controller { return .unchecked(.scan, because: error.reason) }
            return .unchecked(.scan, because: obstacleToAsking ?? Self.outOfSight)
        case .failed(let error):
            // The check of the capabilities reports it.
            if case .permissionDenied = error.cause { return .unchecked(.scan, because: error.reason) }
            return failure(.scan, error, stops: [.scan])
        case .started(.extended), .started(.legacy): return .ok(.scan, "a scan was started and ended")
        case .started(.listeningAlong): return otherScan
        }
    }

    /// A scan runs that is not ours.
    private var otherScan: Finding {
        if snapshot.isScanOrphaned {
            let text = "a blectl that was killed has left its scan running; the next scan ends it"
            return .warning(.scan, text, .command("blectl scan --duration 1"))
        }
        let along = "blectl listens along, with its parameters"
        if let manager = facts?.manager?.name ?? snapshot.adapter?.manager {
            let remedy: Remedy =
                manager == "bluetoothd" ? .advice("end its search: bluetoothctl scan off") : .advice("end its search")
            return .warning(.scan, "another program scans, probably \(manager); \(along)", remedy)
        }
        let text = "another program scans, or one that has ended has left its scan running; \(along)"
        return .warning(.scan, text, .command(AdapterHint.commandLine("reset", adapter: snapshot.adapter?.name)))
    }

    var lowEnergy: Finding {
        guard let adapter = snapshot.adapter else {
            return .unchecked(.lowEnergy, because: obstacleToAsking ?? Self.outOfSight)
        }
        // Spec: Core 5.4, Vol 2, Part C, 3.3: LE Supported (Controller) is bit 38.
        if let features = adapter.lmpFeatures, features >> 38 & 1 == 0 {
            let text = "the controller of \(adapter.name) has no Low Energy"
            return .failure(.lowEnergy, .bluetoothUnavailable, text, .advice("use another adapter: blectl adapters"))
        }
        switch adapter.isLowEnergyOn {
        case true?: return .ok(.lowEnergy, "Low Energy is on")
        case nil:
            return .unchecked(.lowEnergy, because: "the settings of \(adapter.name) are not known")
        case false?:
            let off = RadioError(.lowEnergyOff, during: adapter.name, on: adapter.name)
            // Without the capability, no command can switch it on by itself.
            guard facts?.rights?.hasNetAdmin != false else { return failure(.lowEnergy, off, stops: [.connection]) }
            let text = "Low Energy is off on \(adapter.name); commands that connect switch it on"
            return .warning(.lowEnergy, text, .command(AdapterHint.commandLine("le on", adapter: adapter.name)))
        }
    }

    var commands: Finding {
        guard case .given(let controller) = snapshot.controller, case .started(let mode) = snapshot.scan else {
            return .unchecked(.commands, because: "no scan was started")
        }
        switch (mode, controller.hasExtendedScan) {
        case (.listeningAlong, _): return .unchecked(.commands, because: "another program's scan is running")
        case (.extended, _): return .ok(.commands, "extended commands")
        case (.legacy, true?):
            // The kernel searches and connects with the extended commands of a controller that has them, and does not
            // report that they are refused.
            let text =
                "a program has used legacy commands, so that the controller refuses extended ones: extended "
                + "advertisements are not heard, and connections time out"
            return .failure(
                .commands,
                .timedOut,
                text,
                .command(AdapterHint.commandLine("reset", adapter: snapshot.adapter?.name)),
                stops: [.connection]
            )
        case (.legacy, _): return .ok(.commands, "legacy commands; the controller has no others")
        }
    }
}

/// The files that blectl keeps.
extension MachineChecks {
    var cache: Finding {
        files(.cache, snapshot.cache) { "\(count: $0, "device") in \($1)" }
    }

    var bonds: Finding {
        files(.bonds, snapshot.bonds) { "\(count: $0, "bond") in \($1)" }
    }

    /// Scans name services by them, too.
    var formats: Finding {
        if case .refused(let path, let reason) = snapshot.formats {
            let text = "no formats are read from \(path): \(reason)"
            return .warning(
                .formats,
                text,
                .advice("name a folder of this user, if formats are wanted: XDG_CONFIG_HOME")
            )
        }
        return files(.formats, snapshot.formats, stops: [.scan, .connection]) { "\(count: $0, "format") in \($1)" }
    }

    private func files(
        _ check: DoctorCheck,
        _ files: MachineSnapshot.Files,
        stops: Set<Finding.Purpose> = [.connection],
        _ text: (Int, String) -> String
    ) -> Finding {
        switch files {
        case .none: .ok(check, "there are none")
        case .noPlace(let reason): .unchecked(check, because: reason)
        case .usable(let path, let count): .ok(check, text(count, path))
        case .refused(let root, let reason):
            .warning(check, "nothing can be kept in \(root): \(reason)", Self.remedy(root, reason))
        case .damaged(let status, let reason, let hint):
            .failure(check, status, reason, hint.map { .advice($0) }, stops: stops)
        }
    }

    /// The remedy for a folder in which nothing can be kept. What is not there, or may not be entered or changed, cannot
    /// be moved away.
    private static func remedy(_ root: String, _ reason: String) -> Remedy {
        let place = "a folder of this user with XDG_STATE_HOME and XDG_CACHE_HOME"
        if ["No space left on device", "Disk quota exceeded", "File too large"].contains(where: reason.hasSuffix) {
            return .advice("make room, or name \(place)")
        }
        let cannotBeMoved =
            ["there is no ", "the folder above "].contains(where: reason.hasPrefix)
            || ["Permission denied", "Not a directory", "Read-only file system"].contains(where: reason.hasSuffix)
        return cannotBeMoved ? .advice("name \(place)") : moving(root)
    }

    /// The command that moves a path away, to make room for a folder of our own. A path with a character that a shell
    /// might interpret gives advice instead, because the user pastes the line into a shell.
    private static func moving(_ path: String) -> Remedy {
        let isPlain = path.hasPrefix("/") && Prose.word(path) == path
        return isPlain ? .command("mv \(path) \(path).old") : .advice("move it away")
    }
}
