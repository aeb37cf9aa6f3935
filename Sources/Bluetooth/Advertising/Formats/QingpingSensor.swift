// SPDX-License-Identifier: MIT

/// The measurements of a sensor of Qingping in its own format; some of them send MiBeacon instead.
///
/// Spec: github.com/Bluetooth-Devices/qingping-ble and github.com/custom-components/ble_monitor (there is no
/// specification)
public struct QingpingSensor: Hashable, Sendable {
    /// The service whose data contain the format.
    public static let service: BluetoothUUID = 0xFDCD

    /// A measurement or a state.
    public struct Object: Hashable, Sendable {
        /// The number of the kind of object.
        public let id: UInt8
        /// The octets of the value.
        public let octets: [UInt8]
    }

    /// The number of the product.
    public let product: UInt8
    /// The device's address.
    public let address: BluetoothAddress
    /// Whether the device sends because something has happened.
    public let isEvent: Bool
    /// The objects, in their order.
    public let objects: [Object]
    private let data: ADServiceData

    /// Decodes service data; `nil` if they end within what every message has.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        var reader = ByteReader(data.data)
        do throws(DecodeError) {
            isEvent = try reader.uint8("frame control") & 0x40 != 0
            product = try reader.uint8("product")
            address = try BluetoothAddress(from: &reader)
        } catch {
            return nil
        }
        var objects: [Object] = []
        while let id = try? reader.uint8("object"), let length = try? reader.uint8("length"),
            let octets = try? reader.bytes(Int(length), "object's value")
        {
            objects.append(Object(id: id, octets: octets))
        }
        self.objects = objects
        self.data = data
    }

    /// The model, if the product is known.
    public var model: String? { Self.models[product] }

    private static let models: [UInt8: String] = [
        0x01: "CGG1", 0x04: "CGH1", 0x07: "CGG1", 0x09: "CGP1W", 0x0C: "CGD1", 0x0E: "CGDN1", 0x0F: "CGM1",
        0x10: "CGDK2", 0x12: "CGPR1", 0x15: "CGF1W", 0x16: "CGG1", 0x18: "CGP23W", 0x1E: "CGC1", 0x24: "CGDN1",
        0x26: "CGP23W", 0x33: "CGP22C", 0x4F: "CGG3", 0x52: "CGR1PC", 0x5D: "CGP22C", 0x62: "CGR1PC",
    ]

    /// The values of an object; `nil` if it is unknown, or its length is not the one of its kind.
    private func facts(of object: Object) -> [AdvertisedFact]? {
        var reader = ByteReader(object.octets)
        do throws(DecodeError) {
            let facts: [AdvertisedFact]
            switch object.id {
            case 0x01:
                let temperature = AdvertisedNumber(try reader.int16("temperature"), exponent: -1)
                let humidity = AdvertisedNumber(try reader.uint16("humidity"), exponent: -1)
                facts = [
                    AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature", .main),
                    AdvertisedFact("humidity_percent", humidity, unit: "%", label: "humidity", .main),
                ]
            case 0x02:
                let charge = try reader.uint8("battery charge")
                // This value marks a device on external power.
                let percent = charge == 0xFF ? nil : charge
                facts = [
                    AdvertisedFact("battery_percent", percent, unit: "%", label: "battery", .named),
                    AdvertisedFact("external_power", charge == 0xFF, .named),
                ]
            case 0x04:
                let state = try reader.uint8("door")
                let names = ["open", "closed", "left open"]
                facts = [AdvertisedFact("door", Int(state) < names.count ? names[Int(state)] : "\(state)", .named)]
            case 0x07:
                let value = AdvertisedNumber(try reader.uint16("pressure"), exponent: -1)
                facts = [AdvertisedFact("pressure_hpa", value, unit: "hPa", label: "pressure", .main)]
            case 0x08:
                let motion = AdvertisedFact("motion", try reader.uint8("motion") != 0, .named)
                let light = try reader.uint24("illuminance")
                // With an event, these octets are something else.
                facts = [motion] + (isEvent ? [] : [Self.illuminance(light)])
            case 0x09: facts = [Self.illuminance(try reader.uint32("illuminance"))]
            case 0x0F: facts = [AdvertisedFact("counter", try reader.uint8("counter"))]
            case 0x11: facts = [AdvertisedFact("light", try reader.uint8("light") != 0, .named)]
            case 0x12:
                let fine = try reader.uint16("PM2.5")
                facts = [
                    AdvertisedFact("pm2_5_ug_per_m3", fine, unit: "µg/m³", label: "PM2.5", .named),
                    AdvertisedFact("pm10_ug_per_m3", try reader.uint16("PM10"), unit: "µg/m³", label: "PM10", .named),
                ]
            case 0x13: facts = [AdvertisedFact("co2_ppm", try reader.uint16("CO2"), unit: "ppm", label: "CO2", .named)]
            case 0x15: facts = [AdvertisedFact("voc_index", try reader.uint16("VOC"), label: "VOC index", .named)]
            case 0x19:
                facts = [AdvertisedFact("noise_db", try reader.uint8("noise"), unit: "dB", label: "noise", .named)]
            default: return nil
            }
            return reader.isAtEnd ? facts : nil
        } catch {
            return nil
        }
    }

    private static func illuminance(_ value: UInt32) -> AdvertisedFact {
        AdvertisedFact("illuminance_lx", value, unit: "lx", label: "illuminance", .main)
    }
}

extension QingpingSensor: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Qingping",
        kinds: ["qingping"],
        in: [.service(service)],
        keys: [
            "model", "temperature_c", "humidity_percent", "battery_percent", "external_power", "door", "pressure_hpa",
            "motion", "illuminance_lx", "counter", "light", "pm2_5_ug_per_m3", "pm10_ug_per_m3", "co2_ppm",
            "voc_index", "noise_db", "product", "address", "event",
        ],
        lists: ["unknown_objects": ["id", "data"]]
    )

    public var title: String { "Qingping" }

    public var facts: [AdvertisedFact] {
        let unknown = objects.filter { facts(of: $0) == nil }.map { object in
            [AdvertisedFact("id", object.id), AdvertisedFact("data", .octets(object.octets))]
        }
        return [AdvertisedFact("model", model, .main)] + objects.flatMap { facts(of: $0) ?? [] } + [
            AdvertisedFact("event", isEvent),
            AdvertisedFact("product", product),
            AdvertisedFact("address", "\(address)"),
            AdvertisedFact("unknown_objects", unknown.isEmpty ? nil : .list(unknown)),
        ]
    }

    /// A device sends its measurements in turn.
    public func replaces(_ earlier: QingpingSensor) -> Bool {
        objects.elementsEqual(earlier.objects) { $0.id == $1.id }
    }

    public var elements: [ADElement] { [.serviceData(data)] }
}
