// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Terminal
import Toolkit

/// `blectl scan`: shows the advertisers that pass the filter.
struct ScanRun {
    let options: ScanOptions
    let context: CommandContext

    func run() async throws {
        // The chart passes each report on to the display that would have been used without it.
        guard let file = options.chart else { return try await run(display) }
        let chart = SignalChart(next: display, start: context.time.wallClock)
        try await file.draw(chart, context) { try await run(chart) }
    }

    /// The keys of devices, with a note if other users can read them.
    private var keys: AdvertisingKeys {
        get async throws {
            let environment = context.environment
            let (keys, remark) = try await context.reading(options.keyFile) { [options] in
                try KeyFiles.keys(options.keyFile) { environment[$0] }
            }
            if let remark { context.diagnostics.note(remark) }
            return keys
        }
    }

    /// Scans on the chosen adapters, and reports the results even if the scan failed.
    private func run(_ display: any ScanDisplay) async throws {
        // A fault in the file is reported before anything is opened.
        let keys = try await keys
        if let remark = options.misleadingTimeout { context.diagnostics.note(remark) }
        // A scan makes no link, so that Low Energy need not be switched on for it.
        let centrals = try await context.centrals(isForLinks: false)
        let session = ScanSession(
            filter: options.filter,
            display: display,
            limits: options.limits,
            isActive: options.isActive,
            adapterCount: centrals.count,
            keys: keys
        )
        // The other displays show what they hear at once.
        if options.showsSummary { context.diagnostics.progress("scanning …") }
        try await withCleanup {
            var failure: (any Error)?
            var ending = RunEnding.complete
            let start = context.time.now
            do {
                ending = try await timed { try await scan(centrals, session, display) }
            } catch {
                failure = error
                // A scan that never began has nothing to report.
                guard session.losses.hasBegun else { throw error }
            }
            // A failed scan may have heard devices, too.
            try await session.end()
            await report(session)
            // A radio that has failed, and a simulated world at rest, have reasons of their own.
            if failure == nil || failure is CancellationError, ending.remark == nil,
                let remark = await session.remarkIfEmpty(after: context.time.now - start, on: options.phy)
            {
                context.diagnostics.note(remark)
            }
            if let failure {
                let missing = options.limits.shortfall(
                    endedBy: failure,
                    deadline: context.runState.deadline?.moment,
                    now: context.time.now,
                    reached: session.tally.count,
                    of: display.counted
                )
                if let missing { context.diagnostics.note(missing) }
                throw failure
            }
            try conclude(ending, session, display.counted)
        } cleanup: {
            // Even without a reader, because the next command needs the address types.
            await remember(session)
        }
    }

    /// Counts the time of the scan, if `--timing` asks for it.
    private func timed(_ body: () async throws -> RunEnding) async throws -> RunEnding {
        guard let timing = context.runState.timing else { return try await body() }
        return try await timing.scanning(context.time, body)
    }

    /// The display for the options and for the kind of standard output. Only a terminal has the live table.
    private var display: any ScanDisplay {
        let (output, formats) = (context.output, context.options.formats)
        if options.showsSummary {
            return SummaryDisplay(
                output: output,
                notes: context.diagnostics,
                order: options.order,
                time: context.time,
                formats: formats
            )
        }
        if output.writesRecords || options.showsDuplicates {
            return ReportDisplay(output: output, showsDuplicates: options.showsDuplicates, formats: formats)
        }
        if let terminal = context.screenTerminal {
            let scan = LiveScan(
                order: options.order,
                filterWords: options.filter.words,
                hasKeys: terminal.hasKeys,
                formats: formats,
                start: context.time.now
            )
            return LiveScanDisplay(
                scan,
                on: terminal,
                output: output,
                notes: context.diagnostics,
                time: context.time
            )
        }
        return DeviceLines(output: output, formats: formats)
    }

    /// Reports how the scan has ended: an error if `--count` was not reached, and a remark otherwise.
    private func conclude(_ ending: RunEnding, _ session: ScanSession, _ counted: CountedThing) throws {
        if let failure = options.limits.failure(after: ending, reached: session.tally.count, of: counted) {
            throw failure
        }
        if let remark = ending.remark { context.diagnostics.note(remark) }
    }

    /// Scans with all adapters, and shows their reports while the first of them scans.
    private func scan(
        _ centrals: [Central],
        _ session: ScanSession,
        _ display: any ScanDisplay
    ) async throws -> RunEnding {
        let (time, start) = (context.time, context.time.now)
        let (readiness, ready) = AsyncStream<Void>.makeStream()
        return try await withThrowingTaskGroup(of: RunEnding.self) { group in
            group.addTask {
                try await centrals.onEach(notes: context.diagnostics) { central, index in
                    let name = context.options.adapters.isSeveral ? central.radio.adapter.name : nil
                    return try await listen(to: session, with: central, .init(index: index, name: name), since: start) {
                        ready.yield()
                    }
                }
            }
            if display.isLive {
                group.addTask {
                    for await _ in readiness {
                        try await display.run { await session.present(now: time.now) }
                        return .quit
                    }
                    throw CancellationError()
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? .complete
        }
    }

    /// Scans with one adapter until the scan as a whole has ended.
    private func listen(
        to session: ScanSession,
        with central: Central,
        _ source: ScanSession.Source,
        since start: Instant,
        onReady: @escaping @Sendable () -> Void
    ) async throws -> RunEnding {
        let (limits, time) = (options.limits, context.time)
        let controller: HCIController
        do {
            controller = try HCIController.open(central.radio, scope: context.scope, time: time)
        } catch {
            throw BlectlError(error, doing: "scan")
        }
        await session.begin(source, BondedIdentities(context.knownBonds(of: central.radio.adapter)))
        return try await withCleanup {
            try await withFallback { parameters in
                try await controller.withLeasedScan(
                    parameters,
                    in: context.stores.state,
                    privacy: context.runState.privacy,
                    time: time,
                    notes: context.diagnostics
                ) { scan in
                    try await session.losses.following(scan) {
                        onReady()
                        context.caller.onReady?()
                        return try await limits.run(time, since: start, session.tally) {
                            try await scan.forEachBatch { reports in
                                let progress = try await session.add(reports, from: source)
                                // Reports that come meanwhile are dropped and counted: advertisers do not wait.
                                try await context.output.room()
                                return progress
                            }
                        }
                    }
                }
            }
        } cleanup: {
            await controller.close()
            session.losses.add(malformed: await controller.malformedCount)
        }
    }

    /// Scans on the PHYs of `--phy`; with `all`, on 1M alone if the controller has no other.
    private func withFallback(
        _ body: (ScanParameters) async throws -> RunEnding
    ) async throws -> RunEnding {
        do {
            switch options.phy {
            case .oneM: return try await body(parameters([.le1M]))
            case .coded: return try await body(parameters([.coded]))
            case .all:
                do {
                    return try await body(parameters([.le1M, .coded]))
                } catch let error as RadioError where error.isAboutParameters {
                    // The controller has rejected the parameters before anything was heard, so that nothing is
                    // reported twice.
                    return try await body(parameters([.le1M]))
                }
            }
        } catch let error as RadioError {
            // A cancelled scan is the user's wish and not an error of the radio.
            guard error.cause != .cancelled else { throw CancellationError() }
            throw BlectlError(error, doing: "scan")
        }
    }

    private func parameters(_ phys: LEPHYSet) -> ScanParameters {
        ScanParameters(isActive: options.isActive, phys: phys, interval: options.interval, window: options.window)
    }

    /// Notes the numbers of the scan on standard error, so that drops are never silent.
    private func report(_ session: ScanSession) async {
        let summary = await session.summary
        var parts = [
            "\(count: summary.reports, "report") from \(count: summary.devices, "device")"
        ]
        parts.append("\(session.losses.dropped) dropped")
        let malformed = session.losses.malformed
        if malformed > 0 { parts.append("\(malformed) malformed") }
        if summary.forgotten > 0 {
            parts.append("\(count: summary.forgotten, "device") forgotten, because there were too many")
        }
        context.diagnostics.note(parts.joined(separator: ", "))
    }

    /// Remembers the address types of connectable devices: an address on a command line does not show its type.
    private func remember(_ session: ScanSession) async {
        var known = KnownDevices(in: context.stores.state)
        for device in await session.connectableDevices {
            known.remember(
                device.address,
                name: device.name?.text,
                seen: context.time.wallClock.description,
                isCoded: device.primaryPHY == .coded
            )
        }
        await known.save(time: context.time)
    }
}

extension RadioError {
    /// Whether the controller rejected the parameters, so that others may work.
    fileprivate var isAboutParameters: Bool {
        guard case .commandRejected(let status) = cause else { return false }
        return status == .unsupportedFeatureOrParameterValue || status == .invalidHCICommandParameters
    }
}
