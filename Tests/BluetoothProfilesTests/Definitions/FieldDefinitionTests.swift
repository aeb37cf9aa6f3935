// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Definitions of private fields")
struct FieldDefinitionTests {
    /// Definitions, octets, and the text that they decode to.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [FieldDefinition]
        let octets: String
        let text: String
    }

    private static func hundredths(_ integer: FieldDefinition.Integer) -> FieldDefinition.Kind {
        .number(integer, .init(factor: DecimalNumber(1, exponent: -2)))
    }

    @Test(arguments: [
        // 0x0834 is 2100, of which each is 0.01 °C; 0x64 is 100 halves of a percent.
        Case(
            testDescription: "scaled numbers",
            fields: [
                FieldDefinition("temperature", hundredths(.s16), unit: "celsius"),
                FieldDefinition("humidity", .number(.u8, .init(binaryExponent: -1)), unit: "%"),
            ],
            octets: "340864",
            text: "temperature 21 °C, humidity 50 %"
        ),
        // 200 × 0.25 - 100 is -50; a negative factor turns the sign: 3 × -2 is -6.
        Case(
            testDescription: "offset and sign",
            fields: [
                FieldDefinition(
                    "level",
                    .number(.u8, .init(factor: DecimalNumber(25, exponent: -2), offset: DecimalNumber(-100))),
                    unit: "mV"
                ),
                FieldDefinition("slope", .number(.u8, .init(factor: DecimalNumber(-2)))),
            ],
            octets: "c803",
            text: "level -50 mV, slope -6"
        ),
        Case(
            testDescription: "flags announce fields, and are fields",
            fields: [
                FieldDefinition("", .flags(.u8, [.init("open", 7...7)])),
                FieldDefinition("a", .number(.u8), if: .init(set: [0])),
                FieldDefinition("b", .number(.u8), if: .init(clear: [0])),
                FieldDefinition("c", .number(.u8), if: .init(set: [1], clear: [0])),
            ],
            octets: "820507",
            text: "open yes, b 5, c 7"
        ),
        // 0x0123: bits 0 to 3 are 3, bits 4 and 5 are 2, bit 8 is set.
        Case(
            testDescription: "parts of a word",
            fields: [
                FieldDefinition(
                    "",
                    .word(
                        .u16,
                        [
                            .init("channel", 0...3), .init("range", 4...5, names: [0: "1 V", 2: "100 V"]),
                            .init("alarm", 8...8),
                        ]
                    )
                )
            ],
            octets: "2301",
            text: "channel 3, range 100 V, alarm yes"
        ),
        Case(
            testDescription: "parts of all bits of a word",
            fields: [
                FieldDefinition("", .word(.u64, [.init("serial", 0...63)])),
                FieldDefinition("", .word(.u64, [.init("state", 0...63, names: [0: "none", .max: "all"])])),
            ],
            octets: "ffffffffffffffffffffffffffffffff",
            text: "serial 18446744073709551615, state all"
        ),
        Case(
            testDescription: "op codes",
            fields: [
                FieldDefinition("", .flags(.u8, [.init("command", 0...7, names: [1: "set", 2: "get"])])),
                FieldDefinition("value", .number(.u16), if: .init(opCodes: [1])),
                FieldDefinition("index", .number(.u8), if: .init(opCodes: [2])),
            ],
            octets: "0209",
            text: "command get, index 9"
        ),
        Case(
            testDescription: "an op code without a name",
            fields: [
                FieldDefinition("", .flags(.u8, [])),
                FieldDefinition("value", .number(.u16), if: .init(opCodes: [1])),
                FieldDefinition("index", .number(.u8), if: .init(opCodes: [2])),
            ],
            octets: "0209",
            text: "index 9"
        ),
        Case(
            testDescription: "names, special values, text",
            fields: [
                FieldDefinition("mode", .choice(.u8, [0: "off", 1: "on"])),
                FieldDefinition("alarms", .bits(.u8, ["low", "", "high"])),
                FieldDefinition("charge", .number(.u8, special: [0xFF: "not known"]), unit: "percent"),
                FieldDefinition("label", .text()),
            ],
            octets: "0105ff4869",
            text: "mode on, alarms low + high, charge not known, label Hi"
        ),
        Case(
            testDescription: "a list of objects",
            fields: [
                FieldDefinition("", .skipped(1)),
                FieldDefinition(
                    "records",
                    .list([FieldDefinition("x", .number(.u8)), FieldDefinition("y", .number(.s8))])
                ),
            ],
            octets: "0001ff02fe",
            text: "x 1, y -1 + x 2, y -2"
        ),
    ])
    func `a definition decodes, and encodes to the same octets`(_ item: Case) throws {
        let format = try CharacteristicFormat(item.fields)
        let octets = try #require(Hex.bytes(item.octets))
        let value = try format.decode(octets)
        #expect(value.text == item.text)
        #expect(try format.encode(value.content) == octets)
        #expect(!format.fields.isEmpty)
    }

    /// Definitions that are faulty, and the fault.
    struct Fault: Sendable, CustomTestStringConvertible {
        let fields: [FieldDefinition]
        let testDescription: String
    }

    @Test(arguments: [
        Fault(fields: [], testDescription: "no field has a name"),
        Fault(fields: [FieldDefinition("", .skipped(1))], testDescription: "no field has a name"),
        Fault(
            fields: [FieldDefinition("a", .number(.u8)), FieldDefinition("A", .number(.u8))],
            testDescription: "field 1: two fields have the key 'a'"
        ),
        Fault(
            fields: [FieldDefinition("a", .number(.u8), if: .init(set: [0]))],
            testDescription: "field 0: it depends on flags, and there are none before it"
        ),
        Fault(
            fields: [FieldDefinition("", .flags(.u8, [])), FieldDefinition("a", .number(.u8), if: .init(set: [8]))],
            testDescription: "field 1: the flags have the bits 0 to 7, and not 8"
        ),
        Fault(
            fields: [FieldDefinition("", .word(.u8, [.init("a", 7...8)]))],
            testDescription: "field 0: u8 has the bits 0 to 7"
        ),
        Fault(
            fields: [FieldDefinition("a", .text()), FieldDefinition("b", .number(.u8))],
            testDescription: "field 0: it reaches to the end of the value, so that it must be the last field"
        ),
        Fault(
            fields: [FieldDefinition("a", .number(.u8), isOptional: true), FieldDefinition("b", .number(.u8))],
            testDescription: "field 0: only the last field may be missing without a flag"
        ),
        Fault(
            fields: [FieldDefinition("a", .list([FieldDefinition("b", .hex())]))],
            testDescription: "field 0.0: an element of a list cannot reach to the end of the value"
        ),
        Fault(
            fields: [FieldDefinition("a", .list([FieldDefinition("b", .number(.u8), isOptional: true)]))],
            testDescription: "field 0: an element of the list may be empty"
        ),
        Fault(
            fields: [FieldDefinition("a", .choice(.u8, [256: "x"]))],
            testDescription: "field 0: the value 256 does not fit u8"
        ),
        Fault(
            fields: [FieldDefinition("a", .number(.u8, .init(factor: .zero)))],
            testDescription: "field 0: the scale 0 is not between 1e-40 and 1e20, or has too many digits"
        ),
        Fault(
            fields: [FieldDefinition("a", .number(.u8, .init(binaryExponent: 65)))],
            testDescription: "field 0: the binary exponent 65 is not between -64 and 64"
        ),
        Fault(
            fields: [FieldDefinition("-", .number(.u8))],
            testDescription: "field 0: the name '-' has neither a letter nor a digit"
        ),
        Fault(
            fields: [FieldDefinition("a", .hex(octets: 513))],
            testDescription: "field 0: a value has 1 to 512 octets, and not 513"
        ),
    ])
    func `a faulty definition is refused`(_ fault: Fault) {
        #expect {
            _ = try CharacteristicFormat(fault.fields)
        } throws: { error in
            "\(error)" == fault.testDescription
        }
    }

    @Test func `lists inside of each other are bounded`() {
        var field = FieldDefinition("a", .number(.u8))
        for _ in 0..<20 { field = FieldDefinition("a", .list([field])) }
        #expect(throws: FieldDefinitionError.self) { _ = try CharacteristicFormat([field]) }
    }

    @Test func `fields that depend on many clear bits do not take time to measure`() throws {
        var fields = [FieldDefinition("", .flags(.u64, []))]
        for bit in 0..<40 { fields.append(FieldDefinition("f\(bit)", .number(.u8), if: .init(clear: [bit]))) }
        // Eight octets of flags, and forty fields.
        #expect(try CharacteristicFormat(fields).maximumLength == 48)
        let list = try CharacteristicFormat([FieldDefinition("records", .list(fields))])
        #expect(list.maximumLength == nil)
        // An element with one field, and one that ends within its flags.
        let octets = try #require(Hex.bytes("feffffffffffffff07ff"))
        #expect(list.decodeAsFarAsPossible(octets).text.hasPrefix("f0 7"))
    }

    @Test func `the largest size does not count fields that exclude each other`() throws {
        let format = try CharacteristicFormat([
            FieldDefinition("", .flags(.u8, [])), FieldDefinition("a", .number(.u16), if: .init(set: [0])),
            FieldDefinition("b", .number(.u32), if: .init(clear: [0])),
        ])
        #expect(format.maximumLength == 5)
    }

    @Test(arguments: [
        ("celsius", "°C", "t_c"), ("°C", "°C", "t_c"), ("percent", "%", "t_percent"), ("volt", "V", "t_v"),
        ("mV", "mV", "t_mv"), ("0x2760", "min", "t_min"), ("time (hour)", "h", "t_h"),
        ("metres per second", "m/s", "t_mps"),
        ("furlongs/fortnight", "furlongs/fortnight", "t_furlongs_per_fortnight"), ("", "", "t"),
    ])
    func `a unit is a name, a UUID or a symbol`(_ text: String, _ symbol: String, _ key: String) throws {
        let format = try CharacteristicFormat([FieldDefinition("t", .number(.u8), unit: text)])
        #expect(format.fields.map(\.unit) == [symbol])
        #expect(format.fields.map(\.key) == [key])
    }

    @Test func `a catalogue has private entries before assigned ones`() throws {
        let format = try CharacteristicFormat([FieldDefinition("a", .number(.u8))])
        let own = BluetoothUUID(bits128: 0x8E1C_0001_4F2A_4B6E_9F0E_2D6C_1A5B_7C00)
        let home = BluetoothUUID(bits128: 0x8E1C_0000_4F2A_4B6E_9F0E_2D6C_1A5B_7C00)
        let catalogue = FormatCatalogue(
            services: [.init(home, "Acme")],
            characteristics: [
                .init(own, "Acme Level", service: home, format: format),
                .init(0x2A19, "Charge", format: format),
            ]
        )
        #expect(catalogue.format(of: own) == format)
        #expect(catalogue.format(of: 0x2A19) == format)
        #expect(catalogue.format(of: 0x2A37) == CharacteristicFormat.of(0x2A37))
        #expect(catalogue.name(ofCharacteristic: 0x2A19) == "Charge")
        #expect(catalogue.uuids(named: "acme-level").map(\.uuid) == [own])
        #expect(catalogue.uuids(named: "battery-level").map(\.uuid) == [0x2A19])
        #expect(catalogue.service(ofCharacteristic: own) == home)
        #expect(catalogue.name(ofService: 0x180D) == "Heart Rate")
    }
}
