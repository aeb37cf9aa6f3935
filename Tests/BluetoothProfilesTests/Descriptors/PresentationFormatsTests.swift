// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Characteristic Aggregate Format (0x2905)")
struct PresentationFormatsTests {
    private static let celsius = PresentationFormat(format: .init(rawValue: 0x0E), exponent: -2, unit: 0x272F)
    private static let percent = PresentationFormat(format: .init(rawValue: 0x04), unit: 0x27AD)
    private static let known: [Handle: PresentationFormat] = [5: celsius, 8: percent]

    @Test("the formats follow each other in the order of their handles")
    func order() throws {
        let formats = try #require(PresentationFormats(aggregate: hex("05 00 08 00"), of: Self.known))
        let value = formats.decodeAsFarAsPossible(hex("66 08 57"))
        #expect(value.fullText == "21.5 °C, 87 %")
        #expect(json(value.content) == #"{"values":[{"value":21.5,"unit":"°C"},{"value":87,"unit":"%"}]}"#)
        #expect(formats.decodeAsFarAsPossible(hex("66 08 57 01")).surplus == [1])
        #expect(try PresentationFormats(decoding: formats.encoded()) == formats)
    }

    @Test("a value that ends early has the numbers before its end")
    func cutOff() throws {
        let formats = try #require(PresentationFormats(aggregate: hex("08 00 05 00 08 00"), of: Self.known))
        let value = formats.decodeAsFarAsPossible(hex("57 66"))
        #expect(value.fullText == "87 %, cut off at value (needs 2 octets, 1 is left)")
        #expect(value.fault?.pathText == "values[1].value")
        #expect(
            json(value.content)
                == #"{"values":[{"value":87,"unit":"%"},{"value":null,"unit":"°C"},null]}"#
        )
    }

    @Test("an aggregate of unknown handles, of half a handle or of nothing has no formats")
    func unknown() {
        for octets in ["05 00 09 00", "05 00 08", ""] {
            #expect(PresentationFormats(aggregate: hex(octets), of: Self.known) == nil)
        }
    }

    @Test("a single format decodes as it does alone")
    func single() {
        let value = PresentationFormats(Self.percent).decodeAsFarAsPossible([87])
        #expect(value == Self.percent.decodeAsFarAsPossible([87]))
        #expect(value.text == "87 %")
    }
}
