// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// `blectl scan`: who advertises.
struct ScanCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        let filter = try ScanFilter(context.arguments)
        let radio = try await context.radio(isForLinks: false)
        let output = context.output
        let display: any ScanDisplay =
            if output.isJSON {
                ReportDisplay(output: output, showsDuplicates: context.arguments[ScanSpec.duplicates])
            } else if context.arguments[ScanSpec.duplicates] {
                ReportDisplay(output: output, showsDuplicates: true)
            } else if output.style.isTerminal {
                LiveTable(output: output, order: context.arguments[ScanSpec.sort], size: context.terminalSize)
            } else {
                DeviceLines(output: output, isActive: !context.arguments[ScanSpec.passive])
            }
        let session = ScanSession(filter: filter, display: display, limit: context.arguments[ScanSpec.count])
        let controller: HCIController
        do {
            controller = try HCIController.open(radio, scope: context.scope, time: context.time)
        } catch {
            throw BlectlError(error, doing: "scan")
        }
        let result: Result<Void, any Error>
        do {
            try await scan(controller, session)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await controller.close()
        let ending: Result<Void, any Error>
        do {
            try await session.end()
            await report(session, controller)
            ending = .success(())
        } catch {
            ending = .failure(error)
        }
        // Also when nobody reads any more: the next command needs the devices' types of addresses.
        await remember(session)
        try ending.get()
        try result.get()
    }

    private func scan(_ controller: HCIController, _ session: ScanSession) async throws {
        let time = context.time
        let deadline = context.arguments[ScanSpec.duration].map { time.now + $0 }
        try await withFallback { parameters in
            try await context.withScan(controller, parameters) { scan in
                defer { session.dropped.add(scan.droppedCount) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        let work: @Sendable () async throws -> Void = {
                            try await scan.forEachBatch { reports in
                                let progress = try await session.add(reports)
                                // What comes meanwhile is dropped and counted: advertisers do not wait.
                                try await context.output.room()
                                return progress
                            }
                        }
                        if let deadline {
                            try await untilDeadline(deadline, time, work)
                        } else {
                            try await work()
                        }
                    }
                    if let interval = await session.refreshInterval {
                        group.addTask {
                            // A clock's tick, not a wait for something: the table shows ages.
                            while true {
                                try await time.sleep(for: interval)
                                try await session.refresh(now: time.now)
                            }
                        }
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
    }

    /// Scans on all PHYs where that was asked for by no more than the default, and on 1M where the controller has no other.
    private func withFallback(_ body: (ScanParameters) async throws -> Void) async throws {
        let isActive = !context.arguments[ScanSpec.passive]
        do {
            switch context.arguments[ScanSpec.phy] {
            case .oneM: try await body(ScanParameters(isActive: isActive, phys: [.le1M]))
            case .coded: try await body(ScanParameters(isActive: isActive, phys: [.coded]))
            case .all:
                do {
                    try await body(ScanParameters(isActive: isActive, phys: [.le1M, .coded]))
                } catch let error as RadioError where error.isAboutParameters {
                    try await body(ScanParameters(isActive: isActive, phys: [.le1M]))
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
    /// Whether the controller would take other parameters.
    fileprivate var isAboutParameters: Bool {
        guard case .commandRejected(let status) = cause else { return false }
        return status == .unsupportedFeatureOrParameterValue || status == .invalidHCICommandParameters
    }
}
