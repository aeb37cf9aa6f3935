// SPDX-License-Identifier: MIT

/// The temperatures of a meat thermometer of Govee: H5181 to H5185, H5191 and H5198, and H5055.
///
/// Its company identifiers are invented and many. The model is the service that the same packet lists.
///
/// Spec: github.com/Bluetooth-Devices/govee-ble (there is no specification)
public struct GoveeMeatThermometer: Hashable, Sendable {
    /// A probe.
    public struct Probe: Hashable, Sendable {
        /// Its number, from 1.
        public let number: Int
        /// The temperature in °C; `nil` if the probe is not plugged in.
        public let temperature: AdvertisedNumber?
        /// The temperature above which the device warns, in °C; `nil` if there is none.
        public let highAlarm: AdvertisedNumber?
        /// The temperature below which the device warns, in °C; `nil` if there is none.
        public let lowAlarm: AdvertisedNumber?
    }

    /// The model.
    public let model: String
    /// The probes of this message: a device with many sends them in turn.
    public let probes: [Probe]
    /// The temperature of the air in °C; only an H5191 measures it.
    public let ambient: AdvertisedNumber?
    /// The battery's charge in percent; only an H5055 sends it.
    public let batteryPercent: UInt8?
    private let data: ADManufacturerData

    /// The models by their services.
    private static let models: [BluetoothUUID: String] = [
        0x8151: "H5181", 0x8251: "H5182", 0x8351: "H5183", 0x8451: "H5184", 0x8551: "H5185", 0x9151: "H5191",
        0x9851: "H5198", 0x5550: "H5055",
    ]

    /// The numbers of octets of all models.
    private static let lengths: Set<Int> = [14, 17, 20]

    static func mayBe(_ data: ADManufacturerData) -> Bool {
        lengths.contains(GoveeThermometer.trimmed(data.data).count)
    }

    /// Decodes manufacturer data; `nil` if no service of a known model is listed beside them, or if their length is not
    /// that of the model.
    public init?(_ data: ADManufacturerData) {
        guard Self.mayBe(data), let services = data.companions?.services,
            let model = services.lazy.compactMap({ Self.models[$0] }).first
        else { return nil }
        self.model = model
        self.data = data
        let octets = GoveeThermometer.trimmed(data.data)
        var reader = ByteReader(octets)
        do throws(DecodeError) {
            if model == "H5055" {
                (batteryPercent, probes) = try Self.six(&reader)
                ambient = nil
                return
            }
            batteryPercent = nil
            let header = try reader.bytes(8, "header")
            let first = try Self.firstProbe(header[6], model)
            switch (model, octets.count) {
            case ("H5181", 14), ("H5183", 14):
                probes = [try Self.probe(1, &reader)]
                ambient = nil
            case ("H5182", 17), ("H5184", 17):
                let probe = try Self.probe(first, &reader)
                _ = try reader.uint8("separator")
                probes = [probe, try Self.probe(first + 1, &reader)]
                ambient = nil
            case ("H5185", 20):
                let probe = try Self.probe(1, &reader)
                _ = try reader.uint16("separator")
                probes = [probe, try Self.probe(2, &reader)]
                ambient = nil
            case ("H5191", 20):
                probes = [try Self.probe(1, &reader)]
                _ = try reader.uint16("separator")
                ambient = Self.hundredths(try reader.uint16BigEndian("ambient temperature"))
            case ("H5198", 20):
                let probe = try Self.probe(first, &reader, hasLow: true)
                probes = [probe, try Self.probe(first + 1, &reader, hasLow: true)]
                ambient = nil
            default: return nil
            }
        } catch {
            return nil
        }
    }

    /// The number of the first probe of a message, of models with four probes.
    private static func firstProbe(_ octet: UInt8, _ model: String) throws(DecodeError) -> Int {
        guard model == "H5184" || model == "H5198" else { return 1 }
        switch octet & 0x3F {
        case 1: return 1
        case 2: return 3
        default: throw DecodeError("probe", .inconsistent("there is no pair of probes \(octet & 0x3F)"))
        }
    }

    private static func probe(
        _ number: Int,
        _ reader: inout ByteReader,
        hasLow: Bool = false
    ) throws(DecodeError) -> Probe {
        let temperature = hundredths(try reader.uint16BigEndian("temperature"))
        let high = hundredths(try reader.uint16BigEndian("high alarm"))
        let low = hasLow ? hundredths(try reader.uint16BigEndian("low alarm")) : nil
        return Probe(number: number, temperature: temperature, highAlarm: high, lowAlarm: low)
    }

    /// A temperature in 0.01 °C. All bits are set if there is none, and other numbers with the uppermost bit are not
    /// used.
    private static func hundredths(_ number: UInt16) -> AdvertisedNumber? {
        number & 0x8000 == 0 ? AdvertisedNumber(number, exponent: -2) : nil
    }

    /// Two of the six probes of an H5055, which sends whole degrees.
    private static func six(_ reader: inout ByteReader) throws(DecodeError) -> (UInt8, [Probe]) {
        _ = try reader.uint16("header")
        let battery = try reader.uint8("battery charge") & 0x7F
        let flags = try reader.uint8("probes")
        guard flags & 0xC0 != 0xC0, battery <= 100 else {
            throw DecodeError("probe", .inconsistent("there is no such pair of probes"))
        }
        _ = try reader.uint8("header")
        let first = Int(flags >> 6) * 2
        var probes: [Probe] = []
        for place in 0..<2 {
            if place == 1 { _ = try reader.uint8("separator") }
            let numbers = [try reader.int16("temperature"), try reader.int16("low"), try reader.int16("high")]
            let values = numbers.map { $0 < 0 ? nil : AdvertisedNumber($0) }
            // A bit for each probe tells whether it is plugged in.
            guard flags >> UInt8(first + place) & 1 != 0 else { continue }
            probes.append(
                Probe(number: first + place + 1, temperature: values[0], highAlarm: values[2], lowAlarm: values[1])
            )
        }
        return (battery, probes)
    }
}

extension GoveeMeatThermometer: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Govee",
        kinds: ["govee-meat"],
        in: [.anyCompany],
        keys: ["ambient_temperature_c", "battery_percent", "model"],
        lists: ["probes": ["temperature_c", "probe", "high_alarm_c", "low_alarm_c"]]
    )

    public var title: String { "Govee" }

    public var facts: [AdvertisedFact] {
        let probes = probes.map { probe in
            [
                AdvertisedFact("probe", probe.number, .named),
                AdvertisedFact("temperature_c", probe.temperature, unit: "°C", label: "temperature", .main),
                AdvertisedFact("high_alarm_c", probe.highAlarm, unit: "°C", label: "alarm above"),
                AdvertisedFact("low_alarm_c", probe.lowAlarm, unit: "°C", label: "alarm below"),
            ]
        }
        return [
            AdvertisedFact("model", model, .main),
            AdvertisedFact("probes", .list(probes), .main),
            AdvertisedFact("ambient_temperature_c", ambient, unit: "°C", label: "ambient", .named),
            AdvertisedFact("battery_percent", batteryPercent, unit: "%", label: "battery", .named),
        ]
    }

    /// A device with many probes sends two of them in turn.
    public func replaces(_ earlier: GoveeMeatThermometer) -> Bool {
        probes.elementsEqual(earlier.probes) { $0.number == $1.number }
    }

    public var elements: [ADElement] {
        let service = Self.models.first { $0.value == model }?.key
        return (service.map { [.services(ADServiceList(.complete, .bits16, [$0]))] } ?? []) + [.manufacturerData(data)]
    }
}
