// SPDX-License-Identifier: MIT

import Bluetooth

extension HCIController {
    /// The number of advertising events that wait for a slow reader: about 15 seconds of a crowd, at the rate at which
    /// the kernel takes its reports. They occupy at most 40 MB.
    private static let eventLimit = 131_072

    /// Scans while `body` runs, and then switches scanning off, also after an error or a cancellation.
    ///
    /// If another program scans already, the controller refuses other parameters. This scan then uses the reports of
    /// the other one, leaves it alone, and starts its own when the other stops. It does the same if another program
    /// starts its scan later.
    ///
    /// - Parameters:
    ///   - parameters: Interval, window, PHYs and filters.
    ///   - time: The clock that says when a report arrived.
    ///   - takesOver: Whether a running scan is a leftover, and is to be switched off first.
    ///   - privacy: The private addresses with which scan responses are requested; `nil` for the adapter's own address.
    ///   - onMode: Called with the mode of the scan, at first and after each possible change.
    ///   - body: Uses the scan.
    public func withScan<Value: Sendable>(
        _ parameters: ScanParameters,
        time: any TimeSource,
        takesOver: Bool = false,
        privacy: PrivateAddresses? = nil,
        onMode: @escaping @Sendable (Scan.Mode) -> Void = { _ in },
        _ body: (Scan) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        // Before the scan is started, so that its first reports are not missed.
        let observation = observe(limit: Self.eventLimit, where: { $0.isAdvertising || $0.connectedDevice != nil })
        // One waiting event is enough, because only the fact matters that there was one.
        let signs = observe(limit: 1, where: \.mayEndScanning)
        defer {
            stopObserving(observation)
            stopObserving(signs)
        }
        let start = ScanStart(parameters: parameters, isExtended: try await hasExtendedScanning, privacy: privacy)
        let mode = try await startScan(start, takesOver: takesOver)
        onMode(mode)
        let scan = Scan(mode: mode, controller: self, observation: observation, time: time)
        return try await withCleanup {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await self.keep(scan, start, signs, time, onMode) }
                if let privacy { group.addTask { await self.renew(scan, start, every: privacy.life, time, onMode) } }
                defer { group.cancelAll() }
                return try await body(scan)
            }
        } cleanup: {
            // The program that was the last to switch scanning also switches it off.
            if !isScanningUpToOthers { await stopScan(scan.mode) }
        }
    }

    /// Starts the scan again after another program may have ended it.
    ///
    /// The answers to another program's commands do not tell whether it has switched scanning on or off. The controller
    /// accepts parameters only while it does not scan, so this tries to set them. The attempt waits for half a second
    /// without events, because the kernel switches scanning off just to set other parameters and would be disturbed.
    /// The wait is random, so that several waiting programs do not collide.
    private func keep(
        _ scan: Scan,
        _ start: ScanStart,
        _ signs: HCIObservation,
        _ time: any TimeSource,
        _ onMode: @Sendable (Scan.Mode) -> Void
    ) async {
        do {
            while true {
                _ = try await signs.queue.next()
                while true {
                    let settled = time.now + .nanoseconds(.random(in: 500_000_000...1_000_000_000))
                    guard try await untilDeadline(settled, time, { try await signs.queue.next() }) != nil else { break }
                }
                guard isScanningUpToOthers || scan.mode == .listeningAlong else { continue }
                // If this fails, another event will follow, or the adapter's end.
                scan.mode = (try? await startScan(start)) ?? .listeningAlong
                onMode(scan.mode)
            }
        } catch {
            // The scan has ended, or the adapter is gone, which ends the reader of the reports as well.
        }
    }

    /// Restarts the scan with another private address whenever the lifetime of the present one is over. Does nothing
    /// while another program scans, because that program's address is on the air. The scan ends with the error of a
    /// restart that fails, because scanning is off then, and its reader would wait for reports that do not come.
    private func renew(
        _ scan: Scan,
        _ start: ScanStart,
        every life: Duration,
        _ time: any TimeSource,
        _ onMode: @Sendable (Scan.Mode) -> Void
    ) async {
        while (try? await time.sleep(for: life)) != nil {
            guard !isScanningUpToOthers, scan.mode != .listeningAlong else { continue }
            // First, because the controller refuses another address while it scans.
            await stopScan(scan.mode)
            do throws(RadioError) {
                scan.mode = try await startScan(start)
            } catch {
                // Nothing is left to switch off.
                scan.mode = .listeningAlong
                return scan.end(error)
            }
            if scan.mode == .listeningAlong { onMode(scan.mode) }
        }
    }

    private func startScan(_ start: ScanStart, takesOver: Bool) async throws(RadioError) -> Scan.Mode {
        let mode = try await startScan(start)
        guard mode == .listeningAlong, takesOver else { return mode }
        // One kind of command suffices, but it must be the kind that the other program has used: the controller refuses
        // the other kind.
        var isOff = false
        if start.isExtended { isOff = try await setScan(.extended, isEnabled: false) == .accepted }
        if !isOff { _ = try await setScan(.legacy, isEnabled: false) }
        return try await startScan(start)
    }

    /// Starts a scan with the commands that the controller accepts. If it refuses because another program scans, this
    /// one listens along, because every socket gets the reports.
    private func startScan(_ start: ScanStart) async throws(RadioError) -> Scan.Mode {
        let parameters = start.parameters
        // An adapter without a public address has address zero.
        let own: LEOwnAddressType = start.privacy != nil || adapter.address.rawValue == 0 ? .random : .public
        if let address = start.privacy?.make() {
            // Refused while another program scans or advertises with the present one.
            _ = try await acceptance(of: LESetRandomAddress(address))
        }
        var isTaken = false
        // Extended commands come first, because the kernel uses them too if the controller has them, and legacy
        // commands are disallowed after one of them. The reverse holds as well, so a refusal leads to the legacy
        // commands.
        if start.isExtended {
            switch try await self.start(.extended, parameters.extendedCommand(ownAddressType: own)) {
            case .accepted: return .extended
            case .disallowed: isTaken = true
            case .unknown: break
            }
        }
        if let command = parameters.legacyCommand(ownAddressType: own) {
            switch try await self.start(.legacy, command) {
            case .accepted: return .legacy
            case .disallowed: isTaken = true
            case .unknown: break
            }
        }
        guard isTaken else { throw RadioError(.unsupported, during: "\(adapter.name) (scan)") }
        return .listeningAlong
    }

    /// Sets the parameters and enables scanning. Another program may start to scan between the two.
    private func start(_ mode: Scan.Mode, _ parameters: some HCICommand) async throws(RadioError) -> Acceptance {
        let acceptance = try await acceptance(of: parameters)
        guard acceptance == .accepted else { return acceptance }
        do throws(RadioError) {
            return try await setScan(mode, isEnabled: true)
        } catch {
            // The controller has not answered in time, but it may have started to scan.
            if error.cause == .controllerSilent { await stopScan(mode) }
            throw error
        }
    }

    /// Disables scanning. Ignores a failure, because the result of the scan matters more, and a dead controller does
    /// not scan.
    private func stopScan(_ mode: Scan.Mode) async {
        _ = try? await setScan(mode, isEnabled: false)
    }

    private func setScan(_ mode: Scan.Mode, isEnabled: Bool) async throws(RadioError) -> Acceptance {
        switch mode {
        case .extended: try await acceptance(of: LESetExtendedScanEnable(isEnabled: isEnabled))
        case .legacy: try await acceptance(of: LESetScanEnable(isEnabled: isEnabled))
        case .listeningAlong: .accepted
        }
    }

    /// Whether the controller claims the extended commands. The claim decides, because some controllers accept commands
    /// that they do not support, and then report nothing. If a controller cannot list its commands, it may be tried.
    private var hasExtendedScanning: Bool {
        get async throws(RadioError) {
            do throws(RadioError) {
                let commands = try await perform(HCIReadLocalSupportedCommands())
                return commands.contains(LESetExtendedScanParameters.self)
                    && commands.contains(LESetExtendedScanEnable.self)
            } catch {
                guard case .commandRejected = error.cause else { throw error }
                return true
            }
        }
    }

    private struct ScanStart {
        let parameters: ScanParameters
        let isExtended: Bool
        let privacy: PrivateAddresses?
    }

    private enum Acceptance {
        case accepted
        /// Not now: another program scans, or has used the other kind of commands.
        case disallowed
        /// The controller does not support the command.
        case unknown
    }

    private func acceptance(of command: some HCICommand) async throws(RadioError) -> Acceptance {
        do throws(RadioError) {
            try await perform(command)
            return .accepted
        } catch {
            switch error.cause {
            case .commandRejected(.commandDisallowed): return .disallowed
            case .commandRejected(.unknownHCICommand): return .unknown
            default: throw error
            }
        }
    }
}

extension HCIEvent {
    /// Whether the event reports that scanning was switched on or off.
    var hasSwitchedScanning: Bool {
        guard case .known(let event as CommandCompleteEvent) = self, event.status == .success else { return false }
        return [LESetScanEnable.opcode, LESetExtendedScanEnable.opcode].contains(event.opcode)
    }

    /// Whether the event may mean the end of another program's scan, or of a connection attempt, during which some
    /// controllers refuse to scan.
    fileprivate var mayEndScanning: Bool {
        switch self {
        case .known(is CommandCompleteEvent), .known(is LEScanTimeoutEvent), .known(is LEConnectionCompleteEvent),
            .known(is LEEnhancedConnectionCompleteEvent):
            true
        default: false
        }
    }

    /// The device to which any program of this machine has connected.
    var connectedDevice: DeviceAddress? {
        let event: LEConnectionCompleteEvent
        switch self {
        case .known(let plain as LEConnectionCompleteEvent): event = plain
        case .known(let enhanced as LEEnhancedConnectionCompleteEvent): event = enhanced.connection
        default: return nil
        }
        return event.status == .success && event.role == .central ? event.peer : nil
    }

    fileprivate var isAdvertising: Bool {
        switch self {
        case .known(is LEAdvertisingReportEvent), .known(is LEExtendedAdvertisingReportEvent): true
        default: false
        }
    }
}
