// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// `blectl notify`: values as the device sends them.
struct NotifyCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        let targets = try context.arguments[NotifySpec.targets].map { text in
            try context.target(text, of: NotifySpec.targets)
        }
        let format = context.arguments[ReadSpec.format]
        let references = AttributeReferences()
        try await context.withDevice(for: targets, mayChange: false) { device in
            var failure: ExitStatus?
            do {
                let session = ValueSession(
                    context: context,
                    device: device,
                    targets: targets,
                    count: context.arguments[NotifySpec.count],
                    duration: context.arguments[NotifySpec.duration],
                    isRaw: format == .raw,
                    failsAlone: targets.count > 1
                )
                failure = try await session.run { value, target, sequence in
                    guard case .sent(let event) = value else { return }
                    let attribute = references.reference(target.text, event.handle) {
                        device.attribute(target, event.handle)
                    }
                    try await context.output.emit(
                        ValueResult(
                            attribute: attribute,
                            presentation: try ValuePresentation(event.value, of: attribute, format: format),
                            origin: event.kind == .notification
                                ? .notification(sequence: sequence) : .indication(sequence: sequence),
                            timestamp: value.timestamp,
                            isLabelled: targets.count > 1
                        )
                    )
                }
            } catch {
                let action = "listen to \(device.reference.text)"
                throw BlectlError(describing: error, doing: action, to: device.reference) ?? error
            }
            if let failure { throw CommandFailure(status: failure) }
        }
    }
}
