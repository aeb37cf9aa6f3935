// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

/// Machines that were built before the specification changed go on sending values of its earlier edition.
@Suite("Editions of a format")
struct FormatEditionsTests {
    /// A value, and the text with its remark.
    struct Value: Sendable, CustomTestStringConvertible {
        let uuid: BluetoothUUID
        let bytes: String
        let text: String

        init(_ uuid: BluetoothUUID, _ bytes: String, _ text: String) {
            self.uuid = uuid
            self.bytes = bytes
            self.text = text
        }

        var testDescription: String { "\(uuid) \(bytes)" }
    }

    /// What machines have sent, by the logs of their owners.
    static let machines: [Value] = [
        // A JetBlack Volt; a Zwift Hub: resistance levels of two octets, in ones.
        .init(
            0x2AD2,
            "64 02 1D 00 00 00 14 00 00 00 00",
            "speed 0.29 km/h, cadence 0 rpm, resistance level 20, power 0 W, heart rate 0 bpm"
        ),
        .init(
            0x2AD2,
            "FE 02 3C 0A 3C 08 8E 00 7C 00 51 01 00 14 00 D2 00 6A 00 00",
            "speed 26.2 km/h, average speed 21.08 km/h, cadence 71 rpm, average cadence 62 rpm, total distance 337 m, "
                + "resistance level 20, power 210 W, average power 106 W, heart rate 0 bpm"
        ),
        // A bridge for a NordicTrack treadmill: an octet more than edition 1.0 has, and two more than the supplement.
        .init(
            0x2AD2,
            "64 02 70 04 00 00 00 00 10 01 00 00",
            "speed 11.36 km/h, cadence 0 rpm, resistance level 0, power 272 W, heart rate 0 bpm, "
                + "1 octet more than expected"
        ),
        // An Elite trainer, whose values have none of the fields that changed.
        .init(
            0x2AD2,
            "54 08 00 00 00 00 00 00 00 00 00 31 00",
            "speed 0 km/h, cadence 0 rpm, total distance 0 m, power 0 W, elapsed time 49 s"
        ),
        // A Horizon treadmill; a FitShow one, which counts steps in a field of its own behind the others.
        .init(
            0x2ACD,
            "84 04 00 00 00 00 00 00 00 00 00 00 00 00",
            "speed 0 km/h, total distance 0 m, total energy 0 kcal, energy 0 kcal/h, energy 0 kcal/min, "
                + "elapsed time 0 s"
        ),
        .init(
            0x2ACD,
            "84 24 90 01 40 00 00 05 00 FF FF FF 3C 00 50 00 00",
            "speed 4 km/h, total distance 64 m, total energy 5 kcal, energy not available, energy not available, "
                + "elapsed time 60 s, 3 octets more than expected"
        ),
    ]

    /// Values that follow from the two editions.
    static let derived: [Value] = [
        // A treadmill's pace: km/min in an octet each, and seconds for 500 m in two.
        .init(
            0x2ACD,
            "64 05 E8 03 64 00 00 03 02 5A 3C 00",
            "speed 10 km/h, total distance 100 m, pace 0.3 km/min, average pace 0.2 km/min, heart rate 90 bpm, "
                + "elapsed time 60 s"
        ),
        .init(
            0x2ACD,
            "64 05 E8 03 64 00 00 B4 00 C8 00 5A 3C 00",
            "speed 10 km/h, total distance 100 m, pace per 500 m 180 s, average pace per 500 m 200 s, "
                + "heart rate 90 bpm, elapsed time 60 s"
        ),
        // Too long for edition 1.0 and too short for the supplement.
        .init(
            0x2ACD,
            "64 05 E8 03 64 00 00 03 02 5A 3C 00 00",
            "speed 10 km/h, total distance 100 m, pace 0.3 km/min, average pace 0.2 km/min, heart rate 90 bpm, "
                + "elapsed time 60 s, 1 octet more than expected"
        ),
        .init(0x2ACD, "20 00 E8 03 03", "speed 10 km/h, pace 0.3 km/min"),
        .init(0x2ACD, "20 00 E8 03 B4 00 07", "speed 10 km/h, pace per 500 m 180 s, 1 octet more than expected"),
        // Too short for both: the fault is that of the edition in force.
        .init(
            0x2ACD,
            "60 00 E8 03 03",
            "speed 10 km/h, cut off at pace (needs 2 octets, 1 is left)"
        ),
        // A cross trainer's resistance level: tenths in two octets, and ones in one.
        .init(0x2ACE, "80 00 00 64 00 14 00", "direction forward, speed 1 km/h, resistance level 2"),
        .init(0x2ACE, "80 00 00 64 00 19 00", "direction forward, speed 1 km/h, resistance level 2.5"),
        .init(0x2ACE, "80 00 00 64 00 14", "direction forward, speed 1 km/h, resistance level 20"),
        .init(
            0x2ACE,
            "80 00 00 64 00 14 00 07",
            "direction forward, speed 1 km/h, resistance level 2, 1 octet more than expected"
        ),
        // Those of a rower and of a bike are ones in both.
        .init(0x2AD1, "81 00 14 00", "more data yes, resistance level 20"),
        .init(0x2AD1, "81 00 14", "more data yes, resistance level 20"),
        .init(
            0x2AD2,
            "60 00 D0 07 14 00 F0 00 00",
            "speed 20 km/h, resistance level 20, power 240 W, 1 octet more than expected"
        ),
        .init(0x2AD2, "60 00 D0 07 14 F0 00", "speed 20 km/h, resistance level 20, power 240 W"),
        .init(
            0x2AD2,
            "60 00 D0 07 14",
            "speed 20 km/h, resistance level 20, cut off at power (needs 2 octets, none is left)"
        ),
        // Without a field that changed, both editions leave the same octets over.
        .init(0x2AD2, "40 00 D0 07 F0 00 07", "speed 20 km/h, power 240 W, 1 octet more than expected"),
        .init(
            0x2AD6,
            "0A 00 E8 03 0A 00",
            "minimum resistance level 1, maximum resistance level 100, minimum increment 1"
        ),
        .init(
            0x2AD6,
            "01 64 01 00 00",
            "minimum resistance level 1, maximum resistance level 100, minimum increment 1, "
                + "2 octets more than expected"
        ),
        .init(
            0x2AD6,
            "0A 00 E8 03 0A 00 00",
            "minimum resistance level 1, maximum resistance level 100, minimum increment 1, "
                + "1 octet more than expected"
        ),
        .init(0x2AD9, "04 64 00 00", "op code set target resistance, target resistance 10, 1 octet more than expected"),
    ]

    @Test("the octets decide which edition a value has", arguments: machines + derived)
    func value(_ value: Value) throws {
        let format = try #require(CharacteristicFormat.of(value.uuid))
        let decoded = format.decodeAsFarAsPossible(hex(value.bytes))
        #expect(decoded.fullText == value.text)
    }

    @Test("values of both editions have the same members, and the unit of a pace may be left out")
    func members() throws {
        let format = try #require(CharacteristicFormat.of(0x2ACD))
        let keys = format.fields.map(\.key)
        #expect(keys.suffix(2) == ["pace_km_per_min", "average_pace_km_per_min"])
        #expect(format.fields.filter(\.isOfEarlierEdition).map(\.key) == keys.suffix(2))
        for bytes in ["64 05 E8 03 64 00 00 03 02 5A 3C 00", "64 05 E8 03 64 00 00 B4 00 C8 00 5A 3C 00"] {
            guard case .object(let members) = try format.decode(hex(bytes)).content else {
                Issue.record("no object")
                continue
            }
            #expect(members.map(\.key) == keys)
        }
        #expect(try format.decode(hex("20 00 E8 03 03")).content["pace_per_500_m_s"] == .null)
        #expect(try format.decode(hex("20 00 E8 03 B4 00")).content["pace_km_per_min"] == .null)
    }

    @Test("values are encoded in the edition in force, and a field of an earlier one is refused by name")
    func encoding() throws {
        let format = try #require(CharacteristicFormat.of(0x2ACD))
        let content = try format.content(of: ["speed=10", "pace=180"])
        #expect(try format.encode(content) == hex("20 00 E8 03 B4 00"))
        let current = try format.decode(hex("20 00 E8 03 B4 00")).content
        #expect(try format.encode(current) == hex("20 00 E8 03 B4 00"))
        let earlier = try format.decode(hex("20 00 E8 03 03")).content
        #expect(throws: FieldError.self) { try format.encode(earlier) }
        do throws(FieldError) {
            _ = try format.encode(earlier)
        } catch {
            #expect("\(error)".hasPrefix("pace_km_per_min: 0.3 is not encoded: only an earlier edition"))
        }
        #expect(throws: TypedContentError.self) { try format.content(of: ["pace_km_per_min=0.3"]) }
        let trainer = try #require(CharacteristicFormat.of(0x2ACE))
        #expect(try trainer.encode(try trainer.decode(hex("80 00 00 64 00 14 00")).content) == hex("80000064 0002"))
    }
}
