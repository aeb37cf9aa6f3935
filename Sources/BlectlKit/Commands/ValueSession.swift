// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Values that a device sends by itself, from the first subscription to the last value that is wanted.
struct ValueSession: Sendable {
    /// A value, with the target that it is for and its number, from 1.
    typealias Body = @Sendable (ValueEvent, AttributeTarget, _ sequence: Int) async throws -> Void

    let context: CommandContext
    let device: ConnectedDevice
    let targets: [AttributeTarget]
    /// After so many values it ends.
    let count: Int?
    /// After that time, from the moment of the last subscription, it ends.
    let duration: Duration?
    /// Whether standard output carries octets only: gaps are told on standard error then.
    var isRaw = false

    /// Subscribes, hands every value to `body`, and unsubscribes, whatever ended it.
    func run(_ body: @escaping Body) async throws {
        let observation = await device.peripheral.observation()
        let result: Result<Void, any Error>
        do {
            let wanted = try await subscribe(observation)
            context.diagnostics.clearProgress()
            if let duration {
                try await untilDeadline(context.time.now + duration, context.time) {
                    try await deliver(observation, wanted, body)
                }
            } else {
                try await deliver(observation, wanted, body)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await end(observation)
        try result.get()
    }

    private func subscribe(_ observation: Observation) async throws -> [CharacteristicSelector: AttributeTarget] {
        var wanted: [CharacteristicSelector: AttributeTarget] = [:]
        for target in targets {
            context.diagnostics.progress("subscribing to \(target) …")
            let characteristic = try characteristic(target)
            wanted[characteristic.selector] = wanted[characteristic.selector] ?? target
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
            await context.noteOthers(of: target, on: device)
        }
        return wanted
    }

    private func characteristic(_ target: AttributeTarget) throws -> Characteristic {
        switch target.object(of: device.peripheral) {
        case .characteristic(let characteristic): return characteristic
        case .attribute(let attribute): return device.peripheral.characteristic(at: attribute.handle)
        case .descriptor:
            throw BlectlError(.usage, "cannot subscribe to \(target): a descriptor does not notify")
        }
    }

    private func deliver(
        _ observation: Observation,
        _ wanted: [CharacteristicSelector: AttributeTarget],
        _ body: Body
    ) async throws {
        var sequence = 0
        while count.map({ sequence < $0 }) ?? true {
            switch try await observation.next() {
            case .value(let event, let characteristic):
                guard let target = wanted[characteristic.selector] else { continue }
                sequence += 1
                try await body(event, target, sequence)
            case .linkLost(let error):
                try emit(.lost(BlectlError.reason(error)))
                context.diagnostics.progress("connecting to \(device.reference.text) again …")
            case .reconnectionFailed(let attempt, let error, let pause):
                let why = BlectlError(describing: error, doing: "connect to \(device.reference.text)")
                context.diagnostics.note("attempt \(attempt): \(why?.message ?? "\(error)"); trying again in \(pause)")
            case .linkRestored(let gap, let attempts):
                try emit(.restored(after: gap, attempts: attempts))
            case .databaseChanged(let range):
                try emit(.databaseChanged(range))
            case .ended(let error):
                throw error
            }
        }
    }

    private func emit(_ kind: InterruptionResult.Kind) throws {
        context.diagnostics.clearProgress()
        let result = InterruptionResult(device: device.reference, kind: kind, timestamp: Timestamp(context.time))
        if isRaw, !context.output.isJSON {
            context.diagnostics.note(result.words)
        } else {
            try context.output.emit(result)
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
