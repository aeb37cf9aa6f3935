// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Values of the Nordic Thingy:52")
struct ThingyTests {
    static let vectors: [CharacteristicVector] = [
        .init(Thingy.uuid(0x0201), "16 05", "22.05 °C", #"{"temperature_c":22.05}"#),
        // The hundredths lead away from zero.
        .init(Thingy.uuid(0x0201), "FB 19", "-5.25 °C", #"{"temperature_c":-5.25}"#),
        .init(Thingy.uuid(0x0201), "80 63", "-128.99 °C", #"{"temperature_c":-128.99}"#),
        // 0x03F5 = 1013
        .init(Thingy.uuid(0x0202), "F5 03 00 00 19", "1013.25 hPa", #"{"pressure_hpa":1013.25}"#),
        .init(Thingy.uuid(0x0203), "2C", "44 %", #"{"humidity_percent":44}"#),
        .init(
            Thingy.uuid(0x0204),
            "C2 01 0A 00",
            "eco2 450 ppm, tvoc 10 ppb",
            #"{"eco2_ppm":450,"tvoc_ppb":10}"#
        ),
        .init(
            Thingy.uuid(0x0205),
            "01 00 02 00 03 00 00 01",
            "red 1, green 2, blue 3, clear 256",
            #"{"red":1,"green":2,"blue":3,"clear":256}"#
        ),
        .init(
            Thingy.uuid(0x0206),
            "E8 03 D0 07 B8 0B DC 05 02 67 29 40",
            """
            temperature interval 1000 ms, pressure interval 2000 ms, humidity interval 3000 ms, color interval 1500 ms, \
            gas interval 10 s, red intensity 103, green intensity 41, blue intensity 64
            """,
            """
            {"temperature_interval_ms":1000,"pressure_interval_ms":2000,"humidity_interval_ms":3000,\
            "color_interval_ms":1500,"gas_interval":"10 s","red_intensity":103,"green_intensity":41,"blue_intensity":64}
            """
        ),
        .init(
            Thingy.uuid(0x0301),
            "00",
            "mode off",
            """
            {"mode":"off","red":null,"green":null,"blue":null,"color":null,"intensity_percent":null,"delay_ms":null}
            """
        ),
        .init(
            Thingy.uuid(0x0301),
            "01 FF 80 00",
            "mode constant, red 255, green 128, blue 0",
            """
            {"mode":"constant","red":255,"green":128,"blue":0,"color":null,"intensity_percent":null,"delay_ms":null}
            """
        ),
        // 0x0DAC = 3500
        .init(
            Thingy.uuid(0x0301),
            "02 06 14 AC 0D",
            "mode breathe, color cyan, intensity 20 %, delay 3500 ms",
            """
            {"mode":"breathe","red":null,"green":null,"blue":null,"color":"cyan","intensity_percent":20,"delay_ms":3500}
            """
        ),
        .init(
            Thingy.uuid(0x0301),
            "03 01 64",
            "mode one shot, color red, intensity 100 %",
            """
            {"mode":"one shot","red":null,"green":null,"blue":null,"color":"red","intensity_percent":100,"delay_ms":null}
            """
        ),
        .init(Thingy.uuid(0x0302), "01", "pressed", #"{"button":"pressed"}"#),
        .init(
            Thingy.uuid(0x0303),
            "FF 00 00 FF",
            "mos 1 255, mos 2 0, mos 3 0, mos 4 255",
            #"{"mos_1":255,"mos_2":0,"mos_3":0,"mos_4":255}"#
        ),
        .init(
            Thingy.uuid(0x0401),
            "F4 01 F4 01 F4 01 0A 00 01",
            """
            step counter interval 500 ms, temperature compensation interval 500 ms, \
            magnetometer compensation interval 500 ms, processing frequency 10 Hz, wake on motion on
            """,
            """
            {"step_counter_interval_ms":500,"temperature_compensation_interval_ms":500,\
            "magnetometer_compensation_interval_ms":500,"processing_frequency_hz":10,"wake_on_motion":"on"}
            """
        ),
        .init(Thingy.uuid(0x0402), "06 02", "direction z down, count 2", #"{"direction":"z down","count":2}"#),
        .init(Thingy.uuid(0x0403), "03", "reverse landscape", #"{"orientation":"reverse landscape"}"#),
        // 2^30 is 1, and 2^29 is a half.
        .init(
            Thingy.uuid(0x0404),
            "00 00 00 40 00 00 00 20 00 00 00 E0 00 00 00 00",
            "w 1, x 0.5, y -0.5, z 0",
            #"{"w":1,"x":0.5,"y":-0.5,"z":0}"#
        ),
        .init(
            Thingy.uuid(0x0405),
            "2A 00 00 00 60 EA 00 00",
            "steps 42, time 60000 ms",
            #"{"steps":42,"time_ms":60000}"#
        ),
        // 1024 is 1 g, −32 is −1 °/s, and 16 is 1 µT. 1 / 1024 = 0.00098.
        .init(
            Thingy.uuid(0x0406),
            "00 04 00 FC 01 00 E0 FF 10 00 00 00 10 00 F8 FF 00 00",
            """
            acceleration x 1 g, acceleration y -1 g, acceleration z 0.001 g, \
            gyroscope x -1 °/s, gyroscope y 0.5 °/s, gyroscope z 0 °/s, \
            magnetic field x 1 µT, magnetic field y -0.5 µT, magnetic field z 0 µT
            """,
            """
            {"acceleration_x_g":1,"acceleration_y_g":-1,"acceleration_z_g":0.001,\
            "gyroscope_x_degrees_per_s":-1,"gyroscope_y_degrees_per_s":0.5,"gyroscope_z_degrees_per_s":0,\
            "magnetic_field_x_ut":1,"magnetic_field_y_ut":-0.5,"magnetic_field_z_ut":0}
            """
        ),
        // 0x5A0000 / 65536 = 90, and 0x8000 / 65536 = 0.5
        .init(
            Thingy.uuid(0x0407),
            "00 00 5A 00 00 80 00 00 00 00 4C FF",
            "roll 90 °, pitch 0.5 °, yaw -180 °",
            #"{"roll_degrees":90,"pitch_degrees":0.5,"yaw_degrees":-180}"#
        ),
        // 16384 is 1.
        .init(
            Thingy.uuid(0x0408),
            "00 40 00 00 00 00 00 00 00 C0 00 00 00 00 00 00 00 20",
            "m11 1, m12 0, m13 0, m21 0, m22 -1, m23 0, m31 0, m32 0, m33 0.5",
            #"{"m11":1,"m12":0,"m13":0,"m21":0,"m22":-1,"m23":0,"m31":0,"m32":0,"m33":0.5}"#
        ),
        .init(Thingy.uuid(0x0409), "00 80 68 01", "360.5 °", #"{"heading_degrees":360.5}"#),
        // 9.8125 is 0x411D0000.
        .init(
            Thingy.uuid(0x040A),
            "00 00 00 00 00 00 80 BF 00 00 1D 41",
            "x 0 m/s², y -1 m/s², z 9.8125 m/s²",
            #"{"x_mps2":0,"y_mps2":-1,"z_mps2":9.8125}"#
        ),
    ]

    @Test("values have their meaning, only if complete, and encode to the same octets", arguments: vectors)
    func vector(_ vector: CharacteristicVector) throws { try vector.check() }

    @Test("every source of the profile has a vector")
    func everySource() {
        let vectors = Set(Self.vectors.map(\.uuid))
        for source in Profile.thingy.sources { #expect(vectors.contains(source.characteristic), "\(source.name)") }
    }

    @Test("a number alone is the only field")
    func alone() throws {
        let temperature = try #require(CharacteristicFormat.of(Thingy.uuid(0x0201)))
        #expect(try TypedValue.octets(["-5.25 °C"], in: temperature) == [0xFB, 0x19])
        let pressure = try #require(CharacteristicFormat.of(Thingy.uuid(0x0202)))
        #expect(try pressure.encode(.number(DecimalNumber(101_325, exponent: -2))) == [0xF5, 0x03, 0, 0, 0x19])
    }

    @Test("a fraction of a hundred hundredths is an error")
    func tooManyHundredths() throws {
        let format = try #require(CharacteristicFormat.of(Thingy.uuid(0x0201)))
        let decoded = format.decodeAsFarAsPossible([22, 100])
        #expect(decoded.fault?.reason == .contradictory("100 hundredths"))
        #expect(throws: DecodeError.self) { try format.decode([22, 100]) }
    }

    @Test("numbers between -1 and 0, and too large ones, cannot be encoded", arguments: [-0.25, 128, -129])
    func notRepresentable(_ number: Double) throws {
        let format = try #require(CharacteristicFormat.of(Thingy.uuid(0x0201)))
        let value = try #require(DecimalNumber(number))
        #expect(throws: FieldError.self) { try format.encode(.object([.init("temperature_c", .number(value))])) }
    }
}
