// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Synchronization
import Terminal
import Toolkit

/// `read --every`: an observation, whose values are read.
extension ReadOperation {
    /// Reads the targets again and again until a limit is reached. One that is refused is reported and left out, as
    /// among several of `notify`.
    func observe(
        _ targets: [AttributeTarget],
        every period: Duration,
        on device: ConnectedDevice,
        in context: OperationContext
    )
        async throws
    {
        let firstFailure = Mutex<ExitStatus?>(nil)
        let references = AttributeReferences()
        let reading = PeriodicReading(context: context, period: period, reconnects: options.reconnects) {
            error,
            target in
            let failure = try await describe(error, target, device)
            let failed = ErrorResult(error: failure, timestamp: Timestamp(context.time))
            try await context.results.emit(.failed(failed))
            firstFailure.withLock { $0 = $0 ?? failure.status }
        }
        var observation = TargetObservation(
            context: context,
            device: device,
            targets: targets,
            limits: options.limits,
            ambiguity: nil,
            companion: { try await reading.run($1, on: device, through: $0) }
        )
        observation.subscribes = false
        do {
            try await observation.run { value, target, _ in
                guard case .read(let read, let timestamp) = value else { return }
                let attribute: AttributeReference
                if let known = references.known(target.text, read.handle) {
                    attribute = known
                } else {
                    await noteUnexpected(read, target, device, context.notes)
                    let found = await reference(target, read.handle, of: device)
                    attribute = references.reference(target.text, read.handle) { found }
                }
                try await context.results.emit(.value(result(read, attribute, .polled, timestamp, targets.count > 1)))
            }
        } catch is TargetObservation.EndedByCompanion {
            // Every target has failed alone.
        } catch let error as BlectlError where error.status == .expectationFailed {
            // The status is that of the failed target, so that too few values are only a remark.
            guard firstFailure.withLock({ $0 != nil }) else { throw error }
            context.notes.note(error.message)
        }
        if let status = firstFailure.withLock({ $0 }) { throw PartialFailure(status: status) }
    }
}
