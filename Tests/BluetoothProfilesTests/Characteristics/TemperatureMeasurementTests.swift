// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Temperature Measurement (0x2A1C)")
struct TemperatureMeasurementTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let bytes: String
        let measurement: TemperatureMeasurement
        let text: String

        var testDescription: String { bytes }
    }

    static let time = DateTime(year: 2024, month: 5, day: 17, hours: 13, minutes: 45, seconds: 9)

    static let vectors: [Vector] = [
        Vector(
            bytes: "00 6E 01 00 FF",
            measurement: TemperatureMeasurement(temperature: .finite(DecimalNumber(366, exponent: -1))),
            text: "36.6 °C"
        ),
        Vector(
            bytes: "07 D3 03 00 FF E8 07 05 11 0D 2D 09 03",
            measurement: TemperatureMeasurement(
                temperature: .finite(DecimalNumber(979, exponent: -1)),
                unit: .fahrenheit,
                timeStamp: time,
                type: .ear
            ),
            text: "97.9 °F, ear, 2024-05-17T13:45:09"
        ),
        Vector(
            bytes: "04 FF FF 7F 00 63",
            measurement: TemperatureMeasurement(temperature: .notANumber, type: TemperatureType(rawValue: 99)),
            text: "not a number, reserved (99)"
        ),
        Vector(
            bytes: "00 00 00 80 00",
            measurement: TemperatureMeasurement(temperature: .notAtThisResolution),
            text: "not at this resolution"
        ),
    ]

    @Test("decodes and encodes octet for octet, and rejects every strict prefix", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let bytes = hex(vector.bytes)
        #expect(try TemperatureMeasurement(decoding: bytes) == vector.measurement)
        #expect(vector.measurement.encoded() == bytes)
        for uuid: BluetoothUUID in [0x2A1C, 0x2A1E] {
            #expect(try CharacteristicValue.decode(bytes, of: uuid)?.text == vector.text)
            for count in bytes.indices {
                #expect(throws: DecodeError.self) {
                    try CharacteristicValue.decode(Array(bytes[..<count]), of: uuid)
                }
            }
        }
    }

    @Test("the unit is in the key")
    func keys() {
        #expect(
            json(Self.vectors[1].measurement.decoded.content)
                == #"{"temperature_c":null,"temperature_f":97.9,"time_stamp":"2024-05-17T13:45:09","#
                + #""temperature_type":"ear"}"#
        )
    }
}
