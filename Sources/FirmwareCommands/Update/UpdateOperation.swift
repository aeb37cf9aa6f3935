// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Updates the firmware of a device, and prints what is done.
struct UpdateOperation: DeviceOperation {
    let options: UpdateOptions
    let firmware: Firmware
    let output: Output

    func action(on device: DeviceReference) -> String { "update \(device.text)" }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let progress = UploadProgress(device.reference, context, output)
        let environment = CommandEnvironment(
            device: device,
            context: context,
            onEvent: { event in
                if let result = progress.result(event) { try await output.emit(result) }
            },
            onLoss: { progress.lost() }
        )
        var updater = FirmwareUpdater(
            device.peripheral,
            environment,
            confirmation: options.confirmation,
            resets: options.resets
        )
        do {
            try await updater.update(to: firmware)
            await disconnect(updater, from: device)
            context.notes.clearProgress()
        } catch {
            await disconnect(updater, from: device)
            context.notes.clearProgress()
            throw await described(error, updater.state, device, context)
        }
    }

    /// Ends the link to the device if it has another address now.
    private func disconnect(_ updater: FirmwareUpdater, from device: ConnectedDevice) async {
        if updater.peripheral !== device.peripheral { await updater.peripheral.disconnect() }
    }

    private func described(
        _ error: any Error,
        _ state: FirmwareUpdateState,
        _ device: ConnectedDevice,
        _ context: OperationContext
    ) async -> any Error {
        let words = state.words
        guard !Task.isCancelled, !(error is CancellationError) else {
            context.notes.note("\(words); \(state.hint)")
            return error
        }
        let reference = await device.subjectOfError
        let action = action(on: reference)
        let described =
            BlectlError(ofUpdate: error, on: reference, cannot: action)
            ?? BlectlError(describing: error, doing: action, to: reference, about: nil)
        guard let described else { return error }
        // A device that refuses before anything was done refuses the same command again.
        let helps = state != .untouched || described.status == .timedOut || described.status == .temporaryFailure
        return described.adding("; \(words)").with(hint: described.hint ?? (helps ? state.hint : nil))
    }
}
