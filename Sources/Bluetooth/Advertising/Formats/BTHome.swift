// SPDX-License-Identifier: MIT

/// The measurements of a sensor in the open format BTHome.
///
/// Of version 2, objects are decoded until one is unknown or cut short, because only known ones have a known length.
///
/// Spec: bthome.io, format v2 and format v1
public struct BTHome: Hashable, Sendable {
    /// The service whose data contain version 2 of the format.
    public static let service: BluetoothUUID = 0xFCD2

    /// A measurement, a state or an event.
    public struct Object: Hashable, Sendable {
        /// The kind of object.
        public let type: BTHomeObjectType
        /// The value.
        public let value: Value
    }

    /// The value of an object.
    public enum Value: Hashable, Sendable {
        /// A number in the object's unit.
        case number(AdvertisedNumber)
        /// One of two states.
        case state(Bool)
        /// The number of an event, and for a dimmer the number of its steps.
        case event(UInt8, steps: UInt8?)
        /// Text; invalid UTF-8 is replaced.
        case text(String)
        /// Uninterpreted octets.
        case octets([UInt8])
        /// Seconds since 1970-01-01 in UTC.
        case time(UInt32)
        /// The numbers of a version, the most significant first.
        case version([UInt8])
    }

    /// The version: 1 or 2.
    public let version: UInt8
    /// Whether only holders of the key can read the objects.
    public let isEncrypted: Bool
    /// Whether the device sends when something happens, instead of regularly.
    public let isTriggered: Bool
    /// The device's address, if it is in the data.
    public let address: BluetoothAddress?
    /// The objects, in the order of the data; empty if they are encrypted.
    public let objects: [Object]
    /// The number that makes each encryption different; `nil` if the data are not encrypted.
    public let counter: UInt32?
    /// The octets from the first unknown or incomplete object on, or the encrypted ones.
    public let rest: [UInt8]
    private let data: ADServiceData

    /// Decodes service data; `nil` if they are of no known version of the format.
    public init?(_ data: ADServiceData) {
        var reader = ByteReader(data.data)
        switch data.uuid {
        case Self.service:
            guard let information = try? reader.uint8("device information"), information >> 5 == 2 else { return nil }
            version = 2
            isEncrypted = information & 0x01 != 0
            isTriggered = information & 0x04 != 0
            do throws(DecodeError) {
                address = information & 0x02 == 0 ? nil : try BluetoothAddress(from: &reader)
            } catch {
                return nil
            }
        case Version1.service, Version1.encryptedService:
            version = 1
            isEncrypted = data.uuid == Version1.encryptedService
            isTriggered = false
            address = nil
        default: return nil
        }
        self.data = data
        if isEncrypted {
            // The counter and the integrity check come last, with four octets each.
            guard let hidden = try? reader.bytes(max(0, reader.remaining - 8), "encrypted objects"),
                let counter = try? reader.uint32("counter")
            else { return nil }
            self.counter = counter
            guard let octets = data.decryption?.octets else {
                objects = []
                rest = hidden
                return
            }
            reader = ByteReader(octets)
        } else {
            counter = nil
        }
        objects = version == 1 ? Version1.objects(&reader) : Self.objects(&reader)
        rest = reader.rest()
        // The services of version 1 have other purposes, too. What is decrypted is of this format.
        guard version == 2 || isEncrypted || (rest.isEmpty && !objects.isEmpty) else { return nil }
    }

    /// The objects of version 2.
    private static func objects(_ reader: inout ByteReader) -> [Object] {
        var objects: [Object] = []
        while !reader.isAtEnd {
            var attempt = reader
            guard let id = try? attempt.uint8("object identifier"), let type = BTHomeObjectType.with(id: id),
                let value = try? type.value(&attempt)
            else { break }
            objects.append(Object(type: type, value: value))
            reader = attempt
        }
        return objects
    }

    /// How the objects are encrypted; `nil` if they are not.
    func seal(from sender: BluetoothAddress) -> AdvertisedSeal? {
        guard isEncrypted, let counter else { return nil }
        let octets = data.data
        // Version 2 begins with the device information, and an address if the device sends its own.
        let header = version == 1 ? 0 : address == nil ? 1 : 7
        guard octets.count >= header + 8 else { return nil }
        let nonce =
            (address ?? sender).octetsMostSignificantFirst
            + (version == 1 ? [0x1E, 0x18] : [0xD2, 0xFC, octets[0]]) + octets.suffix(8).prefix(4)
        return AdvertisedSeal(
            octets: Array(octets[header..<(octets.count - 8)]),
            cipher: .ccm(nonce: nonce, associated: version == 1 ? [0x11] : [], code: Array(octets.suffix(4))),
            counter: .init(value: counter, bits: 32)
        )
    }
}

extension BTHome.Object {
    /// The value without its unit.
    var fact: AdvertisedFact.Value {
        switch value {
        case .number(let number): .number(number)
        case .state(let state): .text(state ? type.states.on : type.states.off)
        case .event(let event, let steps):
            .text((type.events[event] ?? "event \(event)") + (steps.map { ", \(count: $0, "step")" } ?? ""))
        case .text(let text): .text(text)
        case .octets(let octets): .octets(octets)
        case .time(let seconds): .text(Self.text(ofTime: seconds))
        case .version(let numbers): .text(numbers.map { String($0) }.joined(separator: "."))
        }
    }

    private static func text(ofTime seconds: UInt32) -> String {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let clock = [rest / 3_600, rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(CivilDate(daysSinceEpoch: Int(days)))T\(clock.joined(separator: ":"))Z"
    }
}

extension BTHome: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "BTHome",
        kinds: ["bthome"],
        in: [.service(service), .service(Version1.service), .service(Version1.encryptedService)],
        keys: ["triggered", "counter", "address", "rest", "version"] + AdvertisedDecryption.keys,
        lists: [
            "measurements": ["value", "name", "unit", "id"]
        ]
    )

    public var title: String {
        data.decryption.title(version == 1 ? "BTHome v1" : "BTHome", isEncrypted: isEncrypted)
    }

    public var service: BluetoothUUID? { data.uuid }

    public var facts: [AdvertisedFact] {
        let measurements = objects.map { object in
            let type = object.type
            return [
                AdvertisedFact("value", object.fact, unit: type.unit, label: type.label, type.place),
                AdvertisedFact("name", type.name),
                AdvertisedFact("unit", type.unit.isEmpty ? nil : type.unit),
                AdvertisedFact("id", type.id),
            ]
        }
        return [AdvertisedFact("measurements", .list(measurements), .main)]
            + data.decryption.facts(isEncrypted: isEncrypted) + [
                AdvertisedFact("triggered", isTriggered, label: "sends on events"),
                AdvertisedFact("counter", counter),
                AdvertisedFact("address", address.map { "\($0)" }),
                AdvertisedFact("rest", rest.isEmpty ? nil : .octets(rest), label: "not decoded"),
                AdvertisedFact("version", version),
            ]
    }

    /// A device with many measurements sends them in parts.
    public func replaces(_ earlier: BTHome) -> Bool {
        objects.elementsEqual(earlier.objects) { $0.type.id == $1.type.id }
    }

    public var elements: [ADElement] { [.serviceData(data)] }
}
