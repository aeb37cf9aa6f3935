// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Toolkit

/// Subscribes to characteristics and reports their values as they come.
struct NotifyOperation: DeviceOperation {
    let options: NotifyOptions

    init(_ options: NotifyOptions) { self.options = options }

    func action(on device: DeviceReference) -> String { "listen to \(device.text)" }

    var subject: RequestSubject? {
        options.targets.count == 1 ? options.targets.first.map { RequestSubject(target: $0) } : nil
    }

    /// Observes the targets. A refusal ends the run if there is one target only, and is reported among several,
    /// because the others may still send.
    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let references = AttributeReferences()
        let isOneOfSeveral = options.targets.count > 1
        let observation = TargetObservation(
            context: context,
            device: device,
            targets: options.targets,
            limits: options.limits,
            counted: options.frames == nil ? .value : .frame,
            refusals: isOneOfSeveral ? .areReported : .end,
            listens: options.listens,
            frames: options.frames,
            ambiguity: AmbiguityNotes(notes: context.notes)
        )
        try await observation.run { value, target, sequence in
            let event: ValueEvent
            switch value {
            case .sent(let sent), .frame(_, let sent): event = sent
            // `readAfterGaps` is empty, so that nothing is read.
            case .read: return
            }
            let attribute: AttributeReference
            // The format of a handle is looked up only once.
            if let known = references.known(target.text, event.handle) {
                attribute = known
            } else {
                let lookUp: ConnectedDevice.LookUp = options.format == nil ? .format : .place
                let found = await device.attribute(target, event.handle, lookingUp: lookUp)
                attribute = references.reference(target.text, event.handle) { found }
            }
            let result = ValueResult(
                attribute: attribute,
                presentation: try ValuePresentation(value.value, of: attribute, format: options.format),
                origin: event.kind == .notification
                    ? .notification(sequence: sequence) : .indication(sequence: sequence),
                timestamp: value.timestamp,
                isLabelled: isOneOfSeveral
            )
            try await context.results.emit(.value(result))
        }
    }
}
