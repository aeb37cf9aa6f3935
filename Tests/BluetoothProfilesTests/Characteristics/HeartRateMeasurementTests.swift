// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Heart Rate Measurement (0x2A37)")
struct HeartRateMeasurementTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let bytes: String
        let measurement: HeartRateMeasurement
        let text: String
        let tree: String

        var testDescription: String { bytes }
    }

    static let vectors: [Vector] = [
        Vector(
            bytes: "00 48",
            measurement: HeartRateMeasurement(heartRate: 72),
            text: "72 bpm",
            tree: #"{"heart_rate_bpm":72,"contact":null,"energy_expended_kj":null,"rr_intervals_ms":[]}"#
        ),
        Vector(
            bytes: "04 3C",
            measurement: HeartRateMeasurement(heartRate: 60, contact: .notDetected),
            text: "60 bpm, no contact",
            tree: #"{"heart_rate_bpm":60,"contact":false,"energy_expended_kj":null,"rr_intervals_ms":[]}"#
        ),
        Vector(
            bytes: "16 48 55 03",
            measurement: HeartRateMeasurement(heartRate: 72, contact: .detected, rrIntervals: [853]),
            text: "72 bpm, contact, rr 833 ms",
            tree: #"{"heart_rate_bpm":72,"contact":true,"energy_expended_kj":null,"rr_intervals_ms":[833.0078125]}"#
        ),
        Vector(
            bytes: "1F 2C 01 0C 00 00 04 00 02",
            measurement: HeartRateMeasurement(
                heartRate: 300,
                contact: .detected,
                energyExpended: 12,
                rrIntervals: [1024, 512]
            ),
            text: "300 bpm, contact, energy 12 kJ, rr 1000 ms 500 ms",
            tree: #"{"heart_rate_bpm":300,"contact":true,"energy_expended_kj":12,"rr_intervals_ms":[1000,500]}"#
        ),
        Vector(
            bytes: "08 FF FF FF",
            measurement: HeartRateMeasurement(heartRate: 255, energyExpended: 65535),
            text: "255 bpm, energy 65535 kJ",
            tree: #"{"heart_rate_bpm":255,"contact":null,"energy_expended_kj":65535,"rr_intervals_ms":[]}"#
        ),
    ]

    @Test("decodes and encodes octet for octet", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let bytes = hex(vector.bytes)
        let measurement = try HeartRateMeasurement(decoding: bytes)
        #expect(measurement == vector.measurement)
        #expect(measurement.encoded() == bytes)
        let decoded = try #require(try CharacteristicValue.decode(bytes, of: 0x2A37))
        #expect(decoded.text == vector.text)
        #expect(json(decoded.content) == vector.tree)
        #expect(decoded.surplus.isEmpty)
    }

    @Test("a detected bit without the supported bit means that the sensor cannot tell")
    func contactNotSupported() throws {
        #expect(try HeartRateMeasurement(decoding: hex("02 48")).contact == .notSupported)
    }

    @Test("a small rate in the 16-bit form is read as it is")
    func wideSmallRate() throws {
        #expect(try HeartRateMeasurement(decoding: hex("01 48 00")).heartRate == 72)
    }

    @Test(
        "a truncated value is an error",
        arguments: ["", "00", "01", "01 48", "08 48", "08 48 01", "10 48 01", "10 48 01 02 03", "18 48 01 02 03"]
    )
    func truncated(_ bytes: String) {
        #expect(throws: DecodeError.self) { try HeartRateMeasurement(decoding: hex(bytes)) }
        #expect(throws: DecodeError.self) { try CharacteristicValue.decode(hex(bytes), of: 0x2A37) }
    }

    @Test("the RR flag may have no interval, as some straps send it before the second beat")
    func emptyIntervals() throws {
        #expect(try HeartRateMeasurement(decoding: hex("10 48")).rrIntervals == [])
    }

    @Test("octets that no flag announces are kept aside")
    func surplus() throws {
        let decoded = try #require(try CharacteristicValue.decode(hex("00 48 01 02"), of: 0x2A37))
        #expect(decoded.text == "72 bpm")
        #expect(decoded.surplus == [1, 2])
        #expect(decoded.fullText == "72 bpm, 2 octets more than expected")
    }
}
