// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Records
import Terminal

/// Observes characteristics, from the first subscription to the last value.
package struct TargetObservation: Sendable {
    /// Takes a value, with its target and its number, from 1. The numbers count dropped values, too. A value of an
    /// uncounted target has the number of the value before it.
    package typealias Body = @Sendable (ObservedValue, AttributeTarget, _ sequence: Int) async throws -> Void

    package let context: OperationContext
    package let device: ConnectedDevice
    /// The characteristics; a descriptor is an error.
    package let targets: [AttributeTarget]
    /// The number of values, and the time after the last subscription.
    package let limits: StopLimits
    /// The word for the values in the message about too few of them.
    package var counted = CountedThing.value
    /// The values so far. An operation may have read some already.
    package var tally = Tally()
    package var refusals = Refusals.end
    /// Whether the device is to send; otherwise the companion reads all targets.
    package var subscribes = true
    /// Whether values are also taken that cannot be switched on; `nil` if the user has no choice.
    package var listens: Bool?
    /// The targets that do not count for `--count`. If there are some, dropped values do not count either, because
    /// nobody knows whose they were.
    package var uncounted: Set<AttributeTarget> = []
    package var readAfterGaps: [BluetoothUUID] = []
    /// How the values of a characteristic are joined and cut into frames; `nil` if each counts for itself.
    package var frames: FrameFormat?
    /// Reports targets that match several characteristics; `nil` if they are not reported.
    package let ambiguity: AmbiguityNotes?
    /// Called with the observed targets after the subscription, and again after each gap.
    package var prepare: (@Sendable ([AttributeTarget]) async throws -> Void)?
    /// Runs while values arrive. Its error ends the observation.
    package var companion: Companion?
    /// Whether everything that the operation waits for has come.
    package var isComplete: @Sendable () -> Bool = { false }

    package init(
        context: OperationContext,
        device: ConnectedDevice,
        targets: [AttributeTarget],
        limits: StopLimits,
        counted: CountedThing = CountedThing.value,
        tally: Tally = Tally(),
        refusals: Refusals = Refusals.end,
        listens: Bool? = nil,
        uncounted: Set<AttributeTarget> = [],
        readAfterGaps: [BluetoothUUID] = [],
        frames: FrameFormat? = nil,
        ambiguity: AmbiguityNotes?,
        companion: Companion? = nil,
        isComplete: @escaping @Sendable () -> Bool = { false }
    ) {
        self.context = context
        self.device = device
        self.targets = targets
        self.limits = limits
        self.counted = counted
        self.tally = tally
        self.refusals = refusals
        self.listens = listens
        self.uncounted = uncounted
        self.readAfterGaps = readAfterGaps
        self.frames = frames
        self.ambiguity = ambiguity
        self.companion = companion
        self.isComplete = isComplete
    }

    /// Work that runs while values arrive.
    ///
    /// - Parameter readable: The targets that the device does not send, but that can be read through the observation.
    package typealias Companion =
        @Sendable (_ observation: Observation, _ readable: [(AttributeTarget, Characteristic)]) async throws -> Void

    /// The companion throws it to end the observation, and judges itself whether there were enough values.
    package struct EndedByCompanion: Error {
        package init() {}
    }

    /// The treatment of a target that cannot be subscribed to.
    package enum Refusals: Sendable {
        case end
        /// It is reported as a result, and the others are observed.
        case areReported
        /// A target that the device lacks is left out, and one that it does not send is read by the companion if it can
        /// be read. If no target is left, the first error ends the observation.
        case areAccepted
    }

    /// Subscribes, passes every value to `body`, and unsubscribes even after an error.
    ///
    /// Throws if there were fewer values than wanted, and a `PartialFailure` with the status of the first target that
    /// failed alone.
    package func run(_ body: @escaping Body) async throws {
        // The observation is made first: it buffers values from the first subscription on.
        let observation = await device.peripheral.observation()
        var wanted: [CharacteristicSelector: AttributeTarget] = [:]
        var readable: [(AttributeTarget, Characteristic)] = []
        var failure: ExitStatus?
        do {
            try await subscribe(observation, &wanted, &readable, &failure)
            try await prepare?(targets.filter(wanted.values.contains))
            // From here on values can arrive.
            context.onReady?()
        } catch {
            context.notes.clearProgress()
            await end(observation)
            // A refusal is the end, whatever the device has sent before it: how much that is depends on its timing.
            guard !error.isAboutOneTarget, !(error is BlectlError) else { throw error }
            // After a loss of the link, values that came before are still delivered, and may be enough.
            try await deliverRest(observation, wanted, body, endedBy: error)
            return try conclude(.complete, failure)
        }
        // Until the first value, which may be a long time.
        context.notes.progress(subscribes ? "subscribed; waiting for the first value …" : "reading …")
        let ending = try await withCleanup { [wanted, readable] in
            // Every target may have failed alone.
            guard !wanted.isEmpty else { return RunEnding.complete }
            do {
                return try await limits.run(context.time, since: context.time.now, tally) {
                    try await accompanied(observation, readable) {
                        try await deliver(observation, wanted, body)
                    }
                }
            } catch let error where !(error is EndedByCompanion) {
                context.noteShortfall(of: limits, tally.count, counted, from: device.reference, endedBy: error)
                throw error
            }
        } cleanup: {
            await end(observation)
        }
        try conclude(ending, failure)
    }

    /// Runs the companion until `body` ends.
    private func accompanied(
        _ observation: Observation,
        _ readable: [(AttributeTarget, Characteristic)],
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let companion else { return try await body() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await body()
                return true
            }
            group.addTask {
                try await companion(observation, readable)
                return false
            }
            defer { group.cancelAll() }
            // The end of the companion is not the end of the observation, unless it throws.
            while let isEnd = try await group.next(), !isEnd {}
        }
    }

    /// Reports how the observation has ended, with an error if something is missing. A target that failed alone was
    /// reported before, and has its own status.
    private func conclude(_ ending: RunEnding, _ failed: ExitStatus?) throws {
        let missing = limits.failure(after: ending, reached: tally.count, of: counted, from: device.reference.text)
        if let failed {
            // The status is that of the failed target, so that too few values are only a remark.
            if let missing { context.notes.note(missing.message) }
            throw PartialFailure(status: failed)
        }
        if let missing { throw missing }
        if let remark = ending.remark { context.notes.note(remark) }
    }

    /// Subscribes to all targets in order.
    ///
    /// - Parameters:
    ///   - wanted: Gets the target of each characteristic that values may come from.
    ///   - readable: Gets the targets that cannot be subscribed to, but read.
    ///   - firstFailure: Gets the status of the first target that failed alone.
    private func subscribe(
        _ observation: Observation,
        _ wanted: inout [CharacteristicSelector: AttributeTarget],
        _ readable: inout [(AttributeTarget, Characteristic)],
        _ firstFailure: inout ExitStatus?
    ) async throws {
        var firstError: (any Error)?
        for target in targets {
            context.notes.progress("subscribing to \(target) …")
            let characteristic = try characteristic(target)
            // Before the subscription, because the first value may come before the device's answer.
            // Two targets may name one characteristic; the first has its values.
            let isNew = wanted[characteristic.selector] == nil
            if isNew { wanted[characteristic.selector] = target }
            guard subscribes else {
                if isNew { readable.append((target, characteristic)) }
                continue
            }
            do {
                let obstacle = try await subscribe(observation, to: characteristic, target)
                if let obstacle, refusals == .areAccepted, await mustBeRead(obstacle, characteristic) {
                    readable.append((target, characteristic))
                }
            } catch  where error.isAboutOneTarget {
                if refusals == .areAccepted, await mustBeRead(error, characteristic) {
                    readable.append((target, characteristic))
                    continue
                }
                if refusals == .end { throw obstacle(error, target) }
                if isNew { wanted[characteristic.selector] = nil }
                if refusals == .areAccepted, !error.isRefusal {
                    firstError = firstError ?? obstacle(error, target)
                    continue
                }
                let error = obstacle(error, target)
                let action = "subscribe to \(target) of \(device.reference.text)"
                let subject = RequestSubject(target: target)
                guard let failure = await device.described(error, doing: action, about: subject) else { throw error }
                try await context.report(failure.about(device: device.reference, target: target), &firstFailure)
                continue
            }
            // After the subscription, when the database knows the characteristic.
            await ambiguity?.noteOthers(of: target, on: device)
        }
        // Only if nothing is left: a failure that was reported already has its own status.
        if wanted.isEmpty, firstFailure == nil, let firstError { throw firstError }
    }

    /// Subscribes, or listens. Returns why it only listens, after a remark on that.
    private func subscribe(
        _ observation: Observation,
        to characteristic: Characteristic,
        _ target: AttributeTarget
    ) async throws -> (any Error)? {
        let listens = listens == true
        let obstacle = try await context.withTimeout("subscribe to \(target)") { () -> (any Error)? in
            if listens { return try await observation.listen(to: characteristic) }
            try await observation.subscribe(to: characteristic)
            return nil
        }
        guard let obstacle else { return nil }
        let action = "switch on \(target) of \(device.reference.text)"
        let subject = await device.completed(RequestSubject(target: target), by: obstacle)
        let why = BlectlError(describing: obstacle, doing: action, about: subject)?.message ?? "\(obstacle)"
        context.notes.note("\(why); listening to what it sends without being asked")
        return obstacle
    }

    /// Whether a value that cannot be switched on has to be read now and then: the device has no configuration for it, or
    /// does not allow the write to it, and allows reads.
    private func mustBeRead(_ error: any Error, _ characteristic: Characteristic) async -> Bool {
        guard companion != nil else { return false }
        switch error {
        case MissingAttribute.descriptor, is NotObservable: break
        case GATTError.refused(let refusal) where refusal.code == .writeNotPermitted: break
        default: return false
        }
        return (try? await characteristic.definition().properties.contains(.read)) ?? false
    }

    /// The error for a characteristic that cannot be subscribed to, with the way out.
    private func obstacle(_ error: any Error, _ target: AttributeTarget) -> any Error {
        let action = "subscribe to \(target) of \(device.reference.text)"
        let subject = RequestSubject(target: target)
        let listening = listens == false ? "--listen takes what it sends without being asked" : nil
        switch error {
        case let error as NotObservable:
            let reading = error.properties.contains(.read) ? "blectl read \(target)\(device.reference.option)" : nil
            return BlectlError(.protocolError, cannot: action, error.reason, hint: reading ?? listening)
        case MissingAttribute.descriptor where listening != nil:
            return BlectlError(describing: error, doing: action, to: device.reference)?.with(hint: listening) ?? error
        case GATTError.refused(let refusal) where listening != nil && refusal.code == .writeNotPermitted:
            let described = BlectlError(describing: error, doing: action, to: device.reference, about: subject)
            return described?.with(hint: listening) ?? error
        default:
            return error
        }
    }

    /// The characteristic of a target. Throws for a descriptor, which cannot send.
    private func characteristic(_ target: AttributeTarget) throws(BlectlError) -> Characteristic {
        guard let characteristic = target.characteristic(of: device.peripheral) else {
            throw BlectlError(.usage, cannot: "subscribe to \(target)", "a descriptor does not notify")
        }
        return characteristic
    }

    /// Delivers the values of an observation that an error has ended, and then throws that error.
    private func deliverRest(
        _ observation: Observation,
        _ wanted: [CharacteristicSelector: AttributeTarget],
        _ body: Body,
        endedBy reason: any Error
    ) async throws {
        do {
            try await deliver(observation, wanted, body)
        } catch let end as RadioError where end.cause == .closedLocally {
            // This side has closed the observation; the error is the reason.
            throw reason
        } catch is CancellationError {
            throw reason
        }
    }

    /// What is known of the values that were delivered so far.
    private struct Delivery {
        var numbers = ValueNumbers()
        var remarks: ObservationNotes
        var assemblers: [AttributeTarget: FrameAssembler] = [:]
    }

    /// Passes values to `body` until a limit is reached or the observation ends.
    private func deliver(
        _ observation: Observation,
        _ wanted: [CharacteristicSelector: AttributeTarget],
        _ body: Body
    ) async throws {
        var isFirst = true
        var delivery = Delivery(remarks: ObservationNotes(notes: context.notes, device: device.reference))
        // What follows the last frame that is wanted is not missing.
        defer { if !limits.isReached(tally) { delivery.remarks.noteUnfinished(delivery.assemblers) } }
        while !limits.isReached(tally), !isComplete() {
            let event = try await observation.next()
            if isFirst { context.notes.clearProgress() }
            isFirst = false
            let timestamp = Timestamp(wall: event.wall, monotonic: event.instant)
            switch event.kind {
            case .value(let value, let characteristic):
                // A target that was refused has no entry, even if a value of it has come.
                guard let target = wanted[characteristic.selector] else {
                    delivery.numbers.skipped()
                    continue
                }
                let dropped = delivery.numbers.dropped(before: event.number)
                if dropped > 0 {
                    try await report(dropped, timestamp, &delivery)
                    // The last value may be among those dropped.
                    guard !limits.isReached(tally) else { return }
                }
                try await pass(value, of: target, &delivery, body)
            case .read(let value, let characteristic):
                guard let target = wanted[characteristic.selector] else { continue }
                count(target)
                if !uncounted.contains(target) { delivery.numbers.read() }
                try await body(.read(value, timestamp), target, delivery.numbers.sequence)
            case .linkLost(let error):
                // A new link begins with a new frame.
                delivery.remarks.noteUnfinished(delivery.assemblers)
                delivery.assemblers = [:]
                try await emit(.lost(error.reason), timestamp)
                context.notes.progress("connecting to \(device.reference.text) again …")
            case .reconnectionFailed(let attempt, let error, let pause):
                delivery.remarks.noteReconnectionFailed(attempt, error, pause)
            case .linkRestored(let gap, let attempts):
                delivery.remarks.recordRestoredLink()
                let security = await device.peripheral.linkSecurity
                try await emit(.restored(after: gap, attempts: attempts, security), timestamp)
                // The device may have lost the configuration of the old link.
                try await prepareAgain(targets.filter(wanted.values.contains))
                try await readAgain(observation)
            case .databaseChanged(let range):
                try await emit(.databaseChanged(range), timestamp)
            case .ended(let error):
                throw error
            }
        }
    }

    /// Reports a gap in the numbers of sent values as dropped values.
    private func report(_ dropped: Int, _ timestamp: Timestamp, _ delivery: inout Delivery) async throws {
        delivery.remarks.noteUnfinished(delivery.assemblers)
        for target in delivery.assemblers.keys { delivery.assemblers[target]?.interrupt() }
        try await emit(.dropped(dropped, first: delivery.numbers.sequence - dropped + 1), timestamp)
        if uncounted.isEmpty, frames == nil { tally.add(dropped) } else { tally.recordEvent() }
    }

    /// Passes a value that the device has sent to `body`, or the frames that end with it.
    private func pass(
        _ value: ValueEvent,
        of target: AttributeTarget,
        _ delivery: inout Delivery,
        _ body: Body
    ) async throws {
        if value.isCut { delivery.remarks.noteIsCut(target, length: value.value.count) }
        if value.mayBeCut {
            let isFinal = device.peripheral.refusesMTUExchange
            delivery.remarks.noteMayBeCut(target, length: value.value.count, isFinal: isFinal)
        }
        guard let frames else {
            count(target)
            if uncounted.contains(target) { delivery.numbers.skipped() } else { delivery.numbers.sent() }
            return try await body(.sent(value), target, delivery.numbers.sequence)
        }
        delivery.numbers.sent()
        tally.recordEvent()
        let (whole, lost) = delivery.assemblers[target, default: FrameAssembler(frames)].add(value.value)
        for frame in whole where !limits.isReached(tally) {
            tally.add()
            try await body(.frame(frame, value), target, tally.count)
        }
        if lost > 0 { delivery.remarks.noteNoFrame(target, lost) }
    }

    /// Counts a value of a target for the limits, or only as a sign of life.
    private func count(_ target: AttributeTarget) {
        if uncounted.contains(target) { tally.recordEvent() } else { tally.add() }
    }

    /// Prepares the device after a gap. If the link was lost again, that is done after the next gap.
    private func prepareAgain(_ targets: [AttributeTarget]) async throws {
        do {
            try await prepare?(targets)
        } catch let error as CancellationError {
            throw error
        } catch {
            let subject = await device.completed(nil, by: error)
            let action = "prepare \(device.reference.text) again"
            let why = BlectlError(describing: error, doing: action, about: subject)?.message
            context.notes.note(why ?? "\(error)")
        }
    }

    /// Reads values that may have changed in a gap, and may not change again for hours.
    private func readAgain(_ observation: Observation) async throws {
        for target in targets where readAfterGaps.contains(where: { $0 == target.characteristic }) {
            let characteristic = try characteristic(target)
            do {
                try await context.withTimeout("read \(target)") { try await observation.read(characteristic) }
            } catch let error as CancellationError {
                throw error
            } catch {
                // If the link was lost again, the value is read after that gap.
                let action = "read \(target) from \(device.reference.text)"
                let subject = await device.completed(RequestSubject(target: target), by: error)
                let why = BlectlError(describing: error, doing: action, about: subject)?.message ?? "\(error)"
                context.notes.note(why)
            }
        }
    }

    private func emit(_ kind: InterruptionResult.Kind, _ timestamp: Timestamp) async throws {
        context.notes.clearProgress()
        let result = InterruptionResult(device: device.reference, kind: kind, timestamp: timestamp)
        try await context.results.emit(.interruption(result))
    }

    /// Unsubscribes, even in a cancelled task, but not for long, because the user waits for the program to end.
    private func end(_ observation: Observation) async {
        context.notes.clearProgress()
        if observation.droppedCount > 0 {
            context.notes.note(
                "\(count: observation.droppedCount, "value") dropped, because more came than could be written"
            )
        }
        await context.scope.cleanUp(context.time) { await observation.end() }
    }
}

extension Error {
    /// Whether the error concerns one target only.
    fileprivate var isAboutOneTarget: Bool {
        self is MissingAttribute || isRefusal || self is NotObservable
    }
}
