// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// `blectl scan`: shows the advertisers that pass the filter.
struct ScanCommand {
    let options: ScanOptions
    let context: CommandContext

    init(_ options: ScanOptions, _ context: CommandContext) {
        self.options = options
        self.context = context
    }

    func run() async throws {
        guard let file = options.chart else { return try await run(display) }
        let chart = SignalChart(next: display, start: context.time.wallClock)
        try await file.draw(chart) { try await run(chart) }
    }

    private func run(_ display: any ScanDisplay) async throws {
        let radio = try await context.central(isForLinks: false).radio
        let session = ScanSession(
            filter: options.filter,
            display: display,
            limits: options.limits,
            isActive: options.isActive,
            identities: BondedIdentities(context.knownBonds(of: radio.adapter))
        )
        let controller: HCIController
        do {
            controller = try HCIController.open(radio, scope: context.scope, time: context.time)
        } catch {
            throw BlectlError(error, doing: "scan")
        }
        try await withCleanup {
            var failure: (any Error)?
            var ending = RunEnding.complete
            do {
                ending = try await withCleanup {
                    try await scan(controller, session, display)
                } cleanup: {
                    await controller.close()
                }
            } catch {
                failure = error
            }
            // A failed scan may have heard devices, too.
            try await session.end()
            await report(session, controller)
            if let failure { throw failure }
            try conclude(ending, session, display.counted)
        } cleanup: {
            // Even without a reader, because the next command needs the address types.
            await remember(session)
        }
    }

    private var display: any ScanDisplay {
        let output = context.output
        if options.showsSummary {
            return SummaryDisplay(output: output, order: options.order, time: context.time)
        }
        if output.writesRecords || options.showsDuplicates {
            return ReportDisplay(output: output, showsDuplicates: options.showsDuplicates)
        }
        if let terminal = context.screenTerminal {
            let scan = LiveScan(
                order: options.order,
                filterWords: options.filter.words,
                hasKeys: terminal.hasKeys,
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
        return DeviceLines(output: output)
    }

    private func conclude(_ ending: RunEnding, _ session: ScanSession, _ counted: CountedThing) throws {
        if let failure = options.limits.failure(after: ending, reached: session.tally.count, of: counted) {
            throw failure
        }
        if let remark = ending.remark { context.diagnostics.note(remark) }
    }

    private func scan(
        _ controller: HCIController,
        _ session: ScanSession,
        _ display: any ScanDisplay
    ) async throws -> RunEnding {
        let time = context.time
        let (limits, start) = (options.limits, time.now)
        return try await withFallback { parameters in
            try await controller.withLeasedScan(
                parameters,
                in: context.state,
                time: time,
                notes: context.diagnostics
            ) { scan in
                defer { session.dropped.add(scan.droppedCount) }
                context.onReady?()
                return try await withThrowingTaskGroup(of: RunEnding.self) { group in
                    group.addTask {
                        try await limits.run(time, since: start, session.tally) {
                            try await scan.forEachBatch { reports in
                                let progress = try await session.add(reports)
                                // Reports that come meanwhile are dropped and counted: advertisers do not wait.
                                try await context.output.room()
                                return progress
                            }
                        }
                    }
                    if display.isLive {
                        group.addTask {
                            try await display.run {
                                await session.present(now: time.now, dropped: scan.droppedCount)
                            }
                            return .quit
                        }
                    }
                    defer { group.cancelAll() }
                    return try await group.next() ?? .complete
                }
            }
        }
    }

    /// Scans on the PHYs of `--phy`; with `all`, on 1M alone if the controller has no other.
    private func withFallback(
        _ body: (ScanParameters) async throws -> RunEnding
    ) async throws -> RunEnding {
        let isActive = options.isActive
        do {
            switch options.phy {
            case .oneM: return try await body(ScanParameters(isActive: isActive, phys: [.le1M]))
            case .coded: return try await body(ScanParameters(isActive: isActive, phys: [.coded]))
            case .all:
                do {
                    return try await body(ScanParameters(isActive: isActive, phys: [.le1M, .coded]))
                } catch let error as RadioError where error.isAboutParameters {
                    return try await body(ScanParameters(isActive: isActive, phys: [.le1M]))
                }
            }
        } catch let error as RadioError {
            guard error.cause != .cancelled else { throw CancellationError() }
            throw BlectlError(error, doing: "scan")
        }
    }

    private func report(_ session: ScanSession, _ controller: HCIController) async {
        let summary = await session.summary
        var parts = [
            "\(count: summary.reports, "report") from \(count: summary.devices, "device")"
        ]
        parts.append("\(session.dropped.count) dropped")
        let malformed = await controller.malformedCount
        if malformed > 0 { parts.append("\(malformed) malformed") }
        if summary.forgotten > 0 {
            parts.append("\(count: summary.forgotten, "device") forgotten, because there were too many")
        }
        context.diagnostics.note(parts.joined(separator: ", "))
    }

    private func remember(_ session: ScanSession) async {
        var known = KnownDevices(in: context.state)
        for device in await session.connectableDevices {
            known.remember(device.address, name: device.name?.text, seen: context.time.wallClock.description)
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
