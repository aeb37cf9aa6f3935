// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Temperature Measurement (0x2A1C) and Intermediate Temperature (0x2A1E).
///
/// Spec: Health Thermometer Service 1.0, 3.1; GATT Specification Supplement, Temperature Measurement
public struct TemperatureMeasurement: Hashable, Sendable {
    /// The unit of a temperature.
    public enum Unit: Hashable, Sendable {
        /// Degrees Celsius.
        case celsius
        /// Degrees Fahrenheit.
        case fahrenheit
    }

    /// The temperature: a number, or the reason why there is none.
    public var temperature: MedicalFloat
    /// The unit of the temperature.
    public var unit: Unit
    /// The time of the measurement; `nil` if the measurement does not contain it.
    public var timeStamp: DateTime?
    /// The place of the measurement on the body; `nil` if the measurement does not contain it.
    public var type: TemperatureType?

    private static let fahrenheitFlag: UInt8 = 0x01
    private static let timeStampFlag: UInt8 = 0x02
    private static let typeFlag: UInt8 = 0x04

    /// Creates a measurement.
    public init(
        temperature: MedicalFloat,
        unit: Unit = .celsius,
        timeStamp: DateTime? = nil,
        type: TemperatureType? = nil
    ) {
        self.temperature = temperature
        self.unit = unit
        self.timeStamp = timeStamp
        self.type = type
    }
}

/// The place of a measurement on the body. Unknown values are kept.
///
/// Spec: GATT Specification Supplement, Temperature Type
public struct TemperatureType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also a reserved one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Armpit.
    public static let armpit = Self(rawValue: 1)
    /// The body in general.
    public static let body = Self(rawValue: 2)
    /// Ear, usually the ear lobe.
    public static let ear = Self(rawValue: 3)
    /// Finger.
    public static let finger = Self(rawValue: 4)
    /// Mouth.
    public static let mouth = Self(rawValue: 6)

    static let names: [UInt64: String] = [
        1: "armpit", 2: "body", 3: "ear", 4: "finger", 5: "gastrointestinal tract", 6: "mouth", 7: "rectum", 8: "toe",
        9: "tympanum",
    ]

    /// The name: `armpit`, or `reserved (10)`.
    public var description: String { Self.names[UInt64(rawValue)] ?? "reserved (\(rawValue))" }
}

extension TemperatureMeasurement: WireDecodable, WireEncodable {
    /// Decodes the measurement and leaves the cursor after it.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let flags = try reader.uint8("flags")
        unit = flags & Self.fahrenheitFlag == 0 ? .celsius : .fahrenheit
        temperature = MedicalFloat(float: try reader.uint32("temperature"))
        timeStamp = flags & Self.timeStampFlag == 0 ? nil : try DateTime(from: &reader)
        type = flags & Self.typeFlag == 0 ? nil : TemperatureType(rawValue: try reader.uint8("temperature type"))
    }

    /// Appends the measurement's octets.
    public func encode(into writer: inout ByteWriter) {
        var flags: UInt8 = unit == .fahrenheit ? Self.fahrenheitFlag : 0
        if timeStamp != nil { flags |= Self.timeStampFlag }
        if type != nil { flags |= Self.typeFlag }
        writer.uint8(flags)
        writer.uint32(temperature.floatBits)
        if let timeStamp { writer.append(timeStamp) }
        if let type { writer.uint8(type.rawValue) }
    }
}

extension TemperatureMeasurement {
    /// `36.6 °C, ear, 2024-05-17T13:45:09`
    public var decoded: DecodedValue { DecodedValue(self, in: .temperatureMeasurement) }
}

extension CharacteristicFormat {
    /// The format of Temperature Measurement and of Intermediate Temperature.
    static var temperatureMeasurement: Self {
        .fields(
            .flags(.u8),
            .medicalFloat("temperature", .celsius, if: .clear(0)).labelled(""),
            .medicalFloat("temperature", .fahrenheit, if: .set(0)).labelled(""),
            .dateTime("time stamp", if: .set(1)).labelled("").last,
            .choice("temperature type", .u8, TemperatureType.names, if: .set(2)).labelled("")
        )
    }
}

extension CharacteristicValue {
    /// Characteristics of the Health Thermometer service.
    ///
    /// Spec: Health Thermometer Service 1.0, 3
    static func thermometer(_ formats: inout FormatTable) {
        for uuid: BluetoothUUID in [0x2A1C, 0x2A1E] { formats[uuid] = { .temperatureMeasurement } }
        formats[0x2A1D] = { .fields(.choice("temperature type", .u8, TemperatureType.names)) }
        formats[0x2A21] = {
            .fields(.number("measurement interval", .u16, .seconds, not: [0: "not periodic"]))
        }
    }
}
