// SPDX-License-Identifier: MIT

public import Bluetooth

// The readings of the SensorTag CC2541, and the configuration of its sensors.
//
// Spec: TI SensorTag User Guide

extension SensorTag {
    /// The infrared thermometer.
    public struct InfraredTemperature: MemberwiseModel {
        public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA01) }
        public static var model: DeviceModel? { .cc2541 }

        /// The temperature of the measured object, in degrees Celsius; `nil` if there is none.
        public var object: Double?
        /// The temperature of the chip, in degrees Celsius.
        public var ambient: Double = 0

        /// An empty reading.
        public init() {}

        public static var members: [ModelMember<Self>] { [.init("object_c", \.object), .init("ambient_c", \.ambient)] }
    }

    /// The hygrometer.
    public struct Hygrometer: MemberwiseModel {
        public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA21) }
        public static var model: DeviceModel? { .cc2541 }

        /// Degrees Celsius.
        public var celsius: Double = 0
        /// The relative humidity in percent.
        public var humidity: Double = 0

        /// An empty reading.
        public init() {}

        public static var members: [ModelMember<Self>] {
            [.init("temperature_c", \.celsius), .init("humidity_percent", \.humidity)]
        }
    }

    /// The accelerometer.
    public struct Acceleration: MemberwiseModel {
        public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA11) }

        /// Along the x axis, in g, ±2.
        public var x = 0.0
        /// Along the y axis.
        public var y = 0.0
        /// Along the z axis.
        public var z = 0.0

        /// No motion.
        public init() {}

        public static var members: [ModelMember<Self>] {
            [.init("x_g", \.x), .init("y_g", \.y), .init("z_g", \.z)]
        }
    }

    /// The magnetometer.
    public struct MagneticField: MemberwiseModel {
        public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA31) }

        /// Along the x axis, in µT, ±1000.
        public var x = 0.0
        /// Along the y axis.
        public var y = 0.0
        /// Along the z axis.
        public var z = 0.0

        /// A field of zero.
        public init() {}

        public static var members: [ModelMember<Self>] {
            [.init("x_ut", \.x), .init("y_ut", \.y), .init("z_ut", \.z)]
        }
    }

    /// The gyroscope.
    public struct Rotation: MemberwiseModel {
        public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA51) }

        /// Along the x axis, in degrees per second, ±250.
        public var x = 0.0
        /// Along the y axis.
        public var y = 0.0
        /// Along the z axis.
        public var z = 0.0

        /// No motion.
        public init() {}

        public static var members: [ModelMember<Self>] {
            [.init("x_degrees_per_s", \.x), .init("y_degrees_per_s", \.y), .init("z_degrees_per_s", \.z)]
        }
    }

    /// The barometer. Only its calibration gives the numbers a meaning: see `SensorTagBarometer`.
    public struct RawPressure: MemberwiseModel {
        public static var characteristic: BluetoothUUID { SensorTag.uuid(0xAA41) }
        public static var model: DeviceModel? { .cc2541 }

        /// The number of the temperature.
        public var temperature: Int = 0
        /// The number of the pressure.
        public var pressure: Int = 0

        /// An empty reading.
        public init() {}

        public static var members: [ModelMember<Self>] {
            [.init("raw_temperature", \.temperature), .init("raw_pressure", \.pressure)]
        }
    }

    /// The barometer, computed with the calibration of its tag.
    public struct Pressure: Hashable, Sendable {
        /// The temperature of the air, in degrees Celsius.
        public var celsius: Double
        /// The pressure of the air, in pascals.
        public var pascals: Int

        /// A reading.
        public init(celsius: Double, pascals: Int) {
            self.celsius = celsius
            self.pascals = pascals
        }

        /// Computes a reading from the numbers of the sensor. Numbers that it cannot send count as the nearest that it
        /// can.
        public init(_ raw: RawPressure, _ calibration: SensorTagBarometer) {
            let temperature = Int16(clamping: raw.temperature)
            celsius = Double(calibration.centicelsius(rawTemperature: temperature)) / 100
            pascals = calibration.pascals(rawTemperature: temperature, rawPressure: UInt16(clamping: raw.pressure))
        }

        /// The numbers that a sensor with that calibration sends.
        ///
        /// - Throws: `FieldError` if the calibration does not reach the values.
        public func raw(_ calibration: SensorTagBarometer) throws(FieldError) -> RawPressure {
            guard
                let hundredths = Int(exactly: (celsius * 100).rounded()),
                let temperature = calibration.rawTemperature(centicelsius: hundredths),
                let pressure = calibration.rawPressure(pascals: pascals, rawTemperature: temperature)
            else { throw FieldError([], "\(pascals) Pa", .notAllowed("what the calibration reaches")) }
            var raw = RawPressure()
            raw.temperature = Int(temperature)
            raw.pressure = Int(pressure)
            return raw
        }
    }

    /// The sensors that have a switch and, except the thermometer and the hygrometer, a period.
    public enum Sensor: UInt16, CaseIterable, Sendable {
        /// Infrared: the temperature of the object in front of it, and its own.
        case thermometer = 0xAA00
        /// Acceleration along three axes.
        case accelerometer = 0xAA10
        /// Relative humidity and temperature of the air.
        case hygrometer = 0xAA20
        /// The magnetic field along three axes.
        case magnetometer = 0xAA30
        /// Air pressure, which a client computes with the calibration of each tag.
        case barometer = 0xAA40
        /// Rotation about three axes.
        case gyroscope = 0xAA50

        /// The service.
        public var service: BluetoothUUID { SensorTag.uuid(rawValue) }
        /// The characteristic with the readings.
        public var data: BluetoothUUID { SensorTag.uuid(rawValue + 1) }
        /// The characteristic that switches the sensor.
        public var configuration: BluetoothUUID { SensorTag.uuid(rawValue + 2) }
        /// The characteristic with the period; `nil` if the sensor has a fixed one.
        public var period: BluetoothUUID? {
            self == .accelerometer || self == .magnetometer ? SensorTag.uuid(rawValue + 3) : nil
        }

        /// The octets that switch the sensor on or off. The gyroscope has a bit for each axis.
        public func configuration(isOn: Bool) throws(FieldError) -> [UInt8] {
            let format = CharacteristicFormat.of(configuration) ?? .text
            if self == .gyroscope { return try format.encode(.array(isOn ? ["x", "y", "z"].map { .string($0) } : [])) }
            return try format.encode(.string(isOn ? "on" : "off"))
        }

        /// Whether a configuration switches the sensor on.
        public func isOn(_ octets: [UInt8]) -> Bool { octets.first.map { $0 != 0 } ?? false }

        /// The octet that sets the period in milliseconds, with a resolution of 10; the accelerometer needs at least
        /// 100.
        public func period(milliseconds: Int) throws(FieldError) -> [UInt8] {
            try (period.flatMap { CharacteristicFormat.of($0) } ?? .text).encode(.number(milliseconds))
        }
    }

    /// The pressed keys, as in a notification.
    public struct Keys: OptionSet, Hashable, Sendable {
        /// A bit for each key.
        public let rawValue: UInt8

        /// Keeps any bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The left key.
        public static let left = Keys(rawValue: 1)
        /// The right key.
        public static let right = Keys(rawValue: 2)
        /// The key on the side.
        public static let side = Keys(rawValue: 4)
    }
}

extension SensorTag.Keys: CharacteristicModel {
    /// Simple Key State (0xFFE1).
    public static var characteristic: BluetoothUUID { 0xFFE1 }

    public init(decoding octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        self.init(rawValue: try reader.uint8("keys"))
    }

    public func encoded() -> [UInt8] { [rawValue] }
}
