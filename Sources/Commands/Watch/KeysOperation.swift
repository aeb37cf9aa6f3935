// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Synchronization
import Toolkit

/// Acts on presses of keys, one after the other.
protocol KeyPressHandler: Sendable {
    /// Queues a press.
    func start(for press: KeyResult)

    /// After this no press is queued, and `run` returns when the last one is done.
    func finish()

    /// Acts on the presses until `finish`, or until the task is cancelled.
    func run() async
}

/// Reports each press and release of a key, and has something done on each press.
struct KeysOperation: DeviceOperation {
    let pads: [KeyPad]
    let limits: StopLimits
    /// Acts on the presses, for example by running programs; `nil` if nothing is to be done.
    let handler: (any KeyPressHandler)?

    func action(on device: DeviceReference) -> String { "watch the keys of \(device.text)" }

    /// Observes the keys, and runs the user's programs beside that, so that a slow program does not delay the next
    /// key.
    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        guard let handler else { return try await observe(device, context) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await handler.run() }
            defer { group.cancelAll() }
            // An error of the observation cancels the programs. A regular end does not.
            try await observe(device, context)
            // Those that are due are still acted on.
            handler.finish()
            try await group.waitForAll()
        }
    }

    /// Observes the characteristics of the key pads until `--count` events have come.
    private func observe(_ device: ConnectedDevice, _ context: OperationContext) async throws {
        var targets: [AttributeTarget] = []
        for pad in pads { targets.append(try AttributeTarget("\(pad.service)/\(pad.characteristic)")) }
        let tally = Tally()
        let tracker = Mutex((keys: KeyTracker(), count: 0))
        let observation = TargetObservation(
            context: context,
            device: device,
            targets: targets,
            limits: limits,
            counted: .event,
            tally: tally,
            // A pad that the device lacks is left out when subscribing (`areAccepted`).
            refusals: .areAccepted,
            // Counted per event and not per value: a value may hold several presses.
            uncounted: Set(targets),
            ambiguity: nil,
            isComplete: { limits.isReached(tally) }
        )
        try await observation.run { [targets] value, target, _ in
            guard let index = targets.firstIndex(of: target) else { return }
            // The tracker compares each value with the one before, because a report contains the pressed keys and not
            // the changes.
            let events = tracker.withLock { $0.keys.received(value.value, from: pads[index]) }
            // A value with more events than are wanted is cut at the count.
            for event in events where !limits.isReached(tally) {
                let number = tracker.withLock { tracker in
                    tracker.count += 1
                    return tracker.count
                }
                tally.add()
                let result = KeyResult(
                    device: device.reference,
                    event: event,
                    sequence: number,
                    timestamp: value.timestamp
                )
                try await context.results.emit(.key(result))
                if event.isPress { handler?.start(for: result) }
            }
        }
    }
}
