// SPDX-License-Identifier: MIT

/// The measurements of a sensor in the open format BTHome, version 2.
///
/// Objects are decoded until one is unknown or cut short, because only known ones have a known length.
///
/// Spec: bthome.io, format v2
public struct BTHome: Hashable, Sendable {
    /// The service whose data contain the format.
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
    private let octets: [UInt8]

    /// Decodes service data; `nil` if they are not of version 2 of the format.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        var reader = ByteReader(data.data)
        guard let information = try? reader.uint8("device information"), information >> 5 == 2 else { return nil }
        isEncrypted = information & 0x01 != 0
        isTriggered = information & 0x04 != 0
        do throws(DecodeError) {
            address = information & 0x02 == 0 ? nil : try BluetoothAddress(from: &reader)
        } catch {
            return nil
        }
        octets = data.data
        guard !isEncrypted else {
            objects = []
            // The counter and the integrity check come last, with four octets each.
            guard let hidden = try? reader.bytes(max(0, reader.remaining - 8), "encrypted objects"),
                let counter = try? reader.uint32("counter")
            else { return nil }
            self.counter = counter
            rest = hidden
            return
        }
        counter = nil
        var objects: [Object] = []
        while !reader.isAtEnd {
            var attempt = reader
            guard let id = try? attempt.uint8("object identifier"), let type = BTHomeObjectType.with(id: id),
                let value = try? type.value(&attempt)
            else { break }
            objects.append(Object(type: type, value: value))
            reader = attempt
        }
        self.objects = objects
        rest = reader.rest()
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
        in: [.service(service)],
        keys: ["encrypted", "triggered", "counter", "address", "rest"],
        lists: [
            "measurements": ["value", "name", "unit", "id"]
        ]
    )

    public var title: String { isEncrypted ? "BTHome, encrypted" : "BTHome" }

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
        return [
            AdvertisedFact("measurements", .list(measurements), .main),
            AdvertisedFact("encrypted", isEncrypted),
            AdvertisedFact("triggered", isTriggered, label: "sends on events"),
            AdvertisedFact("counter", counter),
            AdvertisedFact("address", address.map { "\($0)" }),
            AdvertisedFact("rest", rest.isEmpty ? nil : .octets(rest), label: "not decoded"),
        ]
    }

    /// A device with many measurements sends them in parts.
    public func replaces(_ earlier: BTHome) -> Bool {
        objects.elementsEqual(earlier.objects) { $0.type.id == $1.type.id }
    }

    public var elements: [ADElement] { [.serviceData(ADServiceData(Self.service, octets))] }
}
