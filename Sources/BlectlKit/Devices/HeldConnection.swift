// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A provider that finds its device and connects to it for the first work, and keeps the link for the next, until
/// `disconnect`: the device of a script or of a shell.
///
/// Several operations may have the device at a time. If the link is lost, the next operation connects again.
final class HeldConnection: DeviceProvider {
    private let connection: OneTimeConnection
    /// Held while the device is looked for and connected to, so that operations that begin together share the link.
    private let lock = AsyncLock()
    private let state = HeldDevice()

    init(_ connection: OneTimeConnection) { self.connection = connection }

    /// The device, if it was found.
    var reference: DeviceReference? {
        get async { await state.device?.reference }
    }

    /// The security of the link; `nil` without one.
    var security: LinkSecurity? {
        get async { await state.device?.peripheral.linkSecurity }
    }

    /// Whether there is a link.
    var isConnected: Bool {
        get async { await state.device?.peripheral.isConnected ?? false }
    }

    /// The device with a link, which is made if there is none. Throws a `BlectlError` if it cannot be made.
    func connect() async throws -> ConnectedDevice {
        try await lock.withLock {
            let device: ConnectedDevice
            if let known = await state.device {
                if await known.peripheral.isConnected { return known }
                device = known
            } else {
                device = connection.device(try await connection.reference())
                await state.set(device)
            }
            try await connection.connect(device)
            return device
        }
    }

    /// Closes the link, if there is one. The device is found and connected to again for the next work.
    func disconnect() async {
        guard let device = await state.device else { return }
        await device.peripheral.disconnect()
        connection.connector.lostUpdates.tell(device.reference)
    }

    /// Forgets the device, so that it is looked for again.
    func forget() async {
        await disconnect()
        await state.set(nil)
    }

    func withDevice<Value: Sendable>(_ body: (ConnectedDevice) async throws -> Value) async throws -> Value {
        try await body(try await connect())
    }
}

/// The device of a held connection.
private actor HeldDevice {
    private(set) var device: ConnectedDevice?

    func set(_ device: ConnectedDevice?) { self.device = device }
}
