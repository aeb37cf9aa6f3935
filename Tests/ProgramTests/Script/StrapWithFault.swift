// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import SimulatedRadio
import Testing

extension SimulatedDevice {
    /// The strap with a fault.
    static func strap(_ fault: String) throws -> SimulatedDevice {
        var definition = try #require(BuiltInDevice.named("pulse-strap")).definition()
        definition.faults = [try FaultText(parsing: fault).rule]
        return try SimulatedDevice(definition)
    }
}
