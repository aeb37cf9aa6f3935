// SPDX-License-Identifier: MIT

public import Bluetooth

// These types have their own encoding, because decoded values do not distinguish the special values of a medical
// number, and reserved levels. Tests compare them with the formats.

extension HeartRateMeasurement: CharacteristicModel {
    public static var characteristic: BluetoothUUID { 0x2A37 }
}

/// Also Intermediate Temperature (0x2A1E) has this form.
extension TemperatureMeasurement: CharacteristicModel {
    public static var characteristic: BluetoothUUID { 0x2A1C }
}

extension BatteryLevel: CharacteristicModel {
    public static var characteristic: BluetoothUUID { 0x2A19 }
}

/// The calibration of the barometer.
extension SensorTagBarometer: CharacteristicModel {
    public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA43) }
}
