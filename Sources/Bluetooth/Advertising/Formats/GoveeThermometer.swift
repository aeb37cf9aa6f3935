// SPDX-License-Identifier: MIT

/// The measurements of a Govee thermometer: H5072 and H5075, H5074 and H5051, H5101 to H5179 and the like, and of the
/// air monitor H5106.
///
/// Govee uses the identifiers of other companies, so only data that begin and end as Govee's do are decoded.
///
/// Spec: github.com/Bluetooth-Devices/govee-ble and github.com/custom-components/ble_monitor (there is no
/// specification)
public struct GoveeThermometer: Hashable, Sendable {
    /// The company identifiers in use.
    public enum Company {
        /// H5072, H5074, H5075, H5051.
        public static let classic: UInt16 = 0xEC88
        /// H5101, H5102, H5105, H5106, H5177, H5178 and others; the number is Nokia's.
        public static let shared: UInt16 = 0x0001
        /// H5179.
        public static let h5179: UInt16 = 0x8801
    }

    /// The models that send the format.
    public let models: String
    /// The temperature in °C; `nil` if the sensor is faulty.
    public let temperature: AdvertisedNumber?
    /// The relative humidity in percent; `nil` if the sensor is faulty.
    public let humidity: AdvertisedNumber?
    /// The battery's charge in percent; `nil` for an H5106, which has none.
    public let batteryPercent: UInt8?
    /// The mass of particles up to 2.5 µm in µg/m³; only an H5106 measures it.
    public let pm25: UInt16?
    /// The number of the sensor, of a device that relays another one's measurements: 0 is its own.
    public let sensor: UInt8?
    private let manufacturerData: ADManufacturerData

    /// Decodes manufacturer data; `nil` if they have none of the formats.
    public init?(_ data: ADManufacturerData) {
        let octets = Self.trimmed(data.data)
        var reader = ByteReader(octets)
        var sensor: UInt8?
        let reading: Reading
        do throws(DecodeError) {
            switch (data.company, octets.count) {
            case (Company.classic, 6):
                guard try reader.uint8("beginning") == 0 else { return nil }
                reading = try Reading(packed: &reader)
                models = "H5072/H5075"
            case (Company.classic, 7), (Company.classic, 9):
                guard try reader.uint8("beginning") == 0 else { return nil }
                reading = try Reading(plain: &reader)
                models = octets.count == 7 ? "H5074" : "H5051/H5052"
            case (Company.shared, 6)
            where Self.isAirMonitor(octets) || data.companions?.name?.contains(text: "5106") == true:
                guard try reader.uint16("beginning") == 0x0101 else { return nil }
                reading = try Reading(air: &reader)
                models = "H5106"
            case (Company.shared, 6), (Company.shared, 8):
                guard try reader.uint16("beginning") == 0x0101 else { return nil }
                reading = try Reading(packed: &reader)
                // Models with other sensors use the last two octets for something else.
                guard reader.rest().allSatisfy({ $0 == 0 }) else { return nil }
                models = "H5101/H5102/H5177"
            case (Company.shared, 9):
                guard try reader.uint16("beginning") == 0x0101 else { return nil }
                sensor = try reader.uint8("sensor")
                reading = try Reading(packed: &reader)
                models = "H5178"
            case (Company.h5179, 9):
                guard try reader.uint16("beginning") == 0x00EC else { return nil }
                _ = try reader.uint16("second beginning")
                reading = try Reading(plain: &reader)
                models = "H5179"
            default: return nil
            }
        } catch {
            return nil
        }
        // Other companies own the identifiers, and may send data of the same length. Impossible numbers show that.
        if let battery = reading.battery, battery > 100 { return nil }
        self.sensor = sensor
        temperature = reading.temperature
        humidity = reading.humidity
        batteryPercent = reading.battery
        pm25 = reading.pm25
        manufacturerData = ADManufacturerData(company: data.company, octets)
    }

    /// Whether six octets are those of an H5106, which sends as many as some thermometers, with larger numbers. Decoded
    /// as those of a thermometer, they exceed 60 °C, which no thermometer measures. In air below about 15 °C they do
    /// not, and are taken for those of a thermometer unless the device's name says what it is.
    private static func isAirMonitor(_ octets: [UInt8]) -> Bool {
        let number = octets.dropFirst(2).prefix(3).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return (number & 0x7F_FFFF) / 1_000 > 600
    }

    /// The octets without the beacon of 25 octets that some models append: company identifier of Apple, iBeacon,
    /// `INTELLI_ROCKS…`.
    static func trimmed(_ octets: [UInt8]) -> [UInt8] {
        let tail: [UInt8] = [0x4C, 0x00, 0x02, 0x15]
        guard octets.count > 25, octets.suffix(25).starts(with: tail) else { return octets }
        return Array(octets.dropLast(25))
    }

    /// The values, however they are encoded.
    private struct Reading {
        let temperature: AdvertisedNumber?
        let humidity: AdvertisedNumber?
        let battery: UInt8?
        let pm25: UInt16?

        /// A number of three octets with a sign: the temperature in 0.1 °C times 1,000, and the humidity in 0.1 %. The
        /// battery's octet has the mark of a faulty sensor, and so has a temperature outside of -40 to 100 °C.
        init(packed reader: inout ByteReader) throws(DecodeError) {
            let octets = try reader.bytes(3, "temperature and humidity")
            let number = octets.reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let magnitude = number & 0x7F_FFFF
            let battery = try reader.uint8("battery charge")
            self.battery = battery & 0x7F
            pm25 = nil
            let tenths = number == magnitude ? magnitude / 1_000 : -magnitude / 1_000
            let isFaulty = battery & 0x80 != 0 || !(-400...1_000).contains(tenths)
            temperature = isFaulty ? nil : AdvertisedNumber(tenths, exponent: -1)
            humidity = isFaulty ? nil : AdvertisedNumber(magnitude % 1_000, exponent: -1)
        }

        /// Three numbers: the temperature in 0.01 °C, the humidity in 0.01 %, and the battery's charge.
        init(plain reader: inout ByteReader) throws(DecodeError) {
            temperature = AdvertisedNumber(try reader.int16("temperature"), exponent: -2)
            humidity = AdvertisedNumber(try reader.uint16("humidity"), exponent: -2)
            battery = try reader.uint8("battery charge")
            pm25 = nil
        }

        /// A number of four octets with a sign: the temperature in 0.1 °C times 1,000,000, the humidity in 0.1 % times
        /// 1,000, and the particles in µg/m³. A temperature outside of -40 to 100 °C is the mark of a faulty sensor.
        init(air reader: inout ByteReader) throws(DecodeError) {
            let number = Int64(try reader.uint32BigEndian("temperature, humidity and particles"))
            let magnitude = number & 0x7FFF_FFFF
            let tenths = number == magnitude ? magnitude / 1_000_000 : -magnitude / 1_000_000
            let isFaulty = !(-400...1_000).contains(tenths)
            temperature = isFaulty ? nil : AdvertisedNumber(tenths, exponent: -1)
            humidity = isFaulty ? nil : AdvertisedNumber(magnitude / 1_000 % 1_000, exponent: -1)
            pm25 = isFaulty ? nil : UInt16(magnitude % 1_000)
            battery = nil
        }
    }
}

extension GoveeThermometer: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Govee",
        kinds: ["govee"],
        in: [.company(Company.classic), .company(Company.shared), .company(Company.h5179)],
        keys: ["temperature_c", "humidity_percent", "battery_percent", "pm2_5_ug_per_m3", "sensor", "models"]
    )

    public var title: String { "Govee" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature", .main),
            AdvertisedFact("humidity_percent", humidity, unit: "%", label: "humidity", .main),
            AdvertisedFact("battery_percent", batteryPercent, unit: "%", label: "battery", .named),
            AdvertisedFact("pm2_5_ug_per_m3", pm25, unit: "µg/m³", label: "PM2.5", .named),
            AdvertisedFact("sensor", sensor, .named),
            AdvertisedFact("models", models),
        ]
    }

    public var elements: [ADElement] { [.manufacturerData(manufacturerData)] }
}
