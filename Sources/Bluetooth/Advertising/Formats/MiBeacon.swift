// SPDX-License-Identifier: MIT

/// The message of a device of Xiaomi's ecosystem.
///
/// Spec: Xiaomi MiBeacon, versions 2 to 5; github.com/Bluetooth-Devices/xiaomi-ble,
/// github.com/custom-components/ble_monitor
public struct MiBeacon: Hashable, Sendable {
    /// The service whose data contain the format.
    public static let service: BluetoothUUID = 0xFE95

    /// A measurement, a state or an event.
    public struct Object: Hashable, Sendable {
        /// The number of the kind of object.
        public let id: UInt16
        /// The octets of the value.
        public let octets: [UInt8]
    }

    /// The version of the format.
    public let version: UInt8
    /// The number of the product.
    public let product: UInt16
    /// A number that increases with each message.
    public let counter: UInt8
    /// The device's address, if it is in the data.
    public let address: BluetoothAddress?
    /// Whether only holders of the key can read the objects.
    public let isEncrypted: Bool
    /// Whether the device belongs to an account.
    public let isRegistered: Bool
    /// The objects; empty if they are encrypted, and no key fits.
    public let objects: [Object]
    /// The octets before the objects.
    private let headerCount: Int
    private let data: ADServiceData

    /// The bits of the frame control.
    private enum Bit {
        static let encrypted: UInt16 = 1 << 3
        static let address: UInt16 = 1 << 4
        static let capability: UInt16 = 1 << 5
        static let object: UInt16 = 1 << 6
        static let registered: UInt16 = 1 << 8
    }

    /// Decodes service data; `nil` if they end within what every message has, or are of an unknown version.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        var reader = ByteReader(data.data)
        let control: UInt16
        do throws(DecodeError) {
            control = try reader.uint16("frame control")
            product = try reader.uint16("product")
            counter = try reader.uint8("counter")
            address = control & Bit.address == 0 ? nil : try BluetoothAddress(from: &reader)
            if control & Bit.capability != 0 {
                let capability = try reader.uint8("capability")
                if capability & 0x20 != 0 { _ = try reader.uint8("inputs and outputs") }
            }
        } catch {
            return nil
        }
        // The upper four bits of the frame control are the version.
        version = UInt8(control >> 12)
        guard (2...5).contains(version) else { return nil }
        isEncrypted = control & Bit.encrypted != 0
        isRegistered = control & Bit.registered != 0
        self.data = data
        headerCount = data.data.count - reader.remaining
        if isEncrypted { reader = ByteReader(data.decryption?.octets ?? []) }
        var objects: [Object] = []
        while control & Bit.object != 0, let id = try? reader.uint16("object"),
            let length = try? reader.uint8("length"), let octets = try? reader.bytes(Int(length), "object's value")
        {
            objects.append(Object(id: id, octets: octets))
        }
        self.objects = objects
    }

    /// How the objects are encrypted; `nil` if they are not, or in the way of a version before 4, which has another
    /// length of key and no integrity check.
    ///
    /// The objects are followed by three octets of a counter, whose fourth and least significant one is `counter`, and
    /// by the integrity check.
    func seal(from sender: BluetoothAddress) -> AdvertisedSeal? {
        let tail = 7
        guard isEncrypted, version >= 4, data.data.count >= headerCount + tail else { return nil }
        let end = data.data.count - tail
        let extended = Array(data.data[end..<end + 3])
        // The product and the counter are sent as they are in the nonce.
        let nonce = (address ?? sender).octetsMostSignificantFirst.reversed() + data.data[2..<5] + extended
        let number = extended.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return AdvertisedSeal(
            octets: Array(data.data[headerCount..<end]),
            cipher: .ccm(nonce: Array(nonce), associated: [0x11], code: Array(data.data[(end + 3)...])),
            counter: .init(value: number << 8 | UInt32(counter), bits: 32)
        )
    }

    /// The model, of products that are met often.
    public var model: String? { Self.models[product] }

    private static let models: [UInt16: String] = [
        0x0098: "HHCCJCY01", 0x01AA: "LYWSDCGQ", 0x0347: "CGG1", 0x0387: "MHO-C401", 0x03BC: "GCLS002",
        0x045B: "LYWSD02", 0x04E1: "XMMF01JQD", 0x055B: "LYWSD03MMC", 0x0576: "CGD1", 0x066F: "CGDK2",
        0x07F6: "MJYD02YL", 0x0863: "SJWS01LM", 0x098B: "MCCGQ02HL", 0x0997: "JTYJGD03MI", 0x0A8D: "RTCGQ02LM",
        0x0B48: "CGG1", 0x0153: "YEE-RC", 0x1203: "XMWSDJ04MMC", 0x16E4: "LYWSD02MMC",
    ]
}

extension MiBeacon.Object {
    /// The values; `nil` if the object is unknown, or its length is not the one of its kind.
    var facts: [AdvertisedFact]? {
        var reader = ByteReader(octets)
        do throws(DecodeError) {
            let facts: [AdvertisedFact]
            switch id {
            case 0x000A:
                let value = AdvertisedNumber(try reader.int16("temperature"), exponent: -2)
                facts = [AdvertisedFact("temperature_c", value, unit: "°C", .main)]
            case 0x000F:
                facts = [
                    AdvertisedFact("motion", true, .named),
                    AdvertisedFact("illuminance_lx", try reader.uint24("illuminance"), unit: "lx", .main),
                ]
            case 0x1004: facts = [try Self.temperature(&reader)]
            case 0x1006: facts = [try Self.humidity(&reader)]
            case 0x1007: facts = [AdvertisedFact("illuminance_lx", try reader.uint24("illuminance"), unit: "lx", .main)]
            case 0x1008:
                facts = [
                    AdvertisedFact(
                        "moisture_percent",
                        try reader.uint8("moisture"),
                        unit: "%",
                        label: "moisture",
                        .named
                    )
                ]
            case 0x1009:
                facts = [
                    AdvertisedFact("conductivity_us_per_cm", try reader.uint16("conductivity"), unit: "µS/cm", .main)
                ]
            case 0x1010:
                let value = AdvertisedNumber(try reader.uint16("formaldehyde"), exponent: -2)
                facts = [AdvertisedFact("formaldehyde_mg_per_m3", value, unit: "mg/m³", label: "formaldehyde", .named)]
            case 0x1012: facts = [AdvertisedFact("power", try reader.uint8("power") != 0, .named)]
            case 0x1013:
                facts = [
                    AdvertisedFact(
                        "consumable_percent",
                        try reader.uint8("rest"),
                        unit: "%",
                        label: "consumable",
                        .named
                    )
                ]
            case 0x1014: facts = [AdvertisedFact("water", try reader.uint8("water") != 0, .named)]
            case 0x1015: facts = [AdvertisedFact("smoke", try reader.uint8("smoke") != 0, .named)]
            case 0x1017:
                facts = [
                    AdvertisedFact("idle_s", try reader.uint32("idle time"), unit: "s", label: "no motion for", .named)
                ]
            case 0x1018: facts = [AdvertisedFact("light", try reader.uint8("light") != 0, .named)]
            case 0x1019:
                let state = try reader.uint8("door")
                let names = ["open", "closed", "left open", "reset"]
                facts = [AdvertisedFact("door", Int(state) < names.count ? names[Int(state)] : "\(state)", .named)]
            case 0x100A:
                facts = [
                    AdvertisedFact(
                        "battery_percent",
                        try reader.uint8("battery charge"),
                        unit: "%",
                        label: "battery",
                        .named
                    )
                ]
            case 0x100D: facts = [try Self.temperature(&reader), try Self.humidity(&reader)]
            default: return laterFacts
            }
            return reader.isAtEnd ? facts : nil
        } catch {
            return nil
        }
    }

    private static func temperature(_ reader: inout ByteReader) throws(DecodeError) -> AdvertisedFact {
        let value = AdvertisedNumber(try reader.int16("temperature"), exponent: -1)
        return AdvertisedFact("temperature_c", value, unit: "°C", label: "temperature", .main)
    }

    private static func humidity(_ reader: inout ByteReader) throws(DecodeError) -> AdvertisedFact {
        let value = AdvertisedNumber(try reader.uint16("humidity"), exponent: -1)
        return AdvertisedFact("humidity_percent", value, unit: "%", label: "humidity", .main)
    }
}

extension MiBeacon: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Xiaomi MiBeacon",
        kinds: ["mibeacon"],
        in: [.service(service)],
        keys: [
            "temperature_c", "humidity_percent", "motion", "illuminance_lx", "moisture_percent",
            "conductivity_us_per_cm", "formaldehyde_mg_per_m3", "power", "consumable_percent", "water", "smoke",
            "idle_s", "light", "door", "battery_percent", "battery_low", "occupancy", "button", "button_number",
            "model", "product", "counter", "address",
            "registered", "version",
        ] + AdvertisedDecryption.keys,
        lists: [
            "unknown_objects": ["id", "data"]
        ]
    )

    public var title: String { data.decryption.title("MiBeacon", isEncrypted: isEncrypted) }

    public var facts: [AdvertisedFact] {
        let unknown = objects.filter { $0.facts == nil }.map { object in
            [AdvertisedFact("id", object.id), AdvertisedFact("data", .octets(object.octets), .main)]
        }
        let known = objects.flatMap { $0.facts ?? [] }
        return [AdvertisedFact("model", model, .main)] + known + data.decryption.facts(isEncrypted: isEncrypted) + [
            AdvertisedFact("product", product),
            AdvertisedFact("counter", counter),
            AdvertisedFact("address", address.map { "\($0)" }),
            AdvertisedFact("registered", isRegistered),
            AdvertisedFact("unknown_objects", unknown.isEmpty ? nil : .list(unknown)),
            AdvertisedFact("version", version),
        ]
    }

    /// A device sends its measurements in turn.
    public func replaces(_ earlier: MiBeacon) -> Bool {
        objects.elementsEqual(earlier.objects) { $0.id == $1.id }
    }

    public var elements: [ADElement] { [.serviceData(data)] }
}
