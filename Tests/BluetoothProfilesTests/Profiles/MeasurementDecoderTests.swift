// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Measurements that depend on each other")
struct MeasurementDecoderTests {
    /// The meaning of a value of one of the sensors of a SensorTag.
    private static func derived(
        _ octets: String,
        of name: String,
        among sources: [ProfileSource],
        _ decoder: inout MeasurementDecoder
    ) throws -> DecodedValue {
        let source = try #require(sources.first { $0.name == name })
        let bytes = hex(octets)
        let model: DeviceModel = sources == second ? .cc2650 : .cc2541
        let format = source.format ?? CharacteristicFormat.of(source.characteristic)?.on(model)
        let value = try #require(try format?.decode(bytes))
        return decoder.derived(from: value, bytes, of: source, at: .zero) ?? value
    }

    private static var second: [ProfileSource] { Profile.sensorTag.variants.flatMap(\.sources) }

    @Test("a barometer has a temperature and a pressure only with its calibration")
    func barometer() throws {
        var decoder = MeasurementDecoder()
        let sources = Profile.sensorTag.sources
        let raw = try Self.derived("00 FE 0C 82", of: "barometer", among: sources, &decoder)
        #expect(raw.text == "raw temperature -512, raw pressure 33292")
        let source = try #require(sources.first { $0.name == "barometer" })
        // c1 = 45697, c2 = 25592, c3 = 48894, c4 = 36174, c5 = 7001, c6 = 1990, c7 = −2303, c8 = 1176
        try decoder.calibrated(source, hex("81 B2 F8 63 FE BE 4E 8D 59 1B C6 07 01 F7 98 04"))
        // c1 · Tr / 2⁸ = 45697 · −512 / 256 = −91394; + c2 · 2⁶ = 25592 · 64 = 1637888 is 1546494;
        // · 100 / 2¹⁶ = 2359.76, so 23.59 °C.
        // S = 48894 + 36174 · −512 / 2¹⁷ (−141.3, so −142) + (7001 · −512 / 2¹⁵ · −512) / 2¹⁹, which is
        // 7001 · −512 / 32768 = −109.4, so −110; · −512 / 524288 = 0.1, so 0: S = 48752.
        // O = 1990 · 2¹⁴ + −2303 · −512 / 8 + (1176 · −512 / 2¹⁵ · −512) / 2⁴ = 32604160 + 147392 + 608 = 32752160
        // p = (48752 · 33292 + 32752160) / 2¹⁴ = (1623051584 + 32752160) / 16384 = 101062.2
        let value = try Self.derived("00 FE 0C 82", of: "barometer", among: sources, &decoder)
        #expect(value.text == "temperature 23.59 °C, pressure 1010.62 hPa")
        #expect(value.content["pressure_pa"] == .number(101_062))
        #expect(value.content["raw_pressure"] == .number(33_292))
    }

    @Test("a truncated calibration is refused")
    func cutCalibration() throws {
        var decoder = MeasurementDecoder()
        let source = try #require(Profile.sensorTag.sources.first { $0.name == "barometer" })
        #expect(throws: DecodeError.self) { try decoder.calibrated(source, [1, 2, 3]) }
    }

    @Test("the first values of the axes count as zero on request")
    func zero() throws {
        var decoder = MeasurementDecoder(.init(takesFirstForZero: true))
        let sources = Profile.sensorTag.sources
        // 16 / 64 = 0.25, −16 / 64 = −0.25, 64 / 64 = 1; then 0.5, −0.25 and 0.75.
        let first = try Self.derived("10 F0 40", of: "accelerometer", among: sources, &decoder)
        #expect(first.text == "x 0 g, y 0 g, z 0 g")
        let second = try Self.derived("20 F0 30", of: "accelerometer", among: sources, &decoder)
        #expect(second.text == "x 0.25 g, y 0 g, z -0.25 g")
        #expect(second.content["z_g"] == .number(DecimalNumber(-25, exponent: -2)))
        // A step of the sensor, in a text without its last digits.
        let third = try Self.derived("11 F0 40", of: "accelerometer", among: sources, &decoder)
        #expect(third.text == "x 0.016 g, y 0 g, z 0 g")
        #expect(third.content["x_g"] == .number(DecimalNumber(15_625, exponent: -6)))
        var other = MeasurementDecoder()
        #expect(try Self.derived("20 F0 30", of: "accelerometer", among: sources, &other).text.hasPrefix("x 0.5 g"))
    }

    // TI CC2650 SensorTag User's Guide. Light: mantissa × 2^exponent / 100: 0x0BB8 = 3000, 2³: 240 lx.
    // Temperature: 0x0C80 = 3200 / 128 = 25 °C; 0xFF40 = −192 / 128 = −1.5 °C.
    // Humidity: 0x6400 / 65536 × 165 − 40 = 24.453 °C; 0x8003 → 0x8000 / 65536 × 100 = 50 %.
    // Barometer: 0x0009C4 = 2500 → 25 °C; 0x018BCD = 101325 Pa.
    @Test(
        "the CC2650 has formats of its own",
        arguments: [
            ("light", "B8 3B", "240 lx"),
            ("thermometer", "80 0C 40 FF", "object 25 °C, ambient -1.5 °C"),
            ("hygrometer", "00 64 03 80", "temperature 24.453 °C, humidity 50 %"),
            ("barometer", "C4 09 00 CD 8B 01", "temperature 25 °C, pressure 101325 Pa"),
            ("keys", "05", "left + reed relay"), ("keys", "00", "released"),
        ]
    )
    func second(_ name: String, _ octets: String, _ text: String) throws {
        var decoder = MeasurementDecoder()
        #expect(try Self.derived(octets, of: name, among: Self.second, &decoder).text == text)
    }

    @Test("motion: 131.07 raw are 1 °/s, 4096 are 1 g, 1 is 1 µT")
    func motion() throws {
        var decoder = MeasurementDecoder()
        let octets = "00 40 00 C0 00 00 00 10 00 F0 00 08 2A 00 D6 FF 00 00"
        let content = try Self.derived(octets, of: "motion", among: Self.second, &decoder).content
        // 16384 × 500 / 65536 = 125
        #expect(content["gyroscope_x_degrees_per_s"] == .number(125))
        #expect(content["gyroscope_y_degrees_per_s"] == .number(-125))
        #expect(content["acceleration_x_g"] == .number(1))
        #expect(content["acceleration_z_g"] == .number(DecimalNumber(5, exponent: -1)))
        #expect(content["magnetic_field_y_ut"] == .number(-42))
    }
}
