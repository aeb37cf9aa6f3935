// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Synchronization
import Toolkit

/// Reports the decoded measurements of profiles. Some are read once before the subscription; some devices have to be
/// configured, and some send stored records.
struct WatchOperation: DeviceOperation {
    let options: WatchOptions

    init(_ options: WatchOptions) { self.options = options }

    func action(on device: DeviceReference) -> String { "watch \(options.text) on \(device.text)" }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let plan = try await WatchPlan(options, on: device, in: context)
        // Only a snapshot aligns its labels, because all of them are known before the first value.
        let width = plan.sources.compactMap { $0.label?.utf8.count }.max()
        let reporter = MeasurementReporter(
            device: device,
            settings: options.settings,
            labelWidth: options.isSnapshot ? width : nil,
            results: context.results
        )
        // Shared by the reading and the observation, so that `--count` counts both.
        let tally = Tally()
        let reading = InitialReading(options: options, device: device, context: context, reporter: reporter)
        let missing = try await reading.run(plan, tally)
        // Values that are read once, and missing ones, need no subscription.
        let observed = plan.sources.filter { $0.source.delivery != .readOnce && !missing.contains($0.target) }
        guard !observed.isEmpty, !options.limits.isReached(tally) else { return try reading.conclude(tally) }
        try await observe(observed, plan, on: device, in: context, reporter, tally)
    }

    /// Observes sources until a limit is reached, with stored records or with sensors that are switched on
    /// before.
    private func observe(
        _ observed: [WatchedSource],
        _ plan: WatchPlan,
        on device: ConnectedDevice,
        in context: OperationContext,
        _ reporter: MeasurementReporter,
        _ tally: Tally
    ) async throws {
        let sensors = SensorControl(options: options, device: device, context: context, reporter: reporter, plan: plan)
        let records = try options.storedRecords.map {
            try StoredRecords($0, options.records, device: device, context: context)
        }
        let isSimple = observed.count == 1
        let readCount = tally.count
        var observation = TargetObservation(
            context: context,
            device: device,
            // The control point comes last, so that no record comes before its subscription.
            targets: observed.map(\.target) + (records.map { [$0.target] } ?? []),
            limits: options.limits,
            counted: .measurement,
            tally: tally,
            // A device need not have all sensors of its profile.
            refusals: .areAccepted,
            listens: options.listens,
            // The device does not repeat changes that happened in a gap.
            readAfterGaps: observed.filter { $0.source.delivery == .readThenSent }.map(\.source.characteristic),
            // `watch` takes no handle, but `notify` does.
            ambiguity: isSimple ? AmbiguityNotes(notes: context.notes, handlePrefix: "blectl notify handle:") : nil
        )
        if let records {
            observation.uncounted = [records.target]
            observation.prepare = { try await records.begin(with: $0) }
            // A device sends its records in one go, so a long silence is an error.
            observation.companion = { _, _ in try await records.watchOverSilence() }
            observation.isComplete = { records.isComplete }
        } else {
            if sensors.hasSwitches { observation.prepare = { try await sensors.start($0) } }
            observation.companion = { try await sensors.read($1, through: $0) }
        }
        let run = observation
        do {
            try await withCleanup {
                try await run.run { value, target, number in
                    if let records, target == records.target { return try await records.received(value.value) }
                    guard let watched = plan[target] else { return }
                    records?.countRecord(of: watched.source.characteristic)
                    try await reporter.report(
                        value.value,
                        at: value.handle,
                        of: watched,
                        // Continues the numbers of the values that were read first.
                        readCount + number,
                        value.timestamp
                    )
                }
            } cleanup: {
                // Also after an error, because a sensor that stays on empties the battery of the device.
                await sensors.stop()
            }
        } catch let error as BlectlError where error.status == .expectationFailed && records?.isComplete == true {
            // A refusal, or a number that differs from the announced one, explains more than a number that is too
            // small.
            try records?.conclude()
            throw error.adding(": the device has no more such records")
        }
        try records?.conclude()
    }
}
