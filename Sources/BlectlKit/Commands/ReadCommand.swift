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
        try await context.withDevice(for: targets, mayChange: false) { device in
            var firstFailure: ExitStatus?
            var patience = Patience(timeout: context.timeout)
            for (index, target) in targets.enumerated() {
                do {
                    let limit = patience.limit(isLast: index == targets.count - 1)
                    try await show(target, of: device, within: limit, isLabelled: targets.count > 1)
                    patience.answered()
                } catch {
                    let status = try await report(error, on: target, of: device)
                    firstFailure = firstFailure ?? status
                    if error.isSilence {
                        patience.waitedInVain()
                        // The unanswered request blocks the bearer: the next target needs a new one.
                        await device.peripheral.disconnect()
                    } else if await device.peripheral.isConnected {
                        patience.answered()
                        continue
                    }
                    // Without a link the other targets cannot do better.
                    guard error.isSilence, !patience.isOver else {
                        noteUntried(targets[(index + 1)...])
                        break
                    }
                }
            }
            if let firstFailure { throw CommandFailure(status: firstFailure) }
        }
    }

    private func show(
        _ target: AttributeTarget,
        of device: ConnectedDevice,
        within limit: Duration,
        isLabelled: Bool
    ) async throws {
        let value = try await context.withTimeout("read \(target)", within: limit) {
            try await target.object(of: device.peripheral).read()
        }
        await note(value, target, device)
        let attribute = device.attribute(target, value.handle)
        let format = context.arguments[ReadSpec.format]
        let result = ValueResult(
            attribute: attribute,
            presentation: try ValuePresentation(value.value, of: attribute, format: format),
            origin: .read,
            timestamp: Timestamp(context.time),
            isLabelled: isLabelled
        )
        try await context.output.emit(result)
    }

    /// Tells what is wrong with one target, and how the command would end for that; throws what is wrong with all of them.
    private func report(
        _ error: any Error,
        on target: AttributeTarget,
        of device: ConnectedDevice
    ) async throws -> ExitStatus {
        let action = "read \(target) from \(device.reference.text)"
        guard !Task.isCancelled, !(error is OutputFailure),
            let failure = BlectlError(describing: error, doing: action, to: device.reference)
        else { throw error }
        return try await context.report(failure, on: target)
    }

    private func noteUntried(_ targets: ArraySlice<AttributeTarget>) {
        guard !targets.isEmpty else { return }
        context.diagnostics.note("not tried: \(Prose.list(targets.map(\.text), "and"))")
    }

    private func note(_ value: AttributeValue, _ target: AttributeTarget, _ device: ConnectedDevice) async {
        if value.others > 0 {
            context.noteOthers(of: target, count: value.others + 1, taken: value.handle)
        } else if case .characteristic(_, let service?) = target.kind {
            await context.noteOtherServices(service, taken: value.handle, on: device)
        }
        if value.isCut {
            context.diagnostics.note(
                "\(target) is longer than the \(value.value.count) octets that the device would give"
            )
        }
    }
}
