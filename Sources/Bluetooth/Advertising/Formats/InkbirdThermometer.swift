// SPDX-License-Identifier: MIT

/// The measurements of a thermometer of Inkbird: IBS-TH1, IBS-TH2, IBS-P01B, and the barbecue thermometers iBBQ.
///
/// The first ones send the temperature where other devices have the company identifier. They are recognised by the check
/// code of the measurement, and the others by the service that the same packet lists.
///
/// Spec: github.com/Bluetooth-Devices/inkbird-ble and github.com/custom-components/ble_monitor (there is no
/// specification)
public struct InkbirdThermometer: Hashable, Sendable {
    /// The service that barbecue thermometers list, which is not theirs alone.
    private static let service: BluetoothUUID = 0xFFF0
    /// The company identifier of barbecue thermometers, which is Ericsson's. Those named xBBQ have others.
    private static let barbecueCompany: UInt16 = 0
    /// The number of octets of barbecue thermometers with one, two, four and six probes.
    static let barbecueLengths: Set<Int> = [10, 12, 16, 20]

    /// The temperature in °C; `nil` of a barbecue thermometer.
    public let temperature: AdvertisedNumber?
    /// The relative humidity in percent; `nil` if it is not measured.
    public let humidity: AdvertisedNumber?
    /// Whether the temperature is that of a sensor on a cable.
    public let isExternal: Bool
    /// The battery's charge in percent; `nil` of a barbecue thermometer.
    public let batteryPercent: UInt8?
    /// The temperatures of a barbecue thermometer's probes in °C; `nil` for one that is not plugged in.
    public let probes: [AdvertisedNumber?]
    private let data: ADManufacturerData

    /// Decodes manufacturer data; `nil` if they are not those of a thermometer of Inkbird.
    public init?(_ data: ADManufacturerData) {
        self.data = data
        var reader = ByteReader(data.data)
        do throws(DecodeError) {
            if data.data.count == 7 {
                var whole = ByteWriter()
                whole.uint16(data.company)
                whole.append(Array(data.data.prefix(3)))
                let number = try reader.uint16("humidity")
                isExternal = try reader.uint8("sensor") != 0
                guard try reader.uint16("check code") == Self.checkCode(of: whole.bytes) else { return nil }
                let charge = try reader.uint8("battery charge")
                guard charge <= 100 else { return nil }
                batteryPercent = charge
                temperature = AdvertisedNumber(Int16(bitPattern: data.company), exponent: -2)
                // Zero and all bits set mark a device without such a sensor.
                humidity = (1...10_000).contains(number) ? AdvertisedNumber(number, exponent: -2) : nil
                probes = []
            } else {
                let isNamed = data.companions?.name?.hasSuffix("BBQ") == true
                guard isNamed || data.company == Self.barbecueCompany, Self.barbecueLengths.contains(data.data.count),
                    data.companions?.services.contains(Self.service) == true, try reader.uint16("beginning") == 0
                else { return nil }
                _ = try BluetoothAddress(from: &reader)
                var probes: [AdvertisedNumber?] = []
                while !reader.isAtEnd {
                    let tenths = try reader.int16("temperature")
                    probes.append(tenths == -1 ? nil : AdvertisedNumber(tenths, exponent: -1))
                }
                self.probes = probes
                temperature = nil
                humidity = nil
                isExternal = false
                batteryPercent = nil
            }
        } catch {
            return nil
        }
    }

    /// The check code of Modbus.
    private static func checkCode(of octets: [UInt8]) -> UInt16 {
        octets.reduce(0xFFFF) { code, octet in
            (0..<8).reduce(code ^ UInt16(octet)) { code, _ in code & 1 == 0 ? code >> 1 : code >> 1 ^ 0xA001 }
        }
    }
}

extension InkbirdThermometer: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Inkbird",
        kinds: ["inkbird"],
        in: [.anyCompany],
        keys: ["temperature_c", "humidity_percent", "battery_percent", "external_sensor", "model"],
        lists: ["probes": ["probe", "temperature_c"]]
    )

    public var title: String { "Inkbird" }

    public var facts: [AdvertisedFact] {
        let things = probes.enumerated().map { index, temperature in
            [
                AdvertisedFact("probe", index + 1, .named),
                AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature", .main),
            ]
        }
        return [
            AdvertisedFact("model", probes.isEmpty ? "IBS-TH" : "iBBQ-\(probes.count)", .main),
            AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature", .main),
            AdvertisedFact("humidity_percent", humidity, unit: "%", label: "humidity", .main),
            AdvertisedFact("probes", probes.isEmpty ? nil : .list(things), .main),
            AdvertisedFact("battery_percent", batteryPercent, unit: "%", label: "battery", .named),
            AdvertisedFact("external_sensor", isExternal, label: "sensor on a cable", .named),
        ]
    }

    public var elements: [ADElement] {
        let services = probes.isEmpty ? [] : [ADElement.services(ADServiceList(.complete, .bits16, [Self.service]))]
        return services + [.manufacturerData(data)]
    }
}
