// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import FirmwareUpdate
import Terminal
import Toolkit

/// The environment of a command for the links and updates of the library.
struct CommandEnvironment: UpdateEnvironment {
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
    /// - Parameters:
    ///   - device: The device, for what to type.
    ///   - action: What cannot be done.
    init?(ofUpdate error: any Error, on device: DeviceReference, cannot action: String) {
        switch error {
        case let refusal as MCUmgrRefusal:
            let status: ExitStatus = refusal.isAboutMissing ? .notFound : .protocolError
            let hint = refusal.hint.map { "blectl mcumgr \($0)\(device.option)" }
            self.init(status, cannot: action, "the device answers: \(refusal)", hint: hint)
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
            let inspect = error.kind == .noService ? "what it has: blectl inspect\(device.option)" : nil
            self.init(status, cannot: action, TerminalText.escaped(error.reason), hint: error.hint ?? inspect)
        default: return nil
        }
    }
}

extension MCUmgrRefusal {
    /// Whether what was asked for is not there.
    fileprivate var isAboutMissing: Bool {
        switch group {
        case nil: shared == .noEntry
        case .statistics: code == 2
        case .settings, .files: code == 3
        default: false
        }
    }

    /// The action of `blectl mcumgr` that helps; `nil` if none does.
    fileprivate var hint: String? {
        switch (group, code) {
        case (.statistics, 2): "stats"
        case (.os, 4): "datetime 2026-11-29T10:35:00"
        default: nil
        }
    }
}
