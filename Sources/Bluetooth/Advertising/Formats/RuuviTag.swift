// SPDX-License-Identifier: MIT

/// The measurements of a RuuviTag: its data formats 3 (RAWv1), 5 (RAWv2) and C5 (Cut-RAWv2).
///
/// Format 3 has no power, counters and address, and no marks for values that are not available. Format C5 is format 5
/// without the acceleration.
///
/// Spec: docs.ruuvi.com, Bluetooth advertisements, data formats 3, 5 and C5 (github.com/ruuvi/docs)
public struct RuuviTag: Hashable, Sendable {
    /// The company identifier of Ruuvi Innovations Ltd.
    public static let company: UInt16 = 0x0499

    /// An acceleration in thousandths of g; `nil` where an axis is not available.
    public struct Acceleration: Hashable, Sendable {
        /// The first axis, in thousandths of g.
        public let x: Int16?
        /// The second axis, in thousandths of g.
        public let y: Int16?
        /// The third axis, in thousandths of g.
        public let z: Int16?
    }

    /// The number of the data format: 3, 5 or 0xC5.
    public let dataFormat: UInt8
    /// The temperature in °C.
    public let temperature: AdvertisedNumber?
    /// The relative humidity in percent. Values above 100 indicate a fault of the sensor.
    public let humidity: AdvertisedNumber?
    /// The air pressure in Pa.
    public let pressure: UInt32?
    /// The acceleration along the three axes, in thousandths of g.
    public let acceleration: Acceleration
    /// The battery's voltage in millivolts.
    public let batteryMillivolts: UInt16?
    /// The transmit power in dBm.
    public let txPower: Int8?
    /// A number that increases with each movement, and begins again at 0 after 254.
    public let movementCounter: UInt8?
    /// A number that increases with each measurement, and begins again at 0 after 65,534.
    public let measurementNumber: UInt16?
    /// The device's address.
    public let address: BluetoothAddress?
    private let octets: [UInt8]

    /// Decodes manufacturer data; `nil` if they have no known format.
    public init?(_ data: ADManufacturerData) {
        guard data.company == Self.company else { return nil }
        var reader = ByteReader(data.data)
        do throws(DecodeError) {
            dataFormat = try reader.uint8("data format")
            switch dataFormat {
            case 3:
                // The humidity has steps of 0.5 %, and the pressure counts from 50,000 Pa.
                humidity = AdvertisedNumber(Int64(try reader.uint8("humidity")) * 5, exponent: -1)
                temperature = try Self.signAndHundredths(&reader)
                pressure = 50_000 + UInt32(try reader.uint16BigEndian("pressure"))
                acceleration = try Acceleration(from: &reader, unavailable: nil)
                batteryMillivolts = try reader.uint16BigEndian("battery voltage")
                (txPower, movementCounter, measurementNumber, address) = (nil, nil, nil, nil)
            case 5, Self.cutFormat:
                let air = try RuuviClimate(from: &reader)
                (temperature, humidity, pressure) = (air.temperature, air.humidity, air.pressure)
                if dataFormat == Self.cutFormat {
                    acceleration = Acceleration(x: nil, y: nil, z: nil)
                } else {
                    acceleration = try Acceleration(from: &reader, unavailable: .min)
                }
                let power = try reader.uint16BigEndian("power")
                // The upper 11 bits are millivolts above 1,600, the lower five are steps of 2 dBm above -40 dBm.
                batteryMillivolts = power >> 5 == 0x7FF ? nil : 1_600 + power >> 5
                txPower = power & 0x1F == 0x1F ? nil : Int8(power & 0x1F) * 2 - 40
                let movement = try reader.uint8("movement counter")
                movementCounter = movement == .max ? nil : movement
                measurementNumber = try reader.uint16BigEndian("measurement number", unavailable: .max)
                let octets = try reader.bytes(6, "address")
                address = octets.allSatisfy { $0 == 0xFF } ? nil : BluetoothAddress(mostSignificantFirst: octets)
            default: return nil
            }
        } catch {
            return nil
        }
        // Octets after the format are left out, so that an equal value has equal elements.
        octets = Array(data.data.dropLast(reader.remaining))
    }

    private static let cutFormat: UInt8 = 0xC5

    /// A sign and whole degrees in the first octet, hundredths in the second one, of which there are at most 99.
    private static func signAndHundredths(_ reader: inout ByteReader) throws(DecodeError) -> AdvertisedNumber? {
        let whole = try reader.uint8("temperature")
        let hundredths = try reader.uint8("hundredths of the temperature")
        guard hundredths < 100 else { return nil }
        let magnitude = Int64(whole & 0x7F) * 100 + Int64(hundredths)
        return AdvertisedNumber(whole & 0x80 == 0 ? magnitude : -magnitude, exponent: -2)
    }
}

extension RuuviTag.Acceleration {
    fileprivate init(from reader: inout ByteReader, unavailable: Int16?) throws(DecodeError) {
        x = try reader.int16BigEndian("acceleration X", unavailable: unavailable)
        y = try reader.int16BigEndian("acceleration Y", unavailable: unavailable)
        z = try reader.int16BigEndian("acceleration Z", unavailable: unavailable)
    }
}

extension RuuviTag: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "RuuviTag",
        kinds: ["ruuvi"],
        in: [.company(company)],
        keys: [
            "temperature_c", "humidity_percent", "pressure_hpa", "battery_v", "acceleration_x_mg",
            "acceleration_y_mg", "acceleration_z_mg", "tx_power_dbm", "movement_counter", "measurement_number",
            "address", "data_format",
        ]
    )

    public var title: String { "Ruuvi" }

    public var facts: [AdvertisedFact] {
        let climate = RuuviClimate.facts(temperature: temperature, humidity: humidity, pressure: pressure)
        let others: [AdvertisedFact] = [
            AdvertisedFact(
                "battery_v",
                batteryMillivolts.map { AdvertisedNumber($0, exponent: -3) },
                unit: "V",
                label: "battery",
                .main
            ),
            AdvertisedFact("acceleration_x_mg", acceleration.x, unit: "mg", label: "acceleration X"),
            AdvertisedFact("acceleration_y_mg", acceleration.y, unit: "mg", label: "acceleration Y"),
            AdvertisedFact("acceleration_z_mg", acceleration.z, unit: "mg", label: "acceleration Z"),
            AdvertisedFact("tx_power_dbm", txPower, unit: "dBm", label: "TX power"),
            AdvertisedFact("movement_counter", movementCounter),
            AdvertisedFact("measurement_number", measurementNumber),
            AdvertisedFact("address", address.map { "\($0)" }),
            AdvertisedFact("data_format", dataFormat),
        ]
        return climate + others
    }

    public var elements: [ADElement] { [.manufacturerData(ADManufacturerData(company: Self.company, octets))] }
}
