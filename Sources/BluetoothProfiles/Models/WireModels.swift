// SPDX-License-Identifier: MIT

public import Bluetooth

// These types have their octets themselves, because they tell apart what decoded values do not: the special values of a
// medical number, and reserved levels. Tests hold them to the formats.

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
