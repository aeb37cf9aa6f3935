// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Foundation
import Testing

@Suite("Values as people type them")
struct TypedValueTests {
    /// A text for a characteristic, and the octets that it means; none if it is refused.
    struct Text: Sendable, CustomTestStringConvertible {
        let uuid: BluetoothUUID
        let text: String
        let octets: String?

        init(_ uuid: BluetoothUUID, _ text: String, is octets: String?) {
            self.uuid = uuid
            self.text = text
            self.octets = octets
        }

        var testDescription: String { "\(uuid) '\(text)'" }
    }

    @Test(arguments: [
        // Battery Level: a percentage in an octet, not above 100.
        Text(0x2A19, "50", is: "32"), Text(0x2A19, "50%", is: "32"), Text(0x2A19, "50 %", is: "32"),
        Text(0x2A19, "50 percent", is: nil), Text(0x2A19, "5", is: "05"), Text(0x2A19, "101", is: nil),
        Text(0x2A19, "5f", is: nil), Text(0x2A19, "0x32", is: "32"), Text(0x2A19, "0x5", is: "05"),
        Text(0x2A19, "0x96", is: nil), Text(0x2A19, "hex:96", is: "96"), Text(0x2A19, "0x3264", is: nil),
        // Octets often begin with a zero, and numbers do not.
        Text(0x2A5C, "0003", is: nil), Text(0x2A5C, "3", is: "0300"), Text(0x2A19, "05", is: "05"),
        Text(0x2A19, "u8:50", is: "32"), Text(0x2A19, "u16:50", is: nil), Text(0x2A19, "", is: nil),
        // Temperature: hundredths of a degree Celsius in two octets. 2150 is 0x0866.
        Text(0x2A6E, "21.5", is: "6608"), Text(0x2A6E, "21.5C", is: "6608"), Text(0x2A6E, "21.5 °C", is: "6608"),
        Text(0x2A6E, "21.5°C", is: "6608"), Text(0x2A6E, "70 °F", is: nil), Text(0x2A6E, "2150", is: nil),
        Text(0x2A6E, "0x21", is: nil), Text(0x2A6E, "hex:21", is: "21"), Text(0x2A6E, "C", is: nil),
        Text(0x2A6E, "-0.5c", is: "ceff"), Text(0x2A6E, "not known", is: "0080"),
        // Alert Level: names and their numbers, reserved ones too.
        Text(0x2A06, "high", is: "02"), Text(0x2A06, "10", is: "0a"), Text(0x2A06, "0x10", is: "10"),
        Text(0x2A06, "reserved (10)", is: "0a"), Text(0x2A06, "loud", is: nil),
        // Magnetic Flux Density, and other letters in units than a keyboard has: 0.1 µT in two octets each.
        Text(0x2AA0, "x=1uT y=2µT", is: "0a001400"), Text(0x2AA0, "x 1 µT, y 2 µT", is: "0a001400"),
        Text(0x2A76, "5", is: "05"),
        // A text is itself, unless it has a mark.
        Text(0x2A00, "50", is: "3530"), Text(0x2A00, "a=b", is: "613d62"), Text(0x2A00, "text=a", is: "746578743d61"),
        Text(0x2A00, "0x41", is: "41"), Text(0x2A00, "text:0x41", is: "30783431"), Text(0x2A00, " a", is: "2061"),
        // Several fields are assigned, or are as they are printed.
        Text(0x2A37, "heart-rate=72 contact=true", is: "0648"), Text(0x2A37, "0648", is: nil),
        Text(0x2A37, "0x0648", is: "0648"), Text(0x2A37, "0x06", is: nil), Text(0x2A37, "72 bpm", is: "0048"),
        Text(0x2A37, "72 bpm, contact", is: "0648"), Text(0x2A37, "72 bpm, nonsense", is: nil),
        Text(0x2A37, "72 bpm, no contact, rr 900 ms 800 ms", is: "14489a033303"),
        Text(0x2A9D, "weight 95.82 kg, user id 251", is: "04dc4afb"),
        Text(0x2A1C, "36.6 °C, mouth, 2026-11-22T10:00:00", is: "066e0100ffea070b160a000006"),
        // A time zone, and flags as they are printed.
        Text(0x2A0E, "UTC-03:30", is: "f2"), Text(0x2A0E, "UTC+2", is: nil),
        Text(0x2A5C, "wheel revolutions + crank revolutions", is: "0300"),
        Text(0x2A5C, "wheel revolutions,crank revolutions", is: "0300"),
        // Where no format is known, digits are octets.
        Text(0xFFF1, "22", is: "22"), Text(0xFFF1, "0122", is: "0122"), Text(0xFFF1, "01:22", is: "0122"),
        Text(0xFFF1, "222", is: nil), Text(0xFFF1, "u16:500", is: "f401"), Text(0xFFF1, "50%", is: nil),
        Text(0xFFF1, "high", is: nil), Text(0xFFF1, "", is: ""),
    ])
    func `a text means the value in its format, and octets have a mark`(_ text: Text) throws {
        let octets = try? TypedValue.octets(ofText: text.text, in: CharacteristicFormat.of(text.uuid))
        #expect(octets.map(Hex.string) == text.octets)
    }

    @Test func `an error says which octets may have been meant, and how they are typed`() {
        func error(_ text: String, _ uuid: BluetoothUUID) -> TypedValueError? {
            do throws(TypedValueError) {
                _ = try TypedValue.octets(ofText: text, in: CharacteristicFormat.of(uuid))
                return nil
            } catch {
                return error
            }
        }
        #expect(error("2150", 0x2A6E)?.advice == "octets are written 0x2150")
        #expect(error("2150", 0x2A6E)?.description == "temperature_c: 2150 is not between -273.15 and 327.67")
        #expect(error("0x21", 0x2A6E)?.advice == "hex:21 is taken all the same")
        #expect(
            error("0x21", 0x2A6E)?.description
                == "0x21 is not a value of its format: cut off at temperature (needs 2 octets, 1 is left)"
        )
        #expect(
            error("0x3264", 0x2A19)?.description == "0x3264 is not a value of its format: 1 octet more than expected"
        )
        #expect(error("16480e03", 0x2A37)?.advice == "octets are written 0x16480e03")
        // Of a line, the part that is not understood, or the field that cannot have it.
        #expect(error("72 bpm, nonsense", 0x2A37)?.description.hasPrefix("'nonsense' is not FIELD=VALUE") == true)
        #expect(
            error("72000 bpm, contact", 0x2A37)?.description == "heart_rate_bpm: 72000 is not between 0 and 65535"
        )
        // What is printed of an appearance has its number, and not its octets.
        #expect(error("0x00C0", 0x2A01) == .ambiguous("0x00C0"))
        #expect(error("0x00c0", 0x2A01)?.advice == "octets are written hex:00c0, the number 192")
        #expect(error("0xc000", 0x2A01) == nil && error("hex:00c0", 0x2A01) == nil)
    }

    @Test func `words of a command line are a number with its unit, a name, or fields`() throws {
        func octets(_ words: String..., of uuid: BluetoothUUID) -> String? {
            (try? TypedValue.octets(words, in: CharacteristicFormat.of(uuid))).map(Hex.string)
        }
        #expect(octets("50", "%", of: 0x2A19) == "32")
        #expect(octets("high", "alert", of: 0x2A06) == "02")
        #expect(octets("heart-rate=72", "contact=true", of: 0x2A37) == "0648")
        // The blanks between the words of a text would be lost.
        #expect(octets("a", "b", of: 0x2A00) == nil)
        #expect(octets("01", "02", of: 0xFFF1) == nil)
    }

    @Test func `a long text is refused without a long search`() {
        let text = String(repeating: "9", count: 200_000) + "%"
        #expect(throws: TypedValueError.self) { try TypedValue.octets(ofText: text, in: .of(0x2A19)) }
        let line = String(repeating: "x 1 µT, ", count: 50_000)
        #expect(throws: TypedValueError.self) { try TypedValue.octets(ofText: line, in: .of(0x2AA0)) }
    }

    @Test func `what is printed of a value can be typed`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Supplement/samples.txt")
        var (single, singleEqual, several, severalEqual) = (0, 0, 0, 0)
        var unequal: Set<BluetoothUUID> = []
        for sample in try SupplementSample.all(in: file) where sample.verdict == .valid {
            guard let format = CharacteristicFormat.of(sample.uuid), let decoded = try? format.decode(sample.octets),
                decoded.fault == nil, !decoded.text.isEmpty, (try? format.encode(decoded.content)) == sample.octets
            else { continue }
            let octets = try? TypedValue.octets(ofText: decoded.text, in: format)
            if let octets {
                // What is not shown, such as reserved bits, cannot be typed.
                #expect(format.decodeAsFarAsPossible(octets).text == decoded.text, "\(sample.uuid) \(decoded.text)")
            }
            if octets != sample.octets { unequal.insert(sample.uuid) }
            if format.fields.count == 1 {
                single += 1
                singleEqual += octets == sample.octets ? 1 : 0
            } else {
                several += 1
                severalEqual += octets == sample.octets ? 1 : 0
            }
        }
        // A vendor with its name, two angles, lists of objects, and reserved bits, which are not shown.
        let others: Set<BluetoothUUID> = [0x2A50, 0x2A63, 0x2AA7, 0x2C2A, 0x2C2B]
        #expect(unequal.isSubset(of: others), "\(unequal.subtracting(others))")
        #expect(single > 600 && singleEqual * 100 >= single * 99, "\(singleEqual) of \(single)")
        #expect(several > 300 && severalEqual * 100 >= several * 85, "\(severalEqual) of \(several)")
    }
}
