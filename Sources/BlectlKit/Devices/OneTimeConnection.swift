// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import BluetoothProfiles

/// A provider that finds the device, connects to it, and disconnects after the work.
struct OneTimeConnection: DeviceProvider {
    let finder: DeviceFinder
    let connector: DeviceConnector
    /// The folder of remembered devices; `nil` for none.
    let state: StateFolder?
    let time: any TimeSource
    /// The names and formats of characteristics.
    var formats = FormatCatalogue.assigned
    /// The device, if it was found already.
    var found: DeviceReference?
    /// Whether a person at a terminal is told which device is used.
    var announcesDevice = false

    func withDevice<Value: Sendable>(_ body: (ConnectedDevice) async throws -> Value) async throws -> Value {
        let reference: DeviceReference
        if let found { reference = found } else { reference = try await finder.find() }
        let device = ConnectedDevice(
            reference: reference,
            peripheral: connector.peripheral(reference),
            formats: formats
        )
        return try await withCleanup {
            try await connector.connect(device)
            if announcesDevice { connector.notes.remark("using \(reference.text)") }
            await KnownDevices.rememberConnection(to: reference, in: state, time: time)
            return try await body(device)
        } cleanup: {
            await device.peripheral.disconnect()
            connector.lostUpdates.tell(reference)
        }
    }
}
