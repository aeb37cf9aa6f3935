// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// `blectl read`: several targets on one connection, each failing alone.
struct ReadCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        let targets = try context.arguments[ReadSpec.targets].map { text in
            try context.target(text, of: ReadSpec.targets)
        }
        let format = context.arguments[ReadSpec.format]
        try await context.withDevice(for: targets, mayChange: false) { device in
            var firstFailure: ExitStatus?
            var wasSilent = false
            for (index, target) in targets.enumerated() {
                do {
                    let (attribute, bytes) = try await read(target, of: device)
                    let result = ValueResult(
                        attribute: attribute,
                        presentation: try ValuePresentation(bytes, of: attribute, format: format),
                        origin: .read,
                        timestamp: Timestamp(context.time),
                        isLabelled: targets.count > 1
                    )
                    try context.output.emit(result)
                    wasSilent = false
                } catch {
                    guard
                        let failure = BlectlError(
                            describing: error,
                            doing: "read \(target) from \(device.reference.text)"
                        ),
                        !Task.isCancelled
                    else { throw error }
                    context.diagnostics.error(failure.message, hint: failure.hint)
                    if context.output.isJSON {
                        try context.output.emit(
                            TargetErrorResult(target: target.text, error: failure, timestamp: Timestamp(context.time))
                        )
                    }
                    firstFailure = firstFailure ?? failure.status
                    if error.isSilence {
                        // On a link of its own, a device that is there would have answered the second.
                        if wasSilent {
                            noteUntried(targets[(index + 1)...])
                            break
                        }
                        wasSilent = true
                        // The unanswered request blocks the bearer: the next target needs a new one.
                        await device.peripheral.disconnect()
                    } else if await !device.peripheral.isConnected {
                        // Without a link the other targets cannot do better.
                        noteUntried(targets[(index + 1)...])
                        break
                    } else {
                        wasSilent = false
                    }
                }
            }
            if let firstFailure { throw CommandFailure(status: firstFailure) }
        }
    }

    private func read(
        _ target: AttributeTarget,
        of device: ConnectedDevice
    ) async throws -> (AttributeReference, [UInt8]) {
        try await context.withTimeout("read \(target)") {
            let value = try await target.object(of: device.peripheral).read()
            note(value, target)
            return (device.attribute(target, value.handle), value.value)
        }
    }

    private func noteUntried(_ targets: ArraySlice<AttributeTarget>) {
        guard !targets.isEmpty else { return }
        context.diagnostics.note("not tried: \(Prose.list(targets.map(\.text), "and"))")
    }

    private func note(_ value: AttributeValue, _ target: AttributeTarget) {
        if value.others > 0 {
            context.noteOthers(of: target, count: value.others + 1, taken: value.handle)
        }
        if value.isCut {
            context.diagnostics.note(
                "\(target) is longer than the \(value.value.count) octets that the device would give"
            )
        }
    }
}
