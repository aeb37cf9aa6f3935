// SPDX-License-Identifier: MIT

/// The measurements of a Xiaomi thermometer that runs the free firmware of pvvx or atc1441.
///
/// The data belong to the Environmental Sensing service. The formats are recognised by their length, and other data of
/// that service with the same length by a humidity or a charge above 100 %.
///
/// Spec: github.com/pvvx/ATC_MiThermometer and github.com/atc1441/ATC_MiThermometer, advertising formats
public struct ATCThermometer: Hashable, Sendable {
    /// The service whose data contain the format.
    public static let service: BluetoothUUID = 0x181A

    /// The two formats.
    public enum Layout: String, Hashable, Sendable {
        /// The custom format of pvvx: 15 octets.
        case pvvx
        /// The first format, of atc1441: 13 octets.
        case atc1441
    }

    /// The format.
    public let layout: Layout
    /// The device's address.
    public let address: BluetoothAddress
    /// The temperature in °C.
    public let temperature: AdvertisedNumber
    /// The relative humidity in percent.
    public let humidity: AdvertisedNumber
    /// The battery's charge in percent.
    public let batteryPercent: UInt8
    /// The battery's voltage in millivolts.
    public let batteryMillivolts: UInt16
    /// A number that increases with each measurement.
    public let counter: UInt8
    /// The states of the device's contacts and triggers; only in pvvx's format.
    public let flags: UInt8?
    private let octets: [UInt8]

    /// Decodes service data; `nil` if they have neither format.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        octets = data.data
        var reader = ByteReader(data.data)
        do throws(DecodeError) {
            switch data.data.count {
            case 15:
                layout = .pvvx
                address = try BluetoothAddress(from: &reader)
                temperature = AdvertisedNumber(try reader.int16("temperature"), exponent: -2)
                humidity = AdvertisedNumber(try reader.uint16("humidity"), exponent: -2)
                batteryMillivolts = try reader.uint16("battery voltage")
                batteryPercent = try reader.uint8("battery charge")
                counter = try reader.uint8("counter")
                flags = try reader.uint8("flags")
            case 13:
                layout = .atc1441
                address = BluetoothAddress(mostSignificantFirst: try reader.bytes(6, "address"))
                temperature = AdvertisedNumber(
                    Int16(bitPattern: try reader.uint16BigEndian("temperature")),
                    exponent: -1
                )
                humidity = AdvertisedNumber(try reader.uint8("humidity"))
                batteryPercent = try reader.uint8("battery charge")
                batteryMillivolts = try reader.uint16BigEndian("battery voltage")
                counter = try reader.uint8("counter")
                flags = nil
            default: return nil
            }
        } catch {
            return nil
        }
        guard humidity.double <= 100, batteryPercent <= 100 else { return nil }
    }
}

extension ATCThermometer: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Xiaomi with the free firmware ATC",
        kinds: ["atc"],
        in: [.service(service)],
        keys: [
            "temperature_c", "humidity_percent", "battery_percent", "battery_v", "counter", "flags", "address",
            "layout",
        ]
    )

    public var title: String { "ATC" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature", .main),
            AdvertisedFact("humidity_percent", humidity, unit: "%", label: "humidity", .main),
            AdvertisedFact("battery_percent", batteryPercent, unit: "%", label: "battery", .named),
            AdvertisedFact(
                "battery_v",
                AdvertisedNumber(batteryMillivolts, exponent: -3),
                unit: "V",
                label: "voltage",
                .main
            ),
            AdvertisedFact("counter", counter),
            AdvertisedFact("flags", flags),
            AdvertisedFact("address", "\(address)"),
            AdvertisedFact("layout", layout.rawValue),
        ]
    }

    public var elements: [ADElement] { [.serviceData(ADServiceData(Self.service, octets))] }
}
