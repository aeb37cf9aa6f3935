// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import Testing

@Suite("Values that do not fit their formats")
struct FaultyValueTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let uuid: BluetoothUUID
        let bytes: String
        let text: String
        let tree: String
        /// The path of the field.
        let path: String

        init(_ uuid: BluetoothUUID, _ bytes: String, _ text: String, _ tree: String, at path: String) {
            self.uuid = uuid
            self.bytes = bytes
            self.text = text
            self.tree = tree
            self.path = path
        }

        var testDescription: String { "\(uuid) \(bytes)" }
    }

    static let faults: [Fault] = [
        Fault(
            0x2A6E,
            "66",
            "cut off at temperature (needs 2 octets, 1 is left)",
            #"{"temperature_c":null}"#,
            at: "temperature_c"
        ),
        Fault(
            0x2A19,
            "",
            "cut off at battery level (needs 1 octet, none is left)",
            #"{"battery_level_percent":null}"#,
            at: "battery_level_percent"
        ),
        Fault(
            0x2A37,
            "18 48 0C",
            "72 bpm, cut off at energy expended (needs 2 octets, 1 is left)",
            #"{"heart_rate_bpm":72,"contact":null,"energy_expended_kj":null,"rr_intervals_ms":[]}"#,
            at: "energy_expended_kj"
        ),
        // The flags tell the contact, although the rate is cut off.
        Fault(
            0x2A37,
            "07 48",
            "contact, cut off at heart rate (needs 2 octets, 1 is left)",
            #"{"heart_rate_bpm":null,"contact":true,"energy_expended_kj":null,"rr_intervals_ms":[]}"#,
            at: "heart_rate_bpm"
        ),
        Fault(
            0x2A37,
            "",
            "cut off at flags (needs 1 octet, none is left)",
            #"{"heart_rate_bpm":null,"contact":null,"energy_expended_kj":null,"rr_intervals_ms":[]}"#,
            at: "flags"
        ),
        Fault(
            0x2A37,
            "16 48 55 03 07",
            "72 bpm, contact, rr 833 ms, cut off at rr intervals (needs 2 octets, 1 is left)",
            #"{"heart_rate_bpm":72,"contact":true,"energy_expended_kj":null,"rr_intervals_ms":[833.0078125]}"#,
            at: "rr_intervals_ms[1]"
        ),
        Fault(
            0x2AA7,
            "06 00 64 00 05 00 FF",
            "glucose 100 mg/dl, time offset 5 min, cut off at record (needs 254 octets, none is left)",
            #"{"records":[{"glucose_mg_per_dl":100,"time_offset_min":5,"status":null,"#
                + #""calibration_and_temperature_status":null,"warning":null,"trend_mg_per_dl_min":null,"#
                + #""quality_percent":null,"e2e_crc":""}]}"#,
            at: "records[1]"
        ),
        Fault(
            0x2AA7,
            "06 00 64 00 05",
            "glucose 100 mg/dl, cut off at time offset (needs 2 octets, 1 is left)",
            #"{"records":[{"glucose_mg_per_dl":100,"time_offset_min":null,"status":null,"#
                + #""calibration_and_temperature_status":null,"warning":null,"trend_mg_per_dl_min":null,"#
                + #""quality_percent":null,"e2e_crc":""}]}"#,
            at: "records[0].time_offset_min"
        ),
        Fault(0x2AA7, "03", "size: 3 octets cannot hold the fields", #"{"records":[]}"#, at: "records[0]"),
        Fault(
            0x2B46,
            "2F 27 00",
            "Celsius temperature (degree Celsius), cut off at unit (needs 2 octets, 1 is left)",
            #"{"units":["Celsius temperature (degree Celsius)"]}"#,
            at: "units[1]"
        ),
        Fault(
            0x2A64,
            "04 0A 00 0B",
            "direction unknown, forces 10 N, cut off at forces (needs 2 octets, 1 is left)",
            #"{"direction":"unknown","crank_revolutions":null,"last_crank_event_s":null,"#
                + #""first_crank_angle_degrees":null,"forces_n":[10],"torques_nm":null}"#,
            at: "forces_n[1]"
        ),
        Fault(
            0x2A08,
            "EA 07 0B",
            "cut off at date time (needs 7 octets, 3 are left)",
            #"{"date_time":null}"#,
            at: "date_time"
        ),
        Fault(
            0x2A01,
            "41",
            "cut off at appearance (needs 2 octets, 1 is left)",
            #"{"appearance":null,"appearance_name":null}"#,
            at: "appearance"
        ),
        Fault(
            0x2A50,
            "01 0D 00 01",
            "Texas Instruments Inc., cut off at product id (needs 2 octets, 1 is left)",
            #"{"vendor_id_source":"bluetooth","vendor_id":13,"vendor_name":"Texas Instruments Inc.","#
                + #""product_id":null,"product_version":null}"#,
            at: "product_id"
        ),
    ]

    @Test("a faulty value is decoded up to the fault, which is named", arguments: faults)
    func fault(_ fault: Fault) throws {
        let format = try #require(CharacteristicFormat.of(fault.uuid))
        let value = format.decodeAsFarAsPossible(hex(fault.bytes))
        #expect(value.fullText == fault.text)
        #expect(json(value.content) == fault.tree)
        #expect(value.fault?.pathText == fault.path)
        #expect(value.fault?.isEnd == true && value.surplus.isEmpty)
        #expect(throws: DecodeError.self) { try format.decode(hex(fault.bytes)) }
    }

    @Test("a tail that is not a checksum is surplus", arguments: [0x2AA9, 0x2AAA, 0x2AAB] as [BluetoothUUID])
    func tail(_ uuid: BluetoothUUID) throws {
        let octets: [BluetoothUUID: String] = [
            0x2AA9: "05 00 03 00 80", 0x2AAA: "EA 07 0B 16 0A 00 00 00 00", 0x2AAB: "18 00",
        ]
        let start = try #require(octets[uuid])
        let format = try #require(CharacteristicFormat.of(uuid))
        let plain = try format.decode(hex(start))
        #expect(plain.content["e2e_crc"] == .string("") && plain.fault == nil)
        let whole = try format.decode(hex(start + "AA BB"))
        #expect(whole.content["e2e_crc"] == .string("aabb") && whole.fault == nil)
        for tail in ["AA", "AA BB CC", "AA BB CC DD"] {
            let value = try format.decode(hex(start + tail))
            #expect(value.content["e2e_crc"] == .string("") && value.surplus == hex(tail))
            #expect(value.fault?.reason == .surplus)
        }
    }

    @Test("a number that the specification does not allow is decoded and reported")
    func outOfRange() throws {
        let humidity = try #require(CharacteristicFormat.of(0x2A6F))
        let value = try humidity.decode(hex("60 EA"))
        #expect(value.fullText == "600 % (out of range)" && json(value.content) == #"{"humidity_percent":600}"#)
        #expect(
            json(value.faultContent)
                == #"{"kind":"out-of-range","field":"humidity_percent","needed":null,"available":null,"value":600,"#
                + #""lowest":0,"highest":100,"octets":null,"message":"humidity: 600 is not between 0 and 100"}"#
        )
        #expect(throws: FieldError.self) { try humidity.encode(value.content) }
        #expect(try humidity.decode(hex("10 27")).fault == nil)
        #expect(try humidity.decode(hex("FF FF")).fault == nil)
        let rendering = try #require(CharacteristicFormat.of(0x2AE7))
        #expect(try rendering.decode([0x80]).text == "-128")
        #expect(try rendering.decode([101]).text == "101 (out of range)")
    }

    @Test("a number without a meaning and an impossible time are reported")
    func reserved() throws {
        let battery = try #require(CharacteristicFormat.of(0x2A19)).decodeAsFarAsPossible([101])
        #expect(battery.fullText == "reserved (101)" && battery.fault?.reason == .reserved(value: DecimalNumber(101)))
        let zone = try #require(CharacteristicFormat.of(0x2A0E)).decodeAsFarAsPossible([0x7F])
        #expect(zone.fault?.description == "time zone: 127 is reserved")
        let time = try #require(CharacteristicFormat.of(0x2A08))
        let month = time.decodeAsFarAsPossible(hex("EA 07 0D 01 00 00 00"))
        #expect(month.fault?.description == "month of date time: 13 is not between 0 and 12")
        #expect(time.decodeAsFarAsPossible(hex("EA 07 02 1D 00 00 00")).fault?.pathText == "date_time")
        #expect(time.decodeAsFarAsPossible(hex("E8 07 02 1D 17 3B 3B")).fault == nil)
        #expect(time.decodeAsFarAsPossible(hex("00 00 00 00 00 00 00")).fault == nil)
    }

    @Test("the fault that ended the decoding is reported first, surplus octets in any case")
    func several() throws {
        let time = try #require(CharacteristicFormat.of(0x2A2B))
        let both = time.decodeAsFarAsPossible(hex("EA 07 0D 01 00 00 00 01"))
        #expect(both.fault?.description == "cut off at fraction (needs 1 octet, none is left)")
        let humidity = try #require(CharacteristicFormat.of(0x2A6F)).decodeAsFarAsPossible(hex("60 EA 01 02"))
        #expect(humidity.fullText == "600 % (out of range), 2 octets more than expected")
        #expect(humidity.faultContent["kind"] == .string("out-of-range"))
        #expect(humidity.faultContent["octets"] == .string("0102"))
        let surplus = try #require(CharacteristicFormat.of(0x2A19)).decodeAsFarAsPossible([50, 1])
        #expect(
            json(surplus.faultContent)
                == #"{"kind":"surplus","field":null,"needed":null,"available":null,"value":null,"lowest":null,"#
                + #""highest":null,"octets":"01","message":"1 octet more than expected"}"#
        )
    }

    @Test("random octets have their format's members, and decoding throws exactly if a fault ends it")
    func randomOctets() throws {
        var generator = SeededGenerator(seed: 0xFA17)
        for uuid in CharacteristicFormat.all {
            let format = try #require(CharacteristicFormat.of(uuid))
            let keys = format.fields.map(\.key)
            for _ in 0..<40 {
                let bytes = generator.bytes(upTo: 24)
                let value = format.decodeAsFarAsPossible(bytes)
                let comment: Comment = "\(uuid) \(Hex.string(bytes))"
                #expect((try? format.decode(bytes)) == (value.fault?.isEnd == true ? nil : value), comment)
                guard case .object(let members) = value.content else { continue }
                #expect(members.map(\.key) == keys, comment)
                guard case .object(let fault) = value.faultContent else { continue }
                #expect(fault.map(\.key) == DecodedValue.faultKeys, comment)
            }
        }
    }
}
