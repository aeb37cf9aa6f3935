// SPDX-License-Identifier: MIT

/// The measurements of a Ruuvi Air: its data formats 6 and E1.
///
/// E1 needs an extended advertisement. Format 6 is the short form for receivers of legacy advertisements: it has only
/// one size of particles, and the ends of the address and of the measurement's number. A measurement that the device
/// marks as not available is `nil`.
///
/// Spec: docs.ruuvi.com, Bluetooth advertisements, data formats 6 and E1 (github.com/ruuvi/docs)
public struct RuuviAir: Hashable, Sendable {
    /// The number of the data format: 0x06 or 0xE1.
    public let dataFormat: UInt8
    /// The temperature in °C.
    public let temperature: AdvertisedNumber?
    /// The relative humidity in percent. Values above 100 indicate a fault of the sensor.
    public let humidity: AdvertisedNumber?
    /// The air pressure in Pa.
    public let pressure: UInt32?
    /// The mass of particles up to 1 µm in µg/m³; `nil` in format 6.
    public let pm1: AdvertisedNumber?
    /// The mass of particles up to 2.5 µm in µg/m³.
    public let pm25: AdvertisedNumber?
    /// The mass of particles up to 4 µm in µg/m³; `nil` in format 6.
    public let pm4: AdvertisedNumber?
    /// The mass of particles up to 10 µm in µg/m³; `nil` in format 6.
    public let pm10: AdvertisedNumber?
    /// The carbon dioxide in ppm.
    public let co2: UInt16?
    /// An index of volatile organic compounds, which is 100 on average.
    public let vocIndex: UInt16?
    /// An index of nitrogen oxides, which is 1 in usual air.
    public let noxIndex: UInt16?
    /// The illuminance in lx.
    public let illuminance: AdvertisedNumber?
    /// A number that increases with each measurement: its low 24 bits, or in format 6 its low eight.
    public let measurementNumber: UInt32?
    /// Whether the sensors are still being calibrated.
    public let isCalibrating: Bool
    /// The last octets of the device's address, in the order of its text: six, or in format 6 three. Empty if they are
    /// not available.
    public let addressEnd: [UInt8]
    private let octets: [UInt8]

    /// Decodes manufacturer data; `nil` if they have no known format.
    public init?(_ data: ADManufacturerData) {
        guard data.company == RuuviTag.company else { return nil }
        var reader = ByteReader(data.data)
        do throws(DecodeError) {
            dataFormat = try reader.uint8("data format")
            guard dataFormat == Self.legacyFormat || dataFormat == Self.extendedFormat else { return nil }
            let isExtended = dataFormat == Self.extendedFormat
            let air = try RuuviClimate(from: &reader)
            (temperature, humidity, pressure) = (air.temperature, air.humidity, air.pressure)
            pm1 = try isExtended ? Self.particles(&reader) : nil
            pm25 = try Self.particles(&reader)
            pm4 = try isExtended ? Self.particles(&reader) : nil
            pm10 = try isExtended ? Self.particles(&reader) : nil
            co2 = try reader.uint16BigEndian("carbon dioxide", unavailable: .max)
            let voc = UInt16(try reader.uint8("VOC index")) << 1
            let nox = UInt16(try reader.uint8("NOx index")) << 1
            if isExtended {
                illuminance = try Self.uint24(&reader, "illuminance").map { AdvertisedNumber($0, exponent: -2) }
                _ = try reader.bytes(3, "reserved")
                measurementNumber = try Self.uint24(&reader, "measurement number")
            } else {
                illuminance = Self.illuminance(code: try reader.uint8("illuminance"))
                _ = try reader.uint8("reserved")
                measurementNumber = UInt32(try reader.uint8("measurement number"))
            }
            // The indices have nine bits, of which the lowest ones are among the flags.
            let flags = try reader.uint8("flags")
            vocIndex = Self.index(voc | UInt16(flags >> 6 & 1))
            noxIndex = Self.index(nox | UInt16(flags >> 7))
            isCalibrating = flags & 1 != 0
            if isExtended { _ = try reader.bytes(5, "reserved") }
            let address = try reader.bytes(isExtended ? 6 : 3, "address")
            addressEnd = address.allSatisfy { $0 == 0xFF } ? [] : address
        } catch {
            return nil
        }
        // Octets after the format are left out, so that an equal value has equal elements.
        octets = Array(data.data.dropLast(reader.remaining))
    }

    private static let legacyFormat: UInt8 = 0x06
    private static let extendedFormat: UInt8 = 0xE1

    private static func particles(_ reader: inout ByteReader) throws(DecodeError) -> AdvertisedNumber? {
        try reader.uint16BigEndian("particles", unavailable: .max).map { AdvertisedNumber($0, exponent: -1) }
    }

    private static func uint24(_ reader: inout ByteReader, _ field: String) throws(DecodeError) -> UInt32? {
        let number = try reader.bytes(3, field).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return number == 0xFF_FFFF ? nil : number
    }

    private static func index(_ number: UInt16) -> UInt16? { number == 0x1FF ? nil : number }

    /// The illuminance of an octet on a logarithmic scale from 0 to 65,535 lx, to hundredths.
    private static func illuminance(code: UInt8) -> AdvertisedNumber? {
        guard code != 0xFF else { return nil }
        // 65,536 to the power of 1/254, because 254 means 65,535 lx.
        let step = 1.0446300614125956
        let power = (0..<code).reduce(1.0) { power, _ in power * step }
        return AdvertisedNumber(Int64(((power - 1) * 100).rounded()), exponent: -2)
    }
}

extension RuuviAir: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Ruuvi Air",
        kinds: ["ruuvi-air"],
        in: [.company(RuuviTag.company)],
        keys: [
            "temperature_c", "humidity_percent", "pressure_hpa", "co2_ppm", "pm2_5_ug_per_m3", "voc_index",
            "nox_index", "illuminance_lx", "pm1_ug_per_m3", "pm4_ug_per_m3", "pm10_ug_per_m3", "calibrating",
            "measurement_number", "address", "address_end", "data_format",
        ]
    )

    public var title: String { "Ruuvi Air" }

    public var facts: [AdvertisedFact] {
        let address = addressEnd.map { Hex.string($0, minimumDigits: 2) }.joined(separator: ":")
        let climate = RuuviClimate.facts(temperature: temperature, humidity: humidity, pressure: pressure)
        let others: [AdvertisedFact] = [
            AdvertisedFact("co2_ppm", co2, unit: "ppm", label: "CO2", .named),
            AdvertisedFact("pm2_5_ug_per_m3", pm25, unit: "µg/m³", label: "PM2.5", .named),
            AdvertisedFact("voc_index", vocIndex, label: "VOC", .named),
            AdvertisedFact("nox_index", noxIndex, label: "NOx", .named),
            AdvertisedFact("illuminance_lx", illuminance, unit: "lx", label: "illuminance", .main),
            AdvertisedFact("pm1_ug_per_m3", pm1, unit: "µg/m³", label: "PM1"),
            AdvertisedFact("pm4_ug_per_m3", pm4, unit: "µg/m³", label: "PM4"),
            AdvertisedFact("pm10_ug_per_m3", pm10, unit: "µg/m³", label: "PM10"),
            AdvertisedFact("calibrating", isCalibrating),
            AdvertisedFact("measurement_number", measurementNumber),
            AdvertisedFact("address", addressEnd.count == 6 ? address : nil),
            AdvertisedFact("address_end", addressEnd.count == 3 ? address : nil, label: "address ends with"),
            AdvertisedFact("data_format", dataFormat),
        ]
        return climate + others
    }

    public var elements: [ADElement] { [.manufacturerData(ADManufacturerData(company: RuuviTag.company, octets))] }
}
