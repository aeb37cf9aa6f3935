// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import FirmwareUpdate
import Terminal
import Toolkit

/// The surroundings of a command for the links and updates of the library.
struct CommandSurroundings: UpdateSurroundings {
    let device: ConnectedDevice
    let context: OperationContext
    /// Takes the steps of an update.
    var onEvent: (FirmwareUpdateEvent) async throws -> Void = { _ in }
    /// Called when the link was lost.
    var onLoss: () -> Void = {}

    var time: any TimeSource { context.time }
    var timeout: Duration { context.timeout }

    func withTimeout<Value: Sendable>(
        _ step: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value { try await context.withTimeout(step, body) }

    func addresses(offering service: BluetoothUUID) async -> [DeviceAddress] {
        await device.peripheral.lookalikes(offering: service, name: device.reference.name)
    }

    func happened(_ event: FirmwareUpdateEvent) async throws { try await onEvent(event) }

    func noted(_ note: FirmwareUpdateNote) {
        switch note {
        case .lost(let octets, let total):
            onLoss()
            context.notes.note("the link was lost at \(octets) of \(total) octets; connecting again")
        case .waiting: context.notes.progress("waiting for \(device.reference.text) …")
        case .noAnswer(let error):
            context.notes.detail("the device sends what is no response of MCUmgr: \(error)")
        }
    }
}

extension BlectlError {
    /// What a server, a boot loader or the library says of an update; `nil` for other errors.
    ///
    /// - Parameter action: What cannot be done.
    init?(ofUpdate error: any Error, cannot action: String) {
        switch error {
        case let refusal as MCUmgrRefusal:
            let status: ExitStatus = refusal.isAboutName ? .notFound : .protocolError
            self.init(status, cannot: action, "the device answers: \(refusal)")
        case let refusal as DFURefusal:
            self.init(.protocolError, cannot: action, "the boot loader answers: \(refusal)")
        case let error as FirmwareUpdateError:
            let status: ExitStatus =
                switch error.kind {
                case .badFirmware: .badData
                case .noService: .notFound
                case .refused: .protocolError
                case .timedOut: .timedOut
                case .notRunning: .expectationFailed
                case .failed: .temporaryFailure
                }
            self.init(status, cannot: action, TerminalText.escaped(error.reason), hint: error.hint)
        default: return nil
        }
    }
}

extension MCUmgrRefusal {
    /// Whether the device lacks what was named: a setting, a file, or a group of statistics.
    fileprivate var isAboutName: Bool {
        switch group {
        case .settings, .files: code == 3
        case .statistics: code == 2
        default: shared == .noEntry
        }
    }
}
