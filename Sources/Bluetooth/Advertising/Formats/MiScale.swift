// SPDX-License-Identifier: MIT

/// A measurement of a scale of Xiaomi: Mi Scale, or Mi Body Composition Scale.
///
/// The services are those of the Weight Scale and of the Body Composition profiles. The data are recognised by their
/// length, and others of that length by an impossible date.
///
/// Spec: github.com/Bluetooth-Devices/xiaomi-ble and github.com/wiecosystem/Bluetooth (there is no specification)
public struct MiScale: Hashable, Sendable {
    /// The service of the scale that only weighs.
    public static let weightService: BluetoothUUID = 0x181D
    /// The service of the scale that also measures impedance.
    public static let compositionService: BluetoothUUID = 0x181B

    /// The unit that the scale shows.
    public enum Unit: String, Hashable, Sendable {
        /// The kilogram.
        case kilogram = "kg"
        /// The pound of 16 ounces.
        case pound = "lb"
        /// The Chinese pound, half a kilogram.
        case jin
    }

    /// The unit that the scale shows.
    public let unit: Unit
    /// The weight: in pounds if the scale shows pounds, otherwise in kilograms.
    public let weight: AdvertisedNumber
    /// The impedance in ohms; `nil` if it has not been measured.
    public let impedance: UInt16?
    /// Whether the weight has stopped changing.
    public let isStable: Bool
    /// Whether nobody stands on the scale any more.
    public let isRemoved: Bool
    /// The scale's own date and time, as ISO 8601.
    public let time: String
    private let data: ADServiceData

    /// Decodes service data; `nil` if they are not those of a scale.
    public init?(_ data: ADServiceData) {
        var reader = ByteReader(data.data)
        do throws(DecodeError) {
            switch (data.uuid, data.data.count) {
            case (Self.weightService, 10):
                let control = try reader.uint8("control")
                unit = control & 0x01 != 0 ? .pound : control & 0x10 != 0 ? .jin : .kilogram
                isStable = control & 0x20 != 0
                isRemoved = control & 0x80 != 0
                weight = Self.weight(try reader.uint16("weight"), unit)
                guard let time = try Self.time(&reader) else { return nil }
                self.time = time
                impedance = nil
            case (Self.compositionService, 13):
                let unit = try reader.uint8("unit")
                let control = try reader.uint8("control")
                self.unit = unit & 0x01 != 0 ? .pound : control & 0x40 != 0 ? .jin : .kilogram
                isStable = control & 0x20 != 0
                isRemoved = control & 0x80 != 0
                guard let time = try Self.time(&reader) else { return nil }
                self.time = time
                let impedance = try reader.uint16("impedance")
                self.impedance = control & 0x02 != 0 ? impedance : nil
                weight = Self.weight(try reader.uint16("weight"), self.unit)
            default: return nil
            }
        } catch {
            return nil
        }
        self.data = data
    }

    /// Pounds and jin are sent in hundredths, kilograms in halves of hundredths. A jin is half a kilogram.
    private static func weight(_ number: UInt16, _ unit: Unit) -> AdvertisedNumber {
        unit == .pound ? AdvertisedNumber(number, exponent: -2) : AdvertisedNumber(Int(number) * 5, exponent: -3)
    }

    /// The date and the time; `nil` if there is no such date.
    private static func time(_ reader: inout ByteReader) throws(DecodeError) -> String? {
        let year = try reader.uint16("year")
        let rest = try reader.bytes(5, "date and time").map { Int($0) }
        guard (1...9_999).contains(year), (1...12).contains(rest[0]), (1...31).contains(rest[1]), rest[2] < 24,
            rest[3] < 60, rest[4] < 60
        else { return nil }
        let digits = rest.map { $0 < 10 ? "0\($0)" : "\($0)" }
        let number = "\(year)"
        let zeros = String(repeating: "0", count: 4 - number.utf8.count)
        return "\(zeros)\(number)-\(digits[0])-\(digits[1])T\(digits[2]):\(digits[3]):\(digits[4])"
    }
}

extension MiScale: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Mi Scale",
        kinds: ["mi-scale"],
        in: [.service(weightService), .service(compositionService)],
        keys: ["weight_kg", "weight_lb", "impedance_ohm", "stable", "removed", "display_unit", "time"]
    )

    public var title: String { data.uuid == Self.weightService ? "Mi Scale" : "Mi Body Composition Scale" }

    public var service: BluetoothUUID? { data.uuid }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("weight_kg", unit == .pound ? nil : weight, unit: "kg", label: "weight", .main),
            AdvertisedFact("weight_lb", unit == .pound ? weight : nil, unit: "lb", label: "weight", .main),
            AdvertisedFact("impedance_ohm", impedance, unit: "Ω", label: "impedance", .main),
            AdvertisedFact("stable", isStable, .named),
            AdvertisedFact("removed", isRemoved, .named),
            AdvertisedFact("display_unit", unit.rawValue),
            AdvertisedFact("time", time),
        ]
    }

    public var elements: [ADElement] { [.serviceData(data)] }
}
