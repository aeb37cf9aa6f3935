// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Reads the values of a profile that are read once, and reports missing ones.
struct InitialReading: Sendable {
    let options: WatchOptions
    let device: ConnectedDevice
    let context: OperationContext
    let reporter: MeasurementReporter

    /// Reads and reports, and returns the targets that the device lacks.
    ///
    /// Throws if the device lacks all of them, or if a read fails and there is no other source.
    func run(_ plan: WatchPlan, _ tally: Tally) async throws -> Set<AttributeTarget> {
        var missing: [WatchedSource] = []
        var firstError: (any Error)?
        var failure: ExitStatus?
        // One at a time, because an ATT bearer has one outstanding request. Spec: Core 5.4, Vol 3, Part F,
        // 3.3.2
        for watched in plan.sources where watched.source.delivery.isReadFirst {
            guard !options.limits.isReached(tally) else { break }
            do {
                guard let value = try await read(watched) else {
                    // A device may notify a value that it does not allow a client to read.
                    if watched.source.delivery == .readOnce { missing.append(watched) }
                    continue
                }
                // The sequence number of a measurement is the count with it.
                tally.add()
                let now = Timestamp(context.time)
                try await reporter.report(value.value, at: value.handle, of: watched, tally.count, now)
            } catch let error as MissingAttribute {
                missing.append(watched)
                firstError = firstError ?? error
            } catch  where plan.sources.count > 1 && error.isRefusal {
                // With only one source, its failure is that of the whole operation.
                guard try await report(error, watched, &failure) else { throw error }
                // The failure to raise the security has closed the link; the others are read from a new one.
                if error is SecurityFailure { await device.peripheral.abandonLink() }
            }
        }
        // A device that refuses everything has its own failures instead of this one.
        if missing.count == plan.sources.count, failure == nil {
            throw firstError ?? nothing(of: plan)
        }
        if !missing.isEmpty { reportMissing(missing) }
        // A stream goes on with the other sources; a snapshot has nothing more to show.
        if options.isSnapshot, let failure { throw PartialFailure(status: failure) }
        return Set(missing.map(\.target))
    }

    /// The end of an operation that only reads.
    /// Throws if fewer measurements were read than `--count` demands.
    func conclude(_ tally: Tally) throws {
        let device = device.reference.text
        if let error = options.limits.failure(after: .complete, reached: tally.count, of: .measurement, from: device) {
            throw error.adding(": each is read once")
        }
    }

    /// Reads a value; `nil` if the device lacks the characteristic, or does not permit the read.
    ///
    /// Reads by UUID and not by handle, so that one request suffices.
    private func read(_ watched: WatchedSource) async throws -> AttributeValue? {
        let source = watched.source
        let characteristic = device.peripheral.characteristic(source.characteristic, in: source.service)
        do {
            return try await context.withTimeout("read \(source.characteristic)") { try await characteristic.read() }
        } catch MissingAttribute.characteristic {
            return nil
        } catch GATTError.refused(let error)
            where error.code == .readNotPermitted && source.delivery == .readThenSent
        {
            return nil
        }
    }

    /// Reports a value that the device refuses. Returns `false` if the error is more than one of several failures.
    private func report(_ error: any Error, _ watched: WatchedSource, _ first: inout ExitStatus?) async throws -> Bool {
        let name = watched.label ?? watched.target.text
        let action = "read \(name) from \(device.reference.text)"
        let subject = RequestSubject(target: watched.target)
        guard let failure = await device.described(error, doing: action, about: subject) else { return false }
        try await context.report(failure.about(device: device.reference, target: watched.target), &first)
        return true
    }

    /// Reports missing values. For a stream this is a detail, because the other values follow.
    private func reportMissing(_ missing: [WatchedSource]) {
        let names = missing.compactMap(\.label)
        guard !names.isEmpty else { return }
        let words = "the device has no \(Prose.list(names))"
        if options.isSnapshot { context.notes.note(words) } else { context.notes.detail(words) }
    }

    /// The error for a device that has no value of the profiles.
    private func nothing(of plan: WatchPlan) -> BlectlError {
        BlectlError(
            .notFound,
            cannot: "watch \(options.text) on \(device.reference.text)",
            "the device has no \(Prose.list(plan.sources.map { $0.label ?? "\($0.source.characteristic)" }))",
            hint: "what it has: blectl inspect\(device.reference.option)"
        )
    }
}

extension ProfileSource.Delivery {
    /// Whether the value is read before anything is subscribed to.
    fileprivate var isReadFirst: Bool { self == .readOnce || self == .readThenSent }
}
