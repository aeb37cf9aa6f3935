// SPDX-License-Identifier: MIT

public import Bluetooth

/// A characteristic together with the Swift type of its value, for requests such as `read(.batteryLevel)`.
///
/// A program adds its own as static members of an extension:
///
///     extension CharacteristicKey where Value == Brightness {
///         static var brightness: Self { Self(Brightness.self) }
///     }
public struct CharacteristicKey<Value: Sendable>: Sendable {
    /// The UUID.
    public let characteristic: BluetoothUUID
    /// Decodes the octets of a value.
    public let decode: @Sendable ([UInt8]) throws(DecodeError) -> Value
    /// The octets of a value. Throws if it does not fit the characteristic.
    public let encode: @Sendable (Value) throws(FieldError) -> [UInt8]
    /// Decodes the octets of a value of a device of that model, if the format depends on it; `nil` for most keys.
    package var decodeOnModel: (@Sendable ([UInt8], DeviceModel?) throws(DecodeError) -> Value)?

    /// A characteristic whose values are decoded and encoded by functions.
    public init(
        _ characteristic: BluetoothUUID,
        decode: @escaping @Sendable ([UInt8]) throws(DecodeError) -> Value,
        encode: @escaping @Sendable (Value) throws(FieldError) -> [UInt8]
    ) {
        self.characteristic = characteristic
        self.decode = decode
        self.encode = encode
    }
}

extension CharacteristicKey where Value: CharacteristicModel {
    /// The characteristic of a model.
    public init(_ model: Value.Type) {
        self.init(Value.characteristic) { octets throws(DecodeError) in
            try Value(decoding: octets)
        } encode: { value throws(FieldError) in
            try value.encoded()
        }
        guard !DeviceModel.models(sharing: Value.characteristic).isEmpty else { return }
        decodeOnModel = { (octets, model) throws(DecodeError) in try Value(decoding: octets, on: model) }
    }
}

extension CharacteristicKey where Value == String {
    /// A characteristic whose value is text in UTF-8. U+FFFD replaces octets that are not UTF-8.
    public static func text(_ characteristic: BluetoothUUID) -> Self {
        Self(characteristic) {
            String(decoding: $0, as: UTF8.self)
        } encode: {
            Array($0.utf8)
        }
    }

    /// Device Name (0x2A00).
    public static var deviceName: Self { .text(0x2A00) }
    /// Model Number String (0x2A24).
    public static var modelNumber: Self { .text(0x2A24) }
    /// Serial Number String (0x2A25).
    public static var serialNumber: Self { .text(0x2A25) }
    /// Firmware Revision String (0x2A26).
    public static var firmwareRevision: Self { .text(0x2A26) }
    /// Hardware Revision String (0x2A27).
    public static var hardwareRevision: Self { .text(0x2A27) }
    /// Software Revision String (0x2A28).
    public static var softwareRevision: Self { .text(0x2A28) }
    /// Manufacturer Name String (0x2A29).
    public static var manufacturerName: Self { .text(0x2A29) }
}

extension CharacteristicKey where Value == BatteryLevel {
    /// Battery Level (0x2A19).
    public static var batteryLevel: Self { Self(BatteryLevel.self) }
}

extension CharacteristicKey where Value == HeartRateMeasurement {
    /// Heart Rate Measurement (0x2A37).
    public static var heartRateMeasurement: Self { Self(HeartRateMeasurement.self) }
}

extension CharacteristicKey where Value == BodySensorLocation {
    /// Body Sensor Location (0x2A38).
    public static var bodySensorLocation: Self { Self(BodySensorLocation.self) }
}

extension CharacteristicKey where Value == CurrentTime {
    /// Current Time (0x2A2B).
    public static var currentTime: Self { Self(CurrentTime.self) }
}

extension CharacteristicKey where Value == TemperatureMeasurement {
    /// Temperature Measurement (0x2A1C).
    public static var temperatureMeasurement: Self { Self(TemperatureMeasurement.self) }
}
