// SPDX-License-Identifier: MIT

extension MiBeacon.Object {
    /// The values of the kinds of objects that came with version 5; `nil` if the object is none of them, or its length
    /// is not the one of its kind.
    var laterFacts: [AdvertisedFact]? {
        var reader = ByteReader(octets)
        do throws(DecodeError) {
            let facts: [AdvertisedFact]
            switch id {
            case 0x0003:
                // It is sent when something moves, and its octet says no more.
                _ = try reader.uint8("motion")
                facts = [AdvertisedFact("motion", true, .named)]
            case 0x101B:
                _ = try reader.uint32("idle time")
                facts = [AdvertisedFact("motion", false, .named)]
            case 0x4801, 0x4C01:
                let value = try Self.float(&reader, places: 2)
                facts = [AdvertisedFact("temperature_c", value, unit: "°C", label: "temperature", .main)]
            case 0x4802, 0x4C02:
                let value = AdvertisedNumber(try reader.uint8("humidity"))
                facts = [AdvertisedFact("humidity_percent", value, unit: "%", label: "humidity", .main)]
            case 0x4808, 0x4C08:
                let value = try Self.float(&reader, places: 2)
                facts = [AdvertisedFact("humidity_percent", value, unit: "%", label: "humidity", .main)]
            case 0x4803, 0x4C03:
                let value = try reader.uint8("battery charge")
                facts = [AdvertisedFact("battery_percent", value, unit: "%", label: "battery", .named)]
            case 0x4A01, 0x4E01: facts = [AdvertisedFact("battery_low", try reader.uint8("battery") != 0, .named)]
            case 0x4804, 0x4A12: facts = [try Self.door(&reader, [1: "open", 2: "closed"])]
            case 0x480C: facts = [try Self.door(&reader, [0: "open", 1: "closed"])]
            case 0x4A1A: facts = [try Self.door(&reader, [1: "left open"])]
            case 0x4805:
                let value = try Self.float(&reader, places: 2)
                facts = [AdvertisedFact("illuminance_lx", value, unit: "lx", .main)]
            case 0x4806: facts = [AdvertisedFact("water", try reader.uint8("water") != 0, .named)]
            case 0x4818:
                let value = try reader.uint16("idle time")
                facts = [AdvertisedFact("idle_s", value, unit: "s", label: "no motion for", .named)]
            case 0x483C, 0x484E: facts = [AdvertisedFact("occupancy", try reader.uint8("occupancy") == 1, .named)]
            case 0x4A08:
                let value = try Self.float(&reader, places: 2)
                facts = [
                    AdvertisedFact("motion", true, .named),
                    AdvertisedFact("illuminance_lx", value, unit: "lx", .main),
                ]
            case 0x4A0C, 0x4A0D, 0x4A0E:
                let names: [UInt16: String] = [0x4A0C: "press", 0x4A0D: "double press", 0x4A0E: "long press"]
                facts = [
                    AdvertisedFact("button", names[id], .named),
                    AdvertisedFact("button_number", try reader.uint8("button")),
                ]
            default: return nil
            }
            return reader.isAtEnd ? facts : nil
        } catch {
            return nil
        }
    }

    private static func door(
        _ reader: inout ByteReader,
        _ names: [UInt8: String]
    ) throws(DecodeError) -> AdvertisedFact {
        let state = try reader.uint8("door")
        return AdvertisedFact("door", names[state] ?? "\(state)", .named)
    }

    /// A floating-point number of four octets, rounded; `nil` if it is none, or too large.
    private static func float(
        _ reader: inout ByteReader,
        places: Int
    ) throws(DecodeError) -> AdvertisedNumber? {
        let value = Double(Float(bitPattern: try reader.uint32("number")))
        let scaled = (0..<places).reduce(value) { value, _ in value * 10 }.rounded()
        guard scaled.magnitude < 1e15 else { return nil }
        return AdvertisedNumber(Int64(scaled), exponent: -places)
    }
}
