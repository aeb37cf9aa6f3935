// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Connects to a device, and says what it waits for and tries again.
struct DeviceConnector: Sendable {
    let radio: any Radio
    let scope: TaskScope
    let time: any TimeSource
    let options: ConnectionOptions
    /// The type of the device's address, where nothing but the command line says it.
    let givenAddressType: AddressType?
    /// How long one operation may take, such as to subscribe again on a new link.
    let timeout: Duration
    /// The GATT cache; `nil`: none.
    let databases: (any DatabaseStore)?
    let notes: any NoteSink

    /// The device; nothing is sent yet.
    func peripheral(_ reference: DeviceReference) -> Peripheral {
        Peripheral(reference.address, radio: radio, scope: scope, time: time, configuration: configuration(reference))
    }

    /// Makes the link.
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
        let (notes, retries) = (notes, options.retries)
        return Peripheral.Configuration(
            connectTimeout: options.timeout,
            retries: RetryPolicy(retries: retries),
            waits: options.waitsForOthers ? nil : WaitPolicy.none,
            reconnection: options.reconnects ? Reconnection(subscriptionTimeout: timeout) : nil,
            // A device without an address could be any.
            store: options.usesCache && reference.address.address.rawValue != 0 ? databases : nil,
            onRetry: { attempt, error, pause in
                let why = BlectlError(error, doing: "connect to \(reference.text)").message
                notes.note("attempt \(attempt) of \(retries + 1): \(why); trying again in \(pause)")
            },
            onWait: { error in
                notes.note("waiting for \(reference.text): \(BlectlError.reason(error))")
            },
            onDiagnostic: { text in notes.detail(text) }
        )
    }

    /// A failure to connect in a person's words; an end from outside, such as a cancellation, stays what it is.
    private func describe(_ error: any Error, _ reference: DeviceReference) -> any Error {
        guard let failure = error as? ConnectFailure,
            let described = BlectlError(describing: failure, doing: "connect to \(reference.text)")
        else { return error }
        guard let type = givenAddressType, failure.error.cause == .connectTimedOut else { return described }
        // No scan has heard the device: the type is the caller's word for it, and a wrong one looks like silence.
        let hint = "is it switched on, near, and its address a \(type) one? without --address-type a scan finds out"
        return BlectlError(described.status, described.message, hint: hint)
    }
}
