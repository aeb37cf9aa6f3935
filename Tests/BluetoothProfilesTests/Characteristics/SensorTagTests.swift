// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Values of the TI SensorTag")
struct SensorTagTests {
    static let vectors: [CharacteristicVector] = [
        // −46.85 + 175.72 × 26624 / 65536 = 24.53625; −6 + 125 × 28672 / 65536 = 48.6875.
        .init(
            SensorTag.uuid(0xAA21),
            "00 68 00 70",
            "temperature 24.536 °C, humidity 48.688 %",
            #"{"temperature_c":24.536,"humidity_percent":48.688}"#
        ),
        // 16 / 64, −16 / 64, 64 / 64
        .init(
            SensorTag.uuid(0xAA11),
            "10 F0 40",
            "x 0.25 g, y -0.25 g, z 1 g",
            #"{"x_g":0.25,"y_g":-0.25,"z_g":1}"#
        ),
        .init(SensorTag.uuid(0xAA13), "64", "1000 ms", #"{"period_ms":1000}"#),
        // 1638 × 2000 / 65536 = 49.988; −1 × 2000 / 65536 = −0.0305
        .init(
            SensorTag.uuid(0xAA31),
            "66 06 FF FF 00 00",
            "x 49.99 µT, y -0.03 µT, z 0 µT",
            #"{"x_ut":49.99,"y_ut":-0.03,"z_ut":0}"#
        ),
        // 1311 × 500 / 65536 = 10.0021, and the other sign for y
        .init(
            SensorTag.uuid(0xAA51),
            "1F 05 1F 05 00 80",
            "x 10.002 °/s, y -10.002 °/s, z -250 °/s",
            #"{"x_degrees_per_s":10.002,"y_degrees_per_s":-10.002,"z_degrees_per_s":-250}"#
        ),
        .init(SensorTag.uuid(0xAA52), "07", "x + y + z", #"{"axes":["x","y","z"]}"#),
        .init(SensorTag.uuid(0xAA42), "02", "calibrate", #"{"sensor":"calibrate"}"#),
        .init(SensorTag.uuid(0xAA02), "01", "on", #"{"sensor":"on"}"#),
        .init(
            SensorTag.uuid(0xAA41),
            "E8 03 40 9C",
            "raw temperature 1000, raw pressure 40000",
            #"{"raw_temperature":1000,"raw_pressure":40000}"#
        ),
        // At the reference temperature of 25 °C: S = 6.4e-14, offset = −2.94e-5 V. A voltage of 0 is 2.94e-5 V above it,
        // f = 2.94e-5 + 13.4 × 2.94e-5² = 2.941158e-5, and (298.15⁴ + f / S)^¼ = (7.902041e9 + 4.595560e8)^¼ = 302.393 K.
        .init(
            SensorTag.uuid(0xAA01),
            "00 00 80 0C",
            "object 29.243 °C, ambient 25 °C",
            #"{"object_c":29.243,"ambient_c":25}"#
        ),
    ]

    @Test("values have their meaning, only if complete, and encode to the same octets", arguments: vectors)
    func vector(_ vector: CharacteristicVector) throws {
        try vector.check(on: .cc2541)
        let format = try #require(CharacteristicFormat.of(vector.uuid)).on(.cc2541)
        #expect(try format.encode(format.decode(hex(vector.bytes)).content) == hex(vector.bytes))
    }

    @Test("the temperature of the chip has all digits of its step, and its text three")
    func chip() throws {
        let format = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA01))).on(.cc2541)
        let value = try format.decode(hex("00 00 81 0C"))
        #expect(value.text.hasSuffix(", ambient 25.008 °C"), "\(value.text)")
        #expect(value.content["ambient_c"] == .number(DecimalNumber(250_078_125, exponent: -7)))
    }

    @Test("the status bits of the hygrometer do not count")
    func statusBits() throws {
        let format = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA21))).on(.cc2541)
        let (plain, status) = (hex("00 68 00 70"), hex("01 68 02 70"))
        #expect(try format.decode(status) == format.decode(plain))
    }

    @Test("every sensor decodes and encodes all its numbers to the same octets")
    func roundTrips() throws {
        let infrared = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA01))).on(.cc2541)
        let hygrometer = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA21))).on(.cc2541)
        let gyroscope = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA51)))
        let magnetometer = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA31)))
        for raw in stride(from: Int32(-32_768), through: 32_767, by: 37) {
            var writer = ByteWriter()
            writer.int16(Int16(raw))
            let number = writer.bytes
            for format in [gyroscope, magnetometer] {
                #expect(try format.encode(format.decode(number + number + number).content) == number + number + number)
            }
            let masked = [number[0] & 0xFC, number[1], number[0] & 0xFC, number[1]]
            #expect(try hygrometer.encode(hygrometer.decode(masked).content) == masked)
        }
        // From −20 to 80 °C around the chip.
        for ambient in stride(from: Int16(-2_560), through: 10_240, by: 640) {
            for voltage in stride(from: Int16(-2_000), through: 20_000, by: 171) {
                var writer = ByteWriter()
                writer.int16(voltage)
                writer.int16(ambient)
                let content = try infrared.decode(writer.bytes).content
                guard content["object_c"] != .null else { continue }
                #expect(try infrared.encode(content) == writer.bytes, "\(voltage) \(ambient)")
            }
        }
    }

    @Test("an object temperature out of range is an error")
    func unreachable() throws {
        let format = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA01))).on(.cc2541)
        let content = EncodingTests.object(("object_c", .number(900)), ("ambient_c", .number(25)))
        #expect(throws: FieldError.self) { try format.encode(content) }
    }
}

@Suite("The barometer of the SensorTag")
struct SensorTagBarometerTests {
    static let calibration = SensorTagBarometer(
        unsigned: [40_000, 20_000, 32_768, 32_768],
        signed: [-16_384, 21_325, 8, 32_767]
    )

    @Test("worked examples")
    func examples() {
        let barometer = Self.calibration
        // 20000 × 2⁶ × 100 / 2¹⁶ = 1953.1
        #expect(barometer.centicelsius(rawTemperature: 0) == 1_953)
        // (40000 × 1000 / 2⁸ + 1280000) × 100 / 2¹⁶ = 2191.5
        #expect(barometer.centicelsius(rawTemperature: 1_000) == 2_191)
        // (32768 × 40000 + 21325 × 2¹⁴) / 2¹⁴
        #expect(barometer.pascals(rawTemperature: 0, rawPressure: 40_000) == 101_325)
        // S = 32768 + 250 − 1 = 33017; O = 349388800 + 1000 + 62437 = 349452237; (S × 40000 + O) / 2¹⁴ = 101936.8
        #expect(barometer.pascals(rawTemperature: 1_000, rawPressure: 40_000) == 101_936)
    }

    @Test("the inverse finds the raw numbers of a temperature and a pressure")
    func inverse() throws {
        let barometer = Self.calibration
        for centicelsius in stride(from: 0, through: 4_000, by: 123) {
            let raw = try #require(barometer.rawTemperature(centicelsius: centicelsius))
            #expect(abs(barometer.centicelsius(rawTemperature: raw) - centicelsius) <= 1)
            for pascals in stride(from: 90_000, through: 110_000, by: 777) {
                let pressure = try #require(barometer.rawPressure(pascals: pascals, rawTemperature: raw))
                #expect(abs(barometer.pascals(rawTemperature: raw, rawPressure: pressure) - pascals) <= 2)
            }
        }
        #expect(barometer.rawTemperature(centicelsius: 1_000_000) == nil)
        #expect(barometer.rawPressure(pascals: 1_000_000, rawTemperature: 0) == nil)
    }

    @Test("the calibration is encoded as its characteristic's format encodes it, and extreme numbers do not trap")
    func calibration() throws {
        let bytes = Self.calibration.encoded()
        #expect(try SensorTagBarometer(decoding: bytes) == Self.calibration)
        let format = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA43)))
        #expect(try format.encode(format.decode(bytes).content) == bytes)
        let extreme = SensorTagBarometer(unsigned: [.max, .max, .max, .max], signed: [.min, .min, .min, .min])
        for raw in [Int16.min, -1, 0, .max] {
            _ = extreme.centicelsius(rawTemperature: raw)
            _ = extreme.pascals(rawTemperature: raw, rawPressure: .max)
            _ = extreme.rawPressure(pascals: 101_325, rawTemperature: raw)
        }
        #expect(SensorTagBarometer(unsigned: [], signed: []).rawTemperature(centicelsius: 1) == nil)
    }
}
