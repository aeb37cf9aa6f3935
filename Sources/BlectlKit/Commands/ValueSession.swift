// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A value of a session.
enum SessionValue: Sendable {
    /// The device has sent it.
    case sent(ValueEvent)
    /// It was read after a gap.
    case read(AttributeValue, Timestamp)

    var value: [UInt8] {
        switch self {
        case .sent(let event): event.value
        case .read(let value, _): value.value
        }
    }

    var handle: Handle {
        switch self {
        case .sent(let event): event.handle
        case .read(let value, _): value.handle
        }
    }

    var timestamp: Timestamp {
        switch self {
        case .sent(let event): Timestamp(wall: event.wall, monotonic: event.instant)
        case .read(_, let timestamp): timestamp
        }
    }
}

/// Values that a device sends by itself, from the first subscription to the last value that is wanted.
struct ValueSession: Sendable {
    /// A value, with the target that it is for and its number, from 1; values that were dropped are counted.
    typealias Body = @Sendable (SessionValue, AttributeTarget, _ sequence: Int) async throws -> Void

    let context: CommandContext
    let device: ConnectedDevice
    let targets: [AttributeTarget]
    /// After so many values it ends.
    let count: Int?
    /// After that time, from the moment of the last subscription, it ends.
    let duration: Duration?
    /// Whether standard output carries octets only: gaps are told on standard error then.
    var isRaw = false
    /// Whether a target that cannot be subscribed to is told, and the others are listened to. Without it, it is the end.
    var failsAlone = false
    /// What is read after each gap.
    var readAfterGaps: [BluetoothUUID] = []

    /// Subscribes, hands every value to `body`, and unsubscribes, whatever ended it.
    ///
    /// - Returns: How the command ends for the first of the targets that failed alone; `nil` where none did.
    @discardableResult
    func run(_ body: @escaping Body) async throws -> ExitStatus? {
        let observation = await device.peripheral.observation()
        var wanted: [CharacteristicSelector: AttributeTarget] = [:]
        var failure: ExitStatus?
        do {
            try await subscribe(observation, &wanted, &failure)
        } catch {
            // What came before that went wrong is delivered nevertheless, and may be all that is wanted.
            context.diagnostics.clearProgress()
            await end(observation)
            try await deliverRest(observation, wanted, body, endedBy: error)
            return failure
        }
        let result: Result<ExitStatus?, any Error>
        do {
            context.diagnostics.clearProgress()
            if wanted.isEmpty {
                // There is nothing to listen to.
            } else if let duration {
                try await untilDeadline(context.time.now + duration, context.time) { [wanted] in
                    try await deliver(observation, wanted, body)
                }
            } else {
                try await deliver(observation, wanted, body)
            }
            result = .success(failure)
        } catch {
            result = .failure(error)
        }
        await end(observation)
        return try result.get()
    }

    private func subscribe(
        _ observation: Observation,
        _ wanted: inout [CharacteristicSelector: AttributeTarget],
        _ firstFailure: inout ExitStatus?
    ) async throws {
        for target in targets {
            context.diagnostics.progress("subscribing to \(target) …")
            let characteristic = try characteristic(target)
            // Before the device has answered, for what it may send at once.
            let isNew = wanted[characteristic.selector] == nil
            if isNew { wanted[characteristic.selector] = target }
            do {
                try await subscribe(observation, to: characteristic, target)
            } catch  where failsAlone && error.isAboutOneTarget {
                let action = "subscribe to \(target) of \(device.reference.text)"
                guard let failure = BlectlError(describing: error, doing: action, to: device.reference) else {
                    throw error
                }
                let status = try await context.report(failure, on: target)
                firstFailure = firstFailure ?? status
                if isNew { wanted[characteristic.selector] = nil }
                continue
            }
            await context.noteOthers(of: target, on: device)
        }
    }

    private func subscribe(
        _ observation: Observation,
        to characteristic: Characteristic,
        _ target: AttributeTarget
    ) async throws {
        do {
            try await context.withTimeout("subscribe to \(target)") {
                try await observation.subscribe(to: characteristic)
            }
        } catch let error as NotObservable {
            throw BlectlError(
                .protocolError,
                "cannot subscribe to \(target): it neither notifies nor indicates, only: \(error.properties)",
                hint: error.properties.contains(.read) ? "blectl read \(target)" : nil
            )
        }
    }

    private func characteristic(_ target: AttributeTarget) throws -> Characteristic {
        switch target.object(of: device.peripheral) {
        case .characteristic(let characteristic): return characteristic
        case .attribute(let attribute): return device.peripheral.characteristic(at: attribute.handle)
        case .descriptor:
            throw BlectlError(.usage, "cannot subscribe to \(target): a descriptor does not notify")
        }
    }

    /// Delivers what an observation has that ended early.
    private func deliverRest(
        _ observation: Observation,
        _ wanted: [CharacteristicSelector: AttributeTarget],
        _ body: Body,
        endedBy reason: any Error
    ) async throws {
        do {
            try await deliver(observation, wanted, body)
        } catch let end as RadioError where end.cause == .closedLocally {
            throw reason
        } catch is CancellationError {
            throw reason
        }
    }

    private func deliver(
        _ observation: Observation,
        _ wanted: [CharacteristicSelector: AttributeTarget],
        _ body: Body
    ) async throws {
        var sequence = 0
        var reads = 0
        var notes = SessionNotes(context: context, device: device.reference)
        while count.map({ sequence < $0 }) ?? true {
            let event = try await observation.next()
            let timestamp = Timestamp(wall: event.wall, monotonic: event.instant)
            switch event.kind {
            case .value(let value, let characteristic):
                guard let target = wanted[characteristic.selector] else { continue }
                let dropped = (event.number ?? sequence - reads + 1) - (sequence - reads) - 1
                if dropped > 0 {
                    try await emit(.dropped(dropped, first: sequence + 1), timestamp)
                    sequence += dropped
                    // The last one that is wanted may be among them.
                    guard count.map({ sequence < $0 }) ?? true else { return }
                }
                if value.isCut { notes.isCut(target, length: value.value.count) }
                if value.mayBeCut { notes.mayBeCut(target, length: value.value.count) }
                sequence += 1
                try await body(.sent(value), target, sequence)
            case .read(let value, let characteristic):
                guard let target = wanted[characteristic.selector] else { continue }
                sequence += 1
                reads += 1
                try await body(.read(value, timestamp), target, sequence)
            case .linkLost(let error):
                try await emit(.lost(BlectlError.reason(error)), timestamp)
                context.diagnostics.progress("connecting to \(device.reference.text) again …")
            case .reconnectionFailed(let attempt, let error, let pause):
                notes.reconnectionFailed(attempt, error, pause)
            case .linkRestored(let gap, let attempts):
                notes.linkRestored()
                try await emit(.restored(after: gap, attempts: attempts), timestamp)
                try await readAgain(observation)
            case .databaseChanged(let range):
                try await emit(.databaseChanged(range), timestamp)
            case .ended(let error):
                throw error
            }
        }
    }

    /// What has changed in a gap, and may not change again for hours.
    private func readAgain(_ observation: Observation) async throws {
        for target in targets where readAfterGaps.contains(where: { $0 == target.characteristic }) {
            let characteristic = try characteristic(target)
            do {
                try await context.withTimeout("read \(target)") { try await observation.read(characteristic) }
            } catch let error as CancellationError {
                throw error
            } catch {
                // Where the link was lost again there is another gap, and it is read behind that.
                let why = BlectlError(describing: error, doing: "read \(target)")?.message ?? "\(error)"
                context.diagnostics.note(why)
            }
        }
    }

    private func emit(_ kind: InterruptionResult.Kind, _ timestamp: Timestamp) async throws {
        context.diagnostics.clearProgress()
        let result = InterruptionResult(device: device.reference, kind: kind, timestamp: timestamp)
        if isRaw, !context.output.isJSON {
            context.diagnostics.note(result.words)
        } else {
            try await context.output.emit(result)
        }
    }

    /// Whatever ended it: the device is asked to send no more, for as long as somebody waits for a program to end.
    private func end(_ observation: Observation) async {
        if observation.droppedCount > 0 {
            context.diagnostics.note(
                "\(count: observation.droppedCount, "value") dropped, because more came than could be written"
            )
        }
        _ = try? await context.scope.shielded { [time = context.time] in
            try await withDeadline(time.now + ATTConnection.tidyUpTimeout, time, operation: "unsubscribe") {
                await observation.end()
            }
        }
    }
}

extension Error {
    /// Whether it is the device's answer about one target, which says nothing of the others.
    fileprivate var isAboutOneTarget: Bool {
        self is MissingAttribute || self is GATTError || (self as? BlectlError)?.status == .protocolError
    }
}

/// What a session says on standard error, each thing once.
private struct SessionNotes {
    let context: CommandContext
    let device: DeviceReference
    private var cut: Set<String> = []
    private var tooLong: Set<String> = []
    private var lastFailure: String?

    init(context: CommandContext, device: DeviceReference) {
        self.context = context
        self.device = device
    }

    mutating func mayBeCut(_ target: AttributeTarget, length: Int) {
        guard cut.insert(target.text).inserted else { return }
        context.diagnostics.note(
            "a value of \(target) may be cut: its \(length) octets are all that a packet takes;"
                + " a larger MTU is asked for now"
        )
    }

    mutating func isCut(_ target: AttributeTarget, length: Int) {
        guard tooLong.insert(target.text).inserted else { return }
        context.diagnostics.note(
            "a value of \(target) is longer than the \(length) octets that a value can have; the rest is left out"
        )
    }

    /// A device may be away for days: what is the matter is told once, and the rest to those who watch.
    mutating func reconnectionFailed(_ attempt: Int, _ error: any Error, _ pause: Duration) {
        // A link that was made may still not be subscribed to.
        let isLink = error is ConnectFailure || error is RadioError
        let action = "\(isLink ? "connect" : "listen") to \(device.text)"
        let why = BlectlError(describing: error, doing: action)?.message ?? "\(error)"
        let text = "attempt \(attempt): \(why); trying again in \(pause)"
        if why != lastFailure || context.diagnostics.verbosity > 0 { context.diagnostics.note(text) }
        lastFailure = why
        context.diagnostics.progress(text)
    }

    mutating func linkRestored() { lastFailure = nil }
}
