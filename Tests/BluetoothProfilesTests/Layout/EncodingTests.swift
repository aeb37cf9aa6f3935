// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Encoding of characteristic values")
struct EncodingTests {
    typealias Content = DecodedValue.Content

    static func encode(_ uuid: BluetoothUUID, _ content: Content) throws -> String {
        let format = try #require(CharacteristicFormat.of(uuid))
        return Hex.string(try format.encode(content))
    }

    static func object(_ members: (String, Content)...) -> Content { .object(members.map { .init($0.0, $0.1) }) }

    static func number(_ text: String) -> Content { DecimalNumber(text).map { .number($0) } ?? .null }

    @Test("flags follow from the members that are there")
    func flags() throws {
        let rate = ("heart_rate_bpm", Content.number(72))
        #expect(try Self.encode(0x2A37, Self.object(rate)) == "0048")
        #expect(try Self.encode(0x2A37, Self.object(rate, ("contact", .bool(true)))) == "0648")
        #expect(try Self.encode(0x2A37, Self.object(("contact", .bool(false)), rate)) == "0448")
        #expect(try Self.encode(0x2A37, Self.object(rate, ("energy_expended_kj", .null))) == "0048")
        #expect(try Self.encode(0x2A37, Self.object(("heart_rate_bpm", .number(300)))) == "012c01")
        let intervals = Content.array([Self.number("833.0078125"), .number(500)])
        #expect(try Self.encode(0x2A37, Self.object(rate, ("rr_intervals_ms", intervals))) == "104855030002")
        #expect(try Self.encode(0x2A9D, Self.object(("weight_kg", .number(75)))) == "00983a")
        #expect(try Self.encode(0x2A9D, Self.object(("weight_lb", Self.number("165.4")))) == "019c40")
        #expect(
            try Self.encode(0x2AD2, Self.object(("speed_kmh", .number(20)), ("power_w", .number(250))))
                == "4000d007fa00"
        )
        #expect(
            try Self.encode(0x2AD2, Self.object(("more_data", .bool(true)), ("power_w", .number(250)))) == "4100fa00"
        )
    }

    @Test("numbers are rounded to the resolution of the field")
    func rounding() throws {
        #expect(try Self.encode(0x2A6E, Self.number("21.504")) == "6608")
        #expect(try Self.encode(0x2A6E, Self.number("21.505")) == "6708")
        #expect(try Self.encode(0x2A6E, Self.number("-273.15")) == "4d95")
        #expect(try Self.encode(0x2A1C, Self.object(("temperature_c", Self.number("36.6")))) == "006e0100ff")
        #expect(try Self.encode(0x2BD6, .number(120)) == "0c80")
        #expect(try Self.encode(0x2B13, Self.number("0.98")) == "40")
    }

    @Test("a format with a single member takes its content without the key")
    func alone() throws {
        #expect(try Self.encode(0x2A19, .number(87)) == "57")
        #expect(try Self.encode(0x2A19, Self.object(("battery_level_percent", .number(87)))) == "57")
        #expect(try Self.encode(0x2A06, .string("high alert")) == "02")
        #expect(try Self.encode(0x2A06, .string("High-Alert")) == "02")
        #expect(try Self.encode(0x2A06, .number(2)) == "02")
        #expect(try Self.encode(0x2A00, .string("Polar")) == "506f6c6172")
        #expect(try Self.encode(0x2A01, .number(833)) == "4103")
        #expect(try Self.encode(0x2A01, .string("heart-rate-belt")) == "4103")
        #expect(try Self.encode(0x2A3F, .array([.string("ringer active"), .string("display alert active")])) == "05")
        #expect(try Self.encode(0x2A08, .string("2026-11-22T10:00:00")) == "ea070b160a0000")
    }

    @Test("special values are written by their text, or as null if only one is possible")
    func special() throws {
        #expect(try Self.encode(0x2A6F, .string("not known")) == "ffff")
        #expect(try Self.encode(0x2A6F, .null) == "ffff")
        #expect(try Self.encode(0x2B8C, .string("65534 or more")) == "feff")
        #expect(try Self.encode(0x2A21, .string("not periodic")) == "0000")
        #expect(try Self.encode(0x2A1C, Self.object(("temperature_c", .string("-infinity")))) == "0002008000")
        #expect(try Self.encode(0x2BEF, .string("not known")) == "000000")
        #expect(try Self.encode(0x2A38, .string("reserved (99)")) == "63")
    }

    @Test("a format with two forms is encoded in the later one")
    func later() throws {
        let members = [("speed_kmh", Content.number(20)), ("resistance_level", Content.number(5))]
        #expect(try Self.encode(0x2AD2, .object(members.map { .init($0.0, $0.1) })) == "2000d00705")
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        let uuid: BluetoothUUID
        let content: DecodedValue.Content
        let message: String

        init(_ uuid: BluetoothUUID, _ content: DecodedValue.Content, _ message: String) {
            self.uuid = uuid
            self.content = content
            self.message = message
        }

        var testDescription: String { message }
    }

    static let mistakes: [Mistake] = [
        Mistake(
            0x2A37,
            object(("heart_rate_bpm", .number(70_000))),
            "heart_rate_bpm: 70000 is not between 0 and 65535"
        ),
        Mistake(
            0x2A37,
            object(("heart_rate", .number(72))),
            "heart_rate is not a member; did you mean heart_rate_bpm?"
        ),
        Mistake(
            0x2A37,
            object(("contact", .bool(true))),
            "heart_rate_bpm is missing; it takes a number between 0 and 65535"
        ),
        Mistake(
            0x2A37,
            object(("heart_rate_bpm", .string("fast"))),
            "heart_rate_bpm: 'fast' is not a number between 0 and 65535"
        ),
        Mistake(
            0x2A37,
            object(("heart_rate_bpm", .number(72)), ("rr_intervals_ms", .array([.number(800), .number(64_000)]))),
            "rr_intervals_ms[1]: 64000 is not between 0 and 63999.0234375"
        ),
        Mistake(
            0x2A37,
            .number(72),
            "72 is not an object with heart_rate_bpm, contact, energy_expended_kj, rr_intervals_ms"
        ),
        Mistake(0x2A6F, .number(700), "humidity_percent: 700 is not between 0 and 100"),
        Mistake(0x2A6F, .string("wet"), "humidity_percent: 'wet' is not a number between 0 and 100 or 'not known'"),
        Mistake(0x2A19, .number(101), "battery_level_percent: 101 is not between 0 and 100"),
        Mistake(
            0x2A06,
            .string("loud"),
            "alert_level: 'loud' is not one of 'no alert', 'mild alert', 'high alert', or a number"
        ),
        Mistake(
            0x2A9D,
            object(("weight_kg", .number(75)), ("weight_lb", .number(165))),
            "weight_lb is not possible together with weight_kg"
        ),
        Mistake(
            0x2A67,
            object(("latitude_degrees", .number(52))),
            "longitude_degrees is missing; it takes a number between -214.7483648 and 214.7483647"
        ),
        Mistake(
            0x2A3F,
            .array([.string("ringer active"), .string("buzzer")]),
            "alert_status[1]: 'buzzer' is not one of 'ringer active', 'vibration active', 'display alert active'"
        ),
        Mistake(
            0x2AA7,
            object(("records", .array([object(("glucose_mg_per_dl", .number(100)))]))),
            "records[0].time_offset_min is missing; it takes a number between 0 and 65535"
        ),
        Mistake(0x2A08, .string("2026-02-30"), "date_time: '2026-02-30' is not a time like '2026-05-17T13:45:09'"),
        Mistake(0x2A2A, .string("abc"), "regulatory_certification_data: 'abc' is not an even number of hex digits"),
        Mistake(0x2AF8, .string("nine char"), "text: 'nine char' does not fit 8 octets"),
        Mistake(0x2A00, .number(1), "1 is not a text"),
        Mistake(
            0x2A01,
            object(("appearance", .number(833)), ("appearance_name", .string("Watch"))),
            "appearance_name: 'Watch' is not 'Heart Rate Belt', which the other members say"
        ),
    ]

    @Test("an error names the path, the value and what is allowed", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let format = try #require(CharacteristicFormat.of(mistake.uuid))
        do throws(FieldError) {
            let octets = try format.encode(mistake.content)
            Issue.record("encodes as \(Hex.string(octets))")
        } catch {
            #expect(error.description == mistake.message)
        }
    }
}
