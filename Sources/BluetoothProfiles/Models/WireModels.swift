// SPDX-License-Identifier: MIT

public import Bluetooth

// These types have their own encoding, because a decoded value has `null` both for each special value of a medical
// number and for a reserved level. Tests compare them with the formats.

extension HeartRateMeasurement: CharacteristicModel {
    public static var characteristic: BluetoothUUID { 0x2A37 }
}

/// Intermediate Temperature (0x2A1E) has this form as well.
extension TemperatureMeasurement: CharacteristicModel {
    public static var characteristic: BluetoothUUID { 0x2A1C }
}

extension BatteryLevel: CharacteristicModel {
    public static var characteristic: BluetoothUUID { 0x2A19 }
}

extension SensorTagBarometer: CharacteristicModel {
    public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA43) }
}
