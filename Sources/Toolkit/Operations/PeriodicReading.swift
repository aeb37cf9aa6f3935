// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import Terminal

/// Reads values again and again, those that a device does not send. They become events of an observation.
package struct PeriodicReading: Sendable {
    private let context: OperationContext
    private let period: Duration
    /// Whether the next read makes a lost link again.
    private let reconnects: Bool
    /// Reports a target that the device lacks or refuses, which is then left out; `nil` if that ends the observation.
    private let refused: (@Sendable (any Error, AttributeTarget) async throws -> Void)?

    package init(
        context: OperationContext,
        period: Duration,
        reconnects: Bool,
        refused: (@Sendable (any Error, AttributeTarget) async throws -> Void)? = nil
    ) {
        self.context = context
        self.period = period
        self.reconnects = reconnects
        self.refused = refused
    }

    /// Reads until the task is cancelled, or until no target is left.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the value of a target was read just before, so that it is not read again at once.
    ///   - name: The name of a target in messages; `nil` for its own.
    package func run(
        _ targets: [(AttributeTarget, Characteristic)],
        on device: ConnectedDevice,
        through observation: Observation,
        isKnown: (AttributeTarget) -> Bool = { _ in false },
        name: (AttributeTarget) -> String? = { _ in nil }
    ) async throws {
        guard !targets.isEmpty else { return }
        var targets = targets
        var isFirst = true
        var round = context.time.now
        while true {
            for (target, characteristic) in targets {
                if isFirst, isKnown(target) { continue }
                do {
                    try await context.withTimeout("read \(target)") { try await observation.read(characteristic) }
                } catch let error where refused != nil && (error.isRefusal || error is MissingAttribute) {
                    try await refused?(error, target)
                    targets.removeAll { $0.0 == target }
                    // The failure to raise the security has closed the link; the others are read from a new one.
                    if error is SecurityFailure { await device.peripheral.abandonLink() }
                } catch let error where reconnects && !(error is CancellationError) {
                    let action = "read \(name(target) ?? target.text) from \(device.reference.text)"
                    context.notes.note(BlectlError(describing: error, doing: action)?.message ?? "\(error)")
                }
            }
            guard !targets.isEmpty else { throw TargetObservation.EndedByCompanion() }
            isFirst = false
            // Counted from the beginning of the round, so that the time of the reads does not add up. After reads that
            // took longer than the period, the next round begins at once.
            round = max(round + period, context.time.now)
            try await context.time.sleep(until: round)
        }
    }
}
