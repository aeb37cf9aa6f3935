// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Connects to a device, and reports waits and retries.
struct DeviceConnector: Sendable {
    let central: Central
    let options: ConnectionOptions
    /// The type of the device's address, if only the command line tells it.
    let givenAddressType: AddressType?
    /// The time limit of the subscriptions after a reconnection.
    let timeout: Duration
    /// The GATT cache; `nil` for none.
    let databases: (any DatabaseStore)?
    let notes: any NoteSink
    let lostUpdates: LostUpdates

    /// The device. Sends nothing yet.
    func peripheral(_ reference: DeviceReference) -> Peripheral {
        central.peripheral(reference.address, configuration: configuration(reference))
    }

    /// Connects to the device. Throws a `BlectlError` if that fails.
    func connect(_ device: ConnectedDevice) async throws {
        notes.progress("connecting to \(device.reference.text) …")
        do {
            _ = try await device.peripheral.connection()
        } catch {
            throw describe(error, device.reference)
        }
        notes.clearProgress()
    }

    private func configuration(_ reference: DeviceReference) -> Peripheral.Configuration {
        let (notes, lostUpdates, retries) = (notes, lostUpdates, options.retries)
        return Peripheral.Configuration(
            connectTimeout: options.timeout,
            retries: RetryPolicy(retries: retries, retriesTimeouts: options.retriesTimeouts),
            waits: options.waitsForOthers ? nil : WaitPolicy.none,
            reconnection: options.reconnects ? Reconnection(subscriptionTimeout: timeout) : nil,
            // Without an address a stored database could be that of any device.
            store: options.usesCache && reference.address.address.rawValue != 0 ? databases : nil,
            onRetry: { attempt, error, pause in
                let why = BlectlError(error, doing: "connect to \(reference.text)").message
                notes.note("attempt \(attempt) of \(retries + 1): \(why); trying again in \(pause)")
            },
            onWait: { error in
                notes.note("waiting for \(reference.text): \(error.reason)")
            },
            onDiagnostic: { oddity in lostUpdates.take(oddity) }
        )
    }

    /// The failure to connect in the words of a user. A cancellation stays as it is.
    private func describe(_ error: any Error, _ reference: DeviceReference) -> any Error {
        guard let failure = error as? ConnectFailure,
            let described = BlectlError(describing: failure, doing: "connect to \(reference.text)")?
                .about(device: reference)
        else { return error }
        guard let type = givenAddressType, failure.error.cause == .connectTimedOut else { return described }
        // No scan has confirmed the type, and with a wrong one the device does not answer.
        let hint = "is it switched on, near, and its address \(type)? without --address-type, a scan finds the type"
        return described.with(hint: hint)
    }
}
