// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import Testing

@Suite("Descriptor values")
struct DescriptorValueTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let uuid: BluetoothUUID
        let bytes: String
        let text: String
        let tree: String

        init(_ uuid: BluetoothUUID, _ bytes: String, _ text: String, _ tree: String) {
            self.uuid = uuid
            self.bytes = bytes
            self.text = text
            self.tree = tree
        }

        var testDescription: String { "\(uuid) \(bytes)" }
    }

    static let vectors: [Vector] = [
        Vector(0x2800, "0D 18", "0x180D", #"{"service":"0x180D"}"#),
        Vector(
            0x2801,
            "9E CA DC 24 0E E5 A9 E0 93 F3 A3 B5 01 00 40 6E",
            "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
            #"{"service":"6e400001-b5a3-f393-e0a9-e50e24dcca9e"}"#
        ),
        Vector(
            0x2802,
            "01 00 05 00 0F 18",
            "service handle 0x0001, end handle 0x0005, service 0x180F",
            #"{"service_handle":1,"end_handle":5,"service":"0x180F"}"#
        ),
        Vector(
            0x2802,
            "01 00 05 00",
            "service handle 0x0001, end handle 0x0005",
            #"{"service_handle":1,"end_handle":5,"service":null}"#
        ),
        Vector(
            0x2803,
            "12 03 00 37 2A",
            "properties read + notify, value handle 0x0003, characteristic 0x2A37",
            #"{"properties":["read","notify"],"value_handle":3,"characteristic":"0x2A37"}"#
        ),
        Vector(0x2900, "01 00", "reliable write", #"{"extended_properties":["reliable write"]}"#),
        Vector(0x2901, "52 61 74 65", "Rate", #""Rate""#),
        Vector(0x2902, "00 00", "none", #"{"configuration":[]}"#),
        Vector(0x2902, "03 00", "notifications + indications", #"{"configuration":["notifications","indications"]}"#),
        Vector(0x2902, "04 00", "reserved (bit 2)", #"{"configuration":["reserved (bit 2)"]}"#),
        Vector(0x2903, "01 00", "broadcasts", #"{"configuration":["broadcasts"]}"#),
        Vector(
            0x2904,
            "0E FB AC 27 01 00 00",
            "sint16 × 10^-5, thermodynamic temperature (degree Fahrenheit)",
            #"{"format":"sint16","exponent":-5,"unit":"0x27AC","#
                + #""unit_name":"thermodynamic temperature (degree Fahrenheit)","namespace":1,"description":0,"#
                + #""description_name":"unknown"}"#
        ),
        Vector(
            0x2904,
            "FF 00 00 30 02 01 00",
            "reserved (0xFF), unit 0x3000",
            #"{"format":"reserved (0xFF)","exponent":0,"unit":"0x3000","unit_name":null,"namespace":2,"#
                + #""description":1,"description_name":null}"#
        ),
        Vector(0x2905, "05 00 08 00", "0x0005 + 0x0008", #"{"formats":[5,8]}"#),
        Vector(0x2907, "19 2A", "0x2A19", #"{"characteristic":"0x2A19"}"#),
        Vector(0x2908, "02 01", "report id 2, report type input", #"{"report_id":2,"report_type":"input"}"#),
        Vector(0x2909, "04", "4", #"{"number_of_digitals":4}"#),
        Vector(0x290B, "01", "any of them", #"{"triggers":"any of them"}"#),
        Vector(
            0x290C,
            "00 00 01 00 00 00 3C 00 00 02 04",
            "sampling function instantaneous, measurement period not in use, update interval 60 s, application 2, "
                + "uncertainty 2 %",
            #"{"sampling_function":"instantaneous","measurement_period_s":null,"update_interval_s":60,"#
                + #""application":2,"uncertainty_percent":2}"#
        ),
        Vector(
            0x290D,
            "06 64 00",
            "condition greater than, operand 6400",
            #"{"condition":"greater than","operand":"6400"}"#
        ),
    ]

    @Test("each value has its meaning", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let value = try #require(try DescriptorValue.decode(hex(vector.bytes), of: vector.uuid))
        #expect(value.text == vector.text)
        #expect(json(value.content) == vector.tree)
        #expect(value.surplus.isEmpty)
    }

    @Test(
        "a truncated value is an error",
        arguments: [
            (0x2800, "0D"), (0x2800, ""), (0x2800, "01 02 03"), (0x2802, "01 00 05"), (0x2802, "01 00 05 00 0F"),
            (0x2803, "12 03 00"), (0x2803, "12 03 00 37"), (0x2900, "01"), (0x2902, ""), (0x2902, "01"),
            (0x2904, "0E FB AC 27 01 00"), (0x2905, "05 00 08"), (0x2907, "19"), (0x2908, "02"), (0x290C, "00 00 01"),
        ] as [(UInt16, String)]
    )
    func truncated(uuid: UInt16, bytes: String) {
        #expect(throws: DecodeError.self) { try DescriptorValue.decode(hex(bytes), of: BluetoothUUID(uuid)) }
    }

    @Test("a valid range has the format of its characteristic")
    func validRange() throws {
        let range = try #require(try DescriptorValue.decode(hex("18 FC A0 0F"), of: 0x2906, characteristic: 0x2A6E))
        #expect(range.text == "-10 °C to 40 °C")
        #expect(json(range.content) == #"{"lower":{"temperature_c":-10},"upper":{"temperature_c":40}}"#)
        let unknown = try #require(try DescriptorValue.decode(hex("18 FC A0 0F"), of: 0x2906))
        #expect(unknown.text == "18fca00f")
        let odd = try #require(
            DescriptorValue.decodeAsFarAsPossible(hex("18 FC A0"), of: 0x2906, characteristic: 0x2A6E)
        )
        #expect(odd.fullText == "18fca0, valid range: an odd number of octets is not two values")
        let short = try #require(
            DescriptorValue.decodeAsFarAsPossible(hex("18 FC"), of: 0x2906, characteristic: 0x2A6E)
        )
        #expect(short.fullText == "18fc, valid range: it is not two values of the characteristic")
        let empty = try #require(DescriptorValue.decodeAsFarAsPossible([], of: 0x2906, characteristic: 0x2A6E))
        #expect(empty.text == "" && empty.fault?.isEnd == true)
    }

    @Test("the present part of a truncated value is decoded")
    func cutOff() throws {
        let declaration = try #require(DescriptorValue.decodeAsFarAsPossible(hex("12 03 00 37"), of: 0x2803))
        #expect(
            declaration.fullText
                == "properties read + notify, value handle 0x0003, "
                + "cut off at characteristic (needs 2 octets, 1 is left)"
        )
        #expect(
            json(declaration.content) == #"{"properties":["read","notify"],"value_handle":3,"characteristic":null}"#
        )
        let format = try #require(DescriptorValue.decodeAsFarAsPossible(hex("0E FB AC 27 01"), of: 0x2904))
        #expect(
            format.fullText
                == "sint16 × 10^-5, thermodynamic temperature (degree Fahrenheit), "
                + "cut off at description (needs 2 octets, none is left)"
        )
        #expect(format.content["namespace"] == .number(1) && format.content["description"] == .null)
        let long = try #require(DescriptorValue.decodeAsFarAsPossible(hex("19 2A 00"), of: 0x2907))
        #expect(long.fault?.description == "characteristic: a UUID has 2 or 16 octets, not 3")
    }

    @Test("an unknown descriptor has no decoded value")
    func unknown() throws {
        #expect(try DescriptorValue.decode([1, 2], of: 0x2999) == nil)
        #expect(try DescriptorValue.decode([1, 2], of: BluetoothUUID(bits128: 1)) == nil)
    }

    @Test("random octets never trap")
    func randomOctets() {
        var generator = SeededGenerator(seed: 2904)
        for short: UInt16 in 0x2800...0x2920 {
            for _ in 0..<200 {
                _ = try? DescriptorValue.decode(
                    generator.bytes(upTo: 24),
                    of: BluetoothUUID(short),
                    characteristic: BluetoothUUID(0x2A37)
                )
            }
        }
    }
}

@Suite("Characteristic Presentation Format (0x2904)")
struct PresentationFormatTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let format: UInt8
        let exponent: Int8
        let unit: BluetoothUUID
        let bytes: String
        let text: String
        let value: String

        init(_ format: UInt8, _ exponent: Int8, _ unit: BluetoothUUID, _ bytes: String, _ text: String, _ value: String)
        {
            self.format = format
            self.exponent = exponent
            self.unit = unit
            self.bytes = bytes
            self.text = text
            self.value = value
        }

        var testDescription: String { "format \(format) \(bytes)" }
    }

    static let vectors: [Vector] = [
        Vector(0x0E, -5, 0x27AC, "25 F0", "-0.04059 °F", "-0.04059"),
        Vector(0x01, 0, 0x2700, "01", "true", "true"),
        Vector(0x02, 0, 0x2700, "FF", "3", "3"),
        Vector(0x03, 0, 0x2700, "FF", "15", "15"),
        Vector(0x04, 0, 0x27AD, "57", "87 %", "87"),
        Vector(0x05, 0, 0x2700, "FF FF", "4095", "4095"),
        Vector(0x06, -2, 0x272F, "66 08", "21.5 °C", "21.5"),
        Vector(0x06, 3, 0x2725, "05 00", "5000 J", "5000"),
        Vector(0x07, 0, 0x2700, "01 00 01", "65537", "65537"),
        Vector(0x08, 0, 0x2700, "FF FF FF FF", "4294967295", "4294967295"),
        Vector(0x09, 0, 0x2700, "01 00 00 00 00 01", "1099511627777", "1099511627777"),
        Vector(0x0A, 0, 0x2700, "FF FF FF FF FF FF FF FF", "18446744073709551615", "18446744073709551615"),
        Vector(
            0x0B,
            0,
            0x2700,
            "FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF",
            "340282366920938463463374607431768211455",
            "340282366920938463463374607431768211455"
        ),
        Vector(0x0C, 0, 0x272F, "F6", "-10 °C", "-10"),
        Vector(0x0D, 0, 0x2700, "FF 0F", "-1", "-1"),
        Vector(0x0F, 0, 0x2700, "FE FF FF", "-2", "-2"),
        Vector(0x10, 0, 0x2700, "FE FF FF FF", "-2", "-2"),
        Vector(0x11, 0, 0x2700, "FE FF FF FF FF FF", "-2", "-2"),
        Vector(0x12, 0, 0x2700, "FE FF FF FF FF FF FF FF", "-2", "-2"),
        Vector(0x13, 0, 0x2700, "FE FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF", "-2", "-2"),
        Vector(0x14, 0, 0x2728, "66 66 12 42", "36.6 V", "36.6"),
        Vector(0x15, 0, 0x2700, "9A 99 99 99 99 99 B9 3F", "0.1", "0.1"),
        Vector(0x16, 0, 0x2781, "72 F3", "88.2 mmHg", "88.2"),
        Vector(0x17, 0, 0x272F, "6E 01 00 FF", "36.6 °C", "36.6"),
        Vector(0x17, 0, 0x272F, "FF FF 7F 00", "not a number", "null"),
        Vector(0x18, 0, 0x2700, "01 00 02 00", "1 2", "[1,2]"),
        Vector(0x19, 0, 0x2700, "68 69", "hi", #""hi""#),
        Vector(0x1A, 0, 0x2700, "68 00 69 00", "hi", #""hi""#),
        Vector(0x1B, 0, 0x2700, "01 02", "0102", #""0102""#),
        Vector(0xFF, 0, 0x2700, "01 02", "0102", #""0102""#),
    ]

    @Test("values are read in every format", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let format = PresentationFormat(
            format: .init(rawValue: vector.format),
            exponent: vector.exponent,
            unit: vector.unit
        )
        let value = try format.decode(hex(vector.bytes))
        #expect(value.text == vector.text)
        #expect(json(value.content["value"]) == vector.value)
    }

    @Test("truncated numbers are errors in every format", arguments: UInt8(1)...0x18)
    func truncated(format: UInt8) throws {
        let format = PresentationFormat(format: .init(rawValue: format))
        let size = try #require((0...16).first { (try? format.decode([UInt8](repeating: 0, count: $0))) != nil })
        #expect(size >= 1)
        #expect(try format.decode([UInt8](repeating: 0, count: size + 1)).surplus == [0])
        let cut = format.decodeAsFarAsPossible([UInt8](repeating: 0, count: size - 1))
        #expect(cut.content == .object([.init("value", .null), .init("unit", .null)]))
        #expect(cut.fault?.isEnd == true && cut.fault?.pathText == "value")
    }

    @Test("decodes and encodes octet for octet")
    func roundTrip() throws {
        let bytes = hex("06 FE 2F 27 01 0C 01")
        let format = try PresentationFormat(decoding: bytes)
        #expect(format.encoded() == bytes)
        #expect(format.unit == 0x272F)
        #expect(format.exponent == -2)
        #expect(format.format.description == "uint16")
    }

    @Test("random formats of random values never trap")
    func randomOctets() throws {
        var generator = SeededGenerator(seed: 0x2904)
        for _ in 0..<20_000 {
            let bytes = (0..<7).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let format = try PresentationFormat(decoding: bytes)
            _ = try? format.decode(generator.bytes(upTo: 20))
        }
    }
}
