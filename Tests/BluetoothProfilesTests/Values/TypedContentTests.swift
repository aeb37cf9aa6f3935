// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Contents as words")
struct TypedContentTests {
    /// Words for a characteristic, and the octets that they mean.
    struct Words: Sendable, CustomTestStringConvertible {
        let uuid: BluetoothUUID
        let words: [String]
        let octets: String

        init(_ uuid: BluetoothUUID, _ words: String..., is octets: String) {
            self.uuid = uuid
            self.words = words
            self.octets = octets
        }

        var testDescription: String { "\(uuid) \(words)" }
    }

    @Test(arguments: [
        // A single field needs no name.
        Words(0x2A19, "88", is: "58"), Words(0x2A19, "battery-level=88", is: "58"),
        Words(0x2A19, "battery_level_percent=88", is: "58"), Words(0x2A06, "high alert", is: "02"),
        Words(0x2A06, "high-alert", is: "02"), Words(0x2A06, "high", is: "02"), Words(0x2A06, "2", is: "02"),
        // 22 November 2026, 10:00:00: the year 2026 is 0x07EA.
        Words(0x2A08, "2026-11-22T10:00:00", is: "ea070b160a0000"), Words(0x2A00, "Pulse=HR", is: "50756c73653d4852"),
        // 20.5 °C in hundredths: 2050 is 0x0802. Unknown is 0x8000.
        Words(0x2A6E, "20.5", is: "0208"), Words(0x2A6E, "not known", is: "0080"),
        // Flags 0x16: contact supported and detected, RR intervals. 812 ms are 831.488 / 1024 s: 831 is 0x033F; 815 ms are
        // 834.56 / 1024 s: 835 is 0x0343.
        Words(0x2A37, "heart-rate=72", "contact=yes", "rr_intervals_ms=812,815", is: "16483f034303"),
        Words(0x2A37, "rr intervals=812, 815", "contact=on", "HEART_RATE_BPM=72", is: "16483f034303"),
        Words(0x2A37, "heart_rate_bpm=72", is: "0048"),
        Words(
            0x2A37,
            "rr_intervals_ms[0]=812",
            "contact=yes",
            "rr-intervals[1]=815",
            "heart-rate=72",
            is: "16483f034303"
        ),
    ])
    func `words are encoded as octets`(_ words: Words) throws {
        let format = try #require(CharacteristicFormat.of(words.uuid))
        #expect(Hex.string(try format.encode(try format.content(of: words.words))) == words.octets)
    }

    @Test func `an error names the field and what is available`() throws {
        func error(_ uuid: BluetoothUUID, _ words: String...) throws -> String? {
            let format = try #require(CharacteristicFormat.of(uuid))
            do throws(TypedContentError) {
                _ = try format.content(of: words)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(
            try error(0x2A37, "72")
                == "'72' is not FIELD=VALUE, and there are several fields: heart_rate_bpm, contact, energy_expended_kj, rr_intervals_ms"
        )
        #expect(
            try error(0x2A6E, "5", "6")
                == "'5' is not FIELD=VALUE, and the only field takes one value: temperature_c"
        )
        #expect(try error(0x2A37, "heart_rat=72") == "there is no field 'heart_rat'; did you mean heart_rate_bpm?")
        #expect(try error(0x2A37, "contact=maybe") == "contact: 'maybe' is not true or false")
        #expect(try error(0x2A37, "contact=1", "contact=0") == "'contact' is given twice")
        #expect(
            try error(0x2A37, "heart_rate=72", "rr_intervals_ms[1]=812")
                == "'rr_intervals_ms' needs the index of an element, from 0 without a gap: rr_intervals_ms[0]"
        )
        #expect(
            try error(0x2A37, "rr-intervals[0]=812", "rr_intervals_ms[0]=815") == "'rr_intervals_ms[0]' is given twice"
        )
        #expect(try error(0x2A37, "rr_intervals=812", "rr_intervals[0]=815") == "'rr_intervals_ms' is given twice")
        #expect(try error(0x2A37, "rr_intervals[0]=812", "rr_intervals=815") == "'rr_intervals_ms' is given twice")
        for part in ["contact[0]", "contact.on"] {
            #expect(try error(0x2A37, "\(part)=1") == "'contact' is given as a whole: contact=…")
        }
        let whole = "'rr_intervals_ms[0]' is given as a whole: rr_intervals_ms[0]=…"
        #expect(try error(0x2A37, "rr_intervals[0].ms=1") == whole)
    }

    @Test func `every example of a decoded value can be typed field by field`() throws {
        // What people copy from a record: numbers, names, lists of names.
        let format = try #require(CharacteristicFormat.of(0x2A18))
        let octets = try #require(Hex.bytes("0b0100ea070b160a00000000f4b0110000"))
        let content = try format.decode(octets).content
        guard case .object(let members) = content else {
            Issue.record("no object")
            return
        }
        let words = members.compactMap { member -> String? in
            switch member.value {
            case .null: nil
            case .bool(let value): "\(member.key)=\(value)"
            case .number(let value): "\(member.key)=\(value)"
            case .string(let value): "\(member.key)=\(value)"
            case .array(let elements):
                "\(member.key)="
                    + elements.map { if case .string(let name) = $0 { name } else { "" } }.joined(separator: ",")
            case .object: nil
            }
        }
        #expect(try format.encode(try format.content(of: words)) == octets)
    }
}
