// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A report with the moment at which it came.
public struct ScanReport: Sendable, Hashable {
    /// What was received.
    public let report: AdvertisingReport
    /// Its data, taken apart.
    public let data: AdvertisingData
    /// When, on the monotonic clock.
    public let instant: Instant
    /// When, on the wall clock.
    public let wall: WallTime

    /// Takes the report's data apart.
    public init(_ report: AdvertisingReport, _ instant: Instant, _ wall: WallTime) {
        self.report = report
        data = AdvertisingData(parsing: report.data)
        self.instant = instant
        self.wall = wall
    }
}

/// A running scan: the reports, one after the other.
public final class Scan: Sendable {
    /// How the scan was started.
    public enum Mode: Sendable, Hashable {
        /// By the extended commands.
        case extended
        /// By the legacy commands: the controller has no others, or may not use them any more.
        case legacy
        /// Not at all: another program is scanning already, with its parameters; its reports are heard along.
        case listeningAlong
    }

    /// How the scan was started.
    public let mode: Mode

    private let controller: HCIController
    private let observation: HCIObservation
    private let time: any TimeSource

    fileprivate init(mode: Mode, controller: HCIController, observation: HCIObservation, time: any TimeSource) {
        self.mode = mode
        self.controller = controller
        self.observation = observation
        self.time = time
    }

    /// How many events were dropped so far because reports came faster than they were looked at.
    public var droppedCount: Int { controller.droppedCount + observation.queue.droppedCount }

    /// Hands every report to `body`, until it says to stop or throws, or the task is cancelled, or the adapter is gone.
    ///
    /// All reports of an event are looked at; fragments of long advertisements are put together first.
    public func forEach(_ body: (ScanReport) async throws -> ScanProgress) async throws {
        var reassembler = ExtendedReportReassembler()
        while true {
            let event = try await observation.queue.next()
            let instant = time.now
            let wall = time.wallClock
            let reports: [AdvertisingReport]
            switch event {
            // Whatever was asked for: some controllers report in the extended form though they scan by the legacy commands.
            case .leAdvertisingReport(let event): reports = event.reports
            case .leExtendedAdvertisingReport(let event): reports = event.reports
            default: continue
            }
            for fragment in reports {
                for report in reassembler.received(fragment, now: instant) {
                    guard try await body(ScanReport(report, instant, wall)) == .goOn else { return }
                }
            }
        }
    }
}

/// What a reader of reports says after each.
public enum ScanProgress: Sendable {
    /// More, please.
    case goOn
    /// That was all.
    case stop
}

extension HCIController {
    /// How many events of advertising may wait for a slow reader.
    private static let eventLimit = 8_192

    /// Scans while `body` runs, and switches scanning off afterwards, whatever ended it.
    ///
    /// Where another program is scanning already the controller refuses our parameters: then we listen along, and leave its
    /// scan alone.
    ///
    /// - Parameter takesOver: Whether a scan that is running is nobody's any more, and is switched off first.
    public func withScan<Value: Sendable>(
        _ parameters: ScanParameters,
        time: any TimeSource,
        takesOver: Bool = false,
        _ body: (Scan) async throws -> Value
    ) async throws -> Value {
        let observation = observe(limit: Self.eventLimit)
        defer { stopObserving(observation) }
        let mode = try await startScan(parameters, takesOver: takesOver)
        let scan = Scan(mode: mode, controller: self, observation: observation, time: time)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(scan))
        } catch {
            result = .failure(error)
        }
        // The outcome of the body matters more than that of tidying up; a dead controller scans no more.
        try? await stopScan(mode)
        return try result.get()
    }

    private func startScan(_ parameters: ScanParameters, takesOver: Bool) async throws(RadioError) -> Scan.Mode {
        let isExtended = try await hasExtendedScanning
        let mode = try await startScan(parameters, isExtended: isExtended)
        guard mode == .listeningAlong, takesOver else { return mode }
        var isOff = false
        if isExtended { isOff = try await accepted(LESetExtendedScanEnable(isEnabled: false)) }
        if !isOff { _ = try await accepted(LESetScanEnable(isEnabled: false)) }
        return try await startScan(parameters, isExtended: isExtended)
    }

    private func startScan(_ parameters: ScanParameters, isExtended: Bool) async throws(RadioError) -> Scan.Mode {
        let own: LEOwnAddressType = adapter.address.rawValue == 0 ? .random : .public
        // Extended commands first where the controller has them, as the kernel does: after one of them the legacy ones are
        // disallowed. The reverse holds too, so a refusal sends us to the legacy commands.
        if isExtended, try await accepted(parameters.extendedCommand(ownAddressType: own)) {
            try await perform(LESetExtendedScanEnable(isEnabled: true))
            return .extended
        }
        if try await accepted(parameters.legacyCommand(ownAddressType: own)) {
            try await perform(LESetScanEnable(isEnabled: true))
            return .legacy
        }
        return .listeningAlong
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

    private func accepted(_ command: some HCICommand) async throws(RadioError) -> Bool {
        do throws(RadioError) {
            try await perform(command)
            return true
        } catch {
            guard case .commandRejected(let status) = error.cause,
                status == .commandDisallowed || status == .unknownHCICommand
            else { throw error }
            return false
        }
    }

    private func stopScan(_ mode: Scan.Mode) async throws(RadioError) {
        switch mode {
        case .extended: try await perform(LESetExtendedScanEnable(isEnabled: false))
        case .legacy: try await perform(LESetScanEnable(isEnabled: false))
        case .listeningAlong: break
        }
    }
}
