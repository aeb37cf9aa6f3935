// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Synchronization
import Toolkit

/// Reports each press and release of a key, and has something done on each press.
struct KeysOperation: DeviceOperation {
    let pads: [KeyPad]
    let limits: StopLimits
    /// Runs programs on the presses; `nil` for none.
    let programs: KeyPrograms?

    func action(on device: DeviceReference) -> String { "watch the keys of \(device.text)" }

    /// Observes the keys, and runs the user's programs beside that, so that a slow program does not delay the next
    /// key.
    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        guard let programs else { return try await observe(device, context) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await programs.run() }
            defer { group.cancelAll() }
            // An error of the observation cancels the programs. A regular end does not.
            try await observe(device, context)
            // Those that are due are still acted on.
            programs.finish()
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
                try await context.results.emit(.other(result))
                if event.isPress { programs?.start(for: result) }
            }
        }
    }
}
