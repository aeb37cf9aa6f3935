// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension HCIController {
    /// How many events of advertising may wait for a slow reader: a crowd that passes by for a quarter of a minute, as fast as
    /// the kernel takes its reports. They take 40 MB at most.
    private static let eventLimit = 131_072

    /// Scans while `body` runs, and switches scanning off afterwards, whatever ended it.
    ///
    /// Where another program is scanning already the controller refuses our parameters: then we listen along, leave its scan
    /// alone, and begin our own when it stops. The same holds where another program takes our place meanwhile.
    ///
    /// - Parameters:
    ///   - takesOver: Whether a scan that is running is nobody's any more, and is switched off first.
    ///   - onMode: Called with how the scan is running, at first and whenever it may have changed.
    public func withScan<Value: Sendable>(
        _ parameters: ScanParameters,
        time: any TimeSource,
        takesOver: Bool = false,
        onMode: @escaping @Sendable (Scan.Mode) -> Void = { _ in },
        _ body: (Scan) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let observation = observe(limit: Self.eventLimit, where: { $0.isAdvertising || $0.connectedDevice != nil })
        let signs = observe(limit: 1, where: \.mayEndScanning)
        defer {
            stopObserving(observation)
            stopObserving(signs)
        }
        let isExtended = try await hasExtendedScanning
        let mode = try await startScan(parameters, isExtended: isExtended, takesOver: takesOver)
        onMode(mode)
        let scan = Scan(mode: mode, controller: self, observation: observation, time: time)
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await self.keep(scan, parameters, isExtended: isExtended, signs, time, onMode) }
                    defer { group.cancelAll() }
                    return try await body(scan)
                }
            )
        } catch {
            result = .failure(error)
        }
        if !isScanningUpToOthers { await stopScan(scan.mode) }
        return try result.get()
    }

    /// Scans again when scanning may have been ended by somebody else.
    ///
    /// What another program has switched scanning to is not in the answers to its commands, but the controller takes our
    /// parameters only while it does not scan. The others first have their time to go on: the kernel, which gives way to
    /// nobody, switches off to begin with other parameters. And of several who listen along one has to be the first: so
    /// they wait differently.
    private func keep(
        _ scan: Scan,
        _ parameters: ScanParameters,
        isExtended: Bool,
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
                // Where that fails there will be another sign, or the end of the adapter.
                scan.mode = (try? await startScan(parameters, isExtended: isExtended)) ?? .listeningAlong
                onMode(scan.mode)
            }
        } catch {
            // The scan has ended, or the adapter is gone, which the reader of the reports is told as well.
        }
    }

    private func startScan(
        _ parameters: ScanParameters,
        isExtended: Bool,
        takesOver: Bool
    ) async throws(RadioError) -> Scan.Mode {
        let mode = try await startScan(parameters, isExtended: isExtended)
        guard mode == .listeningAlong, takesOver else { return mode }
        // By the kind of commands that the other has used: the controller allows that kind only.
        var isOff = false
        if isExtended { isOff = try await setScan(.extended, isEnabled: false) == .accepted }
        if !isOff { _ = try await setScan(.legacy, isEnabled: false) }
        return try await startScan(parameters, isExtended: isExtended)
    }

    private func startScan(_ parameters: ScanParameters, isExtended: Bool) async throws(RadioError) -> Scan.Mode {
        let own: LEOwnAddressType = adapter.address.rawValue == 0 ? .random : .public
        var isTaken = false
        // Extended commands first where the controller has them, as the kernel does: after one of them the legacy ones are
        // disallowed. The reverse holds too, so a refusal sends us to the legacy commands.
        if isExtended {
            switch try await start(.extended, parameters.extendedCommand(ownAddressType: own)) {
            case .accepted: return .extended
            case .disallowed: isTaken = true
            case .unknown: break
            }
        }
        if let command = parameters.legacyCommand(ownAddressType: own) {
            switch try await start(.legacy, command) {
            case .accepted: return .legacy
            case .disallowed: isTaken = true
            case .unknown: break
            }
        }
        guard isTaken else { throw RadioError(.unsupported, during: "\(adapter.name) (scan)") }
        return .listeningAlong
    }

    /// Sets the parameters and switches on. Another program may begin to scan just in between.
    private func start(_ mode: Scan.Mode, _ parameters: some HCICommand) async throws(RadioError) -> Acceptance {
        let acceptance = try await acceptance(of: parameters)
        guard acceptance == .accepted else { return acceptance }
        do throws(RadioError) {
            return try await setScan(mode, isEnabled: true)
        } catch {
            // A controller that did not answer in time may scan now nevertheless.
            if error.cause == .controllerSilent { await stopScan(mode) }
            throw error
        }
    }

    /// The outcome of what was done while scanning matters more than that of this; a dead controller scans no more.
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

    /// What the controller says of itself, not what it takes: some take commands that they do not have, and then hear
    /// nothing. One that does not say may be asked for anything.
    private var hasExtendedScanning: Bool {
        get async throws(RadioError) {
            do throws(RadioError) {
                let commands = try await perform(HCIReadLocalSupportedCommands()).commands
                return commands.contains(LESetExtendedScanParameters.self)
                    && commands.contains(LESetExtendedScanEnable.self)
            } catch {
                guard case .commandRejected = error.cause else { throw error }
                return true
            }
        }
    }

    private enum Acceptance {
        case accepted
        /// Not now: somebody is scanning, or has used the other kind of commands.
        case disallowed
        /// The controller has no such command.
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
    /// Whether a command has switched scanning on or off.
    var hasSwitchedScanning: Bool {
        guard case .commandComplete(let event) = self, event.status == .success else { return false }
        return [LESetScanEnable.opcode, LESetExtendedScanEnable.opcode].contains(event.opcode)
    }

    /// Whether this may be the end of a scan, or of what has kept us from scanning. While it connects a controller may
    /// refuse to scan.
    fileprivate var mayEndScanning: Bool {
        switch self {
        case .commandComplete, .leScanTimeout, .leConnectionComplete, .leEnhancedConnectionComplete: true
        default: false
        }
    }

    /// The device that this machine, whichever of its programs, has connected to.
    var connectedDevice: DeviceAddress? {
        let event: LEConnectionCompleteEvent
        switch self {
        case .leConnectionComplete(let plain): event = plain
        case .leEnhancedConnectionComplete(let enhanced): event = enhanced.connection
        default: return nil
        }
        return event.status == .success && event.role == .central ? event.peer : nil
    }

    /// Whether it tells of advertisements.
    fileprivate var isAdvertising: Bool {
        switch self {
        case .leAdvertisingReport, .leExtendedAdvertisingReport: true
        default: false
        }
    }
}
