// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

/// Looks at a machine for `doctor`. It changes nothing, except that it starts a scan and ends it at once.
struct Examination: Sendable {
    /// The command's environment: the radios, the stores, and the machine.
    let context: CommandContext

    /// All that can be seen now. Waits for an adapter as a scan would.
    func snapshot() async throws -> MachineSnapshot {
        var snapshot = MachineSnapshot()
        snapshot.wanted = context.options.adapter
        var radio: (any Radio)?
        do throws(RadioError) {
            radio = try await readyRadio()
        } catch {
            // An interruption by the user is not a finding.
            try Task.checkCancellation()
            snapshot.problem = error
        }
        // A controller elsewhere is brought up by the first question, and has the same trouble with the second.
        let isElsewhere = snapshot.wanted.map { ControllerPlace.isMeant(by: $0) } ?? false
        // After the wait, so that they are those of an adapter that has come meanwhile.
        snapshot.facts = context.process.machine?.facts()
        do throws(RadioError) {
            let survey = AdapterSurvey(context.system, scope: context.scope, time: context.time)
            if !isElsewhere || snapshot.problem == nil { snapshot.adapters = try await survey.adapters() }
        } catch {
            try Task.checkCancellation()
            snapshot.problem = snapshot.problem ?? error
        }
        snapshot.adapter = adapter(of: snapshot, radio)
        if let radio { try await examine(radio, &snapshot) }
        snapshot.cache = cache
        snapshot.bonds = bonds
        snapshot.formats = formats
        return snapshot
    }

    /// The adapter that a scan would use.
    private func readyRadio() async throws(RadioError) -> any Radio {
        let readiness = AdapterReadiness(context.system, scope: context.scope, time: context.time) {
            [diagnostics = context.diagnostics] note in
            if case .waiting(let problem) = note { diagnostics.note("waiting for an adapter: \(problem.reason)") }
        }
        return try await readiness.radio(
            named: context.options.adapter,
            timeout: context.options.adapterTimeout,
            isForLinks: false
        )
    }

    /// The adapter that is spoken of: the usable one, or the one that cannot be used.
    private func adapter(of snapshot: MachineSnapshot, _ radio: (any Radio)?) -> AdapterDescription? {
        if let radio {
            return snapshot.adapters.first { $0.index == radio.adapter.index } ?? radio.adapter
        }
        if let wanted = snapshot.wanted { return snapshot.adapters.first { $0.isMeant(by: wanted) } }
        return snapshot.adapters.first { $0.name == snapshot.problem?.adapter } ?? snapshot.adapters.first
    }

    // MARK: - The controller

    /// Asks the controller and tries a scan. The attempt shows states without a setting, such as a scan of another
    /// program.
    private func examine(_ radio: any Radio, _ snapshot: inout MachineSnapshot) async throws {
        snapshot.controller = await answer(of: radio)
        try Task.checkCancellation()
        // One that is silent would let the scan wait as well.
        guard case .given = snapshot.controller else { return }
        do {
            let (mode, isOrphaned) = try await scan(on: radio)
            snapshot.scan = .started(mode)
            // A scan that could be started shows that none was left running, in spite of the mark.
            snapshot.isScanOrphaned = isOrphaned && mode == .listeningAlong
        } catch let error as RadioError {
            try Task.checkCancellation()
            snapshot.scan = .failed(error)
        }
    }

    /// The controller's version and commands, or the error that says that it does not answer.
    private func answer(of radio: any Radio) async -> MachineSnapshot.Answer {
        do throws(RadioError) {
            // By questions that need no capability, so that a missing one is not taken for a silent controller.
            let controller = try HCIController.open(radio, for: .questions, scope: context.scope, time: context.time)
            return try await withCleanup { () async throws(RadioError) in
                let version = try await controller.perform(HCIReadLocalVersionInformation())
                // Without the list of commands, nothing is said of those for scans.
                let commands = try? await controller.perform(HCIReadLocalSupportedCommands())
                let hasExtendedScan = commands.map {
                    $0.contains(LESetExtendedScanParameters.self) && $0.contains(LESetExtendedScanEnable.self)
                }
                return .given(MachineSnapshot.Controller(version: version, hasExtendedScan: hasExtendedScan))
            } cleanup: {
                await controller.close()
            }
        } catch {
            return .failed(error)
        }
    }

    /// Starts a scan and ends it. Returns how it was started, and whether a killed blectl has left one running.
    private func scan(on radio: any Radio) async throws -> (mode: Scan.Mode, isOrphaned: Bool) {
        let controller = try HCIController.open(radio, scope: context.scope, time: context.time)
        return try await withCleanup {
            // Passive, so that no device is asked for anything.
            let parameters = ScanParameters(isActive: false)
            // The mark of a killed blectl stays, so that the next scan takes over.
            if ScanLease.isOrphaned(adapter: radio.adapter.name, in: context.stores.state) {
                return (try await controller.withScan(parameters, time: context.time) { $0.mode }, true)
            }
            let mode = try await ScanLease.held(adapter: radio.adapter.name, in: context.stores.state) { lease in
                try await controller.withScan(
                    parameters,
                    time: context.time,
                    onMode: { lease.note(isOurs: $0 != .listeningAlong) }
                ) { $0.mode }
            }
            return (mode, false)
        } cleanup: {
            await controller.close()
        }
    }

    // MARK: - Files

    /// The state of the folder of cached attributes, without reading its files.
    private var cache: MachineSnapshot.Files {
        guard let databases = context.stores.databases else {
            return .noPlace(
                context.options.radio == .simulation(.virtual)
                    ? "virtual time has no cache" : "neither HOME nor XDG_CACHE_HOME names a folder"
            )
        }
        guard let files = databases as? DatabaseFiles else { return .noPlace("the cache is out of sight") }
        let state = files.state
        return state.obstacle.map { .refused(root: state.root, reason: $0) }
            ?? .usable(path: state.path, count: state.count)
    }

    /// The state of the user's formats. The file is read, because a damaged one ends commands.
    private var formats: MachineSnapshot.Files {
        do throws(BlectlError) {
            return switch try context.stores.formats() {
            case .noPlace: .noPlace("neither HOME nor XDG_CONFIG_HOME names a folder")
            case .none(let path, nil): .none(path: path)
            case .none(let path, let reason?): .refused(root: path, reason: reason)
            case .content(let path, let formats): .usable(path: path, count: formats.characteristics.count)
            }
        } catch {
            // The place of the first fault, with the line, is what the user has to look at.
            let reason = ([error.message] + error.details.prefix(1)).joined(separator: ": ")
            return .damaged(error.status, reason: reason, hint: error.hint)
        }
    }

    /// The state of the file of bonds. It is read, because a damaged file keeps commands from connecting.
    private var bonds: MachineSnapshot.Files {
        guard let bonds = context.stores.bonds else {
            return .noPlace("neither HOME nor XDG_STATE_HOME names a folder")
        }
        guard let files = bonds as? BondFiles else {
            switch context.options.radio {
            case .socket: return .noPlace("the far end of a socket has no bonds")
            case .simulation(.virtual): return .noPlace("virtual time has no file of bonds")
            case .adapters, .simulation(.real): return .noPlace("the bonds are out of sight")
            }
        }
        do {
            let count = try files.bonds().count
            return files.obstacle.map { .refused(root: files.root, reason: $0) }
                ?? .usable(path: files.path, count: count)
        } catch let failure as KeyFileFailure {
            if failure.isOfFolder { return .refused(root: files.root, reason: failure.reason) }
            let error = BlectlError(failure, doing: "connect")
            let hint = error.hint ?? "put a copy in its place, or move it away and pair again"
            return .damaged(error.status, reason: error.reason, hint: hint)
        } catch {
            return .damaged(.internalError, reason: "\(error)", hint: nil)
        }
    }
}
