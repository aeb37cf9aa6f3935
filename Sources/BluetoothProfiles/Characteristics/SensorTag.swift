// SPDX-License-Identifier: MIT

public import Bluetooth

/// The sensors of the TI SensorTags: CC2541, and CC2650 with the same UUIDs and other formats (`DeviceModel`).
///
/// Each has its own service: F000AAx0 with the data in AAx1, the configuration in AAx2, and for some the period or the
/// calibration in AAx3.
public enum SensorTag {
    /// The UUID F000xxxx-0451-4000-B000-000000000000.
    public static func uuid(_ short: UInt16) -> BluetoothUUID {
        BluetoothUUID(bits128: 0xF000_0000_0451_4000_B000_0000_0000_0000 | UInt128(short) << 96)
    }
}

extension CharacteristicValue {
    /// Characteristics of the TI SensorTag CC2541, and of the CC2650 where it has the same UUIDs.
    ///
    /// Spec: TI SensorTag User Guide; TI CC2650 SensorTag User's Guide
    static func sensorTag(_ formats: inout FormatTable) {
        // The infrared thermometer.
        formats[SensorTag.uuid(0xAA01)] = {
            .byModel([(.cc2541, .handWritten(.infraredThermometer)), (.cc2650, SensorTag.secondThermometer)])
        }
        formats[SensorTag.uuid(0xAA02)] = { switchedSensor }
        // The accelerometer: ±2 g in 8 bits.
        formats[SensorTag.uuid(0xAA11)] = fields([
            .number("x", .s8, .standardGravity, b: -6),
            .number("y", .s8, .standardGravity, b: -6),
            .number("z", .s8, .standardGravity, b: -6),
        ])
        formats[SensorTag.uuid(0xAA12)] = { switchedSensor }
        formats[SensorTag.uuid(0xAA13)] = { period }
        formats[SensorTag.uuid(0xAA21)] = {
            .byModel([(.cc2541, SensorTag.firstHygrometer), (.cc2650, SensorTag.secondHygrometer)])
        }
        formats[SensorTag.uuid(0xAA22)] = { switchedSensor }
        // The magnetometer: ±1000 µT in 16 bits.
        formats[SensorTag.uuid(0xAA31)] = fields([
            .sensor("x", .s16, .microteslas, times: 2_000, b: -16, places: 2),
            .sensor("y", .s16, .microteslas, times: 2_000, b: -16, places: 2),
            .sensor("z", .s16, .microteslas, times: 2_000, b: -16, places: 2),
        ])
        formats[SensorTag.uuid(0xAA32)] = { switchedSensor }
        formats[SensorTag.uuid(0xAA33)] = { period }
        formats[SensorTag.uuid(0xAA41)] = {
            .byModel([(.cc2541, SensorTag.firstBarometer), (.cc2650, SensorTag.secondBarometer)])
        }
        // The self-test of the CC2541.
        formats[SensorTag.uuid(0xAA61)] = {
            .fields(
                .bits(
                    "working sensors",
                    .u8,
                    ["thermometer", "hygrometer", "magnetometer", "accelerometer", "barometer", "gyroscope"]
                )
            )
        }
        formats[SensorTag.uuid(0xAA42)] = {
            .fields(.choice("sensor", .u8, [0: "off", 1: "on", 2: "calibrate"]))
        }
        formats[SensorTag.uuid(0xAA43)] = fields([
            .number("c1", .u16),
            .number("c2", .u16),
            .number("c3", .u16),
            .number("c4", .u16),
            .number("c5", .s16),
            .number("c6", .s16),
            .number("c7", .s16),
            .number("c8", .s16),
        ])
        // The gyroscope: ±250 °/s in 16 bits. The board carries it with its y axis reversed.
        formats[SensorTag.uuid(0xAA51)] = fields([
            .sensor("x", .s16, .degreesPerSecond, times: 500, b: -16, places: 3),
            .sensor("y", .s16, .degreesPerSecond, times: 500, b: -16, isNegated: true, places: 3),
            .sensor("z", .s16, .degreesPerSecond, times: 500, b: -16, places: 3),
        ])
        formats[SensorTag.uuid(0xAA52)] = { .fields(.bits("axes", .u8, ["x", "y", "z"])) }
    }

    private static var switchedSensor: CharacteristicFormat { .fields(.choice("sensor", .u8, [0: "off", 1: "on"])) }

    private static var period: CharacteristicFormat { .fields(.number("period", .u8, .milliseconds, times: 10)) }
}

extension SensorTag {
    /// The SHT21 of the CC2541. The two low bits are its status.
    fileprivate static var firstHygrometer: CharacteristicFormat {
        .fields(
            .sensor(
                "temperature",
                .u16,
                .celsius,
                times: 17_572,
                e: -2,
                b: -14,
                plus: DecimalNumber(-4_685, exponent: -2),
                ignoredBits: 2,
                places: 3
            ),
            .sensor(
                "humidity",
                .u16,
                .percent,
                times: 125,
                b: -14,
                plus: DecimalNumber(-6),
                ignoredBits: 2,
                places: 3
            )
        )
    }

    /// The HDC1000 of the CC2650.
    fileprivate static var secondHygrometer: CharacteristicFormat {
        .fields(
            .sensor("temperature", .u16, .celsius, times: 165, b: -16, plus: DecimalNumber(-40), places: 3),
            .sensor("humidity", .u16, .percent, times: 100, b: -14, ignoredBits: 2, places: 3)
        )
    }

    /// The TMP007 of the CC2650, which computes the temperature of the object itself. The two low bits are not part of
    /// the numbers; they are less than their resolution of 0.03 °C.
    fileprivate static var secondThermometer: CharacteristicFormat {
        .fields(
            .sensor("object", .s16, .celsius, b: -7, places: 3),
            .sensor("ambient", .s16, .celsius, b: -7, places: 3)
        )
    }

    /// The T5400 of the CC2541. Only the calibration gives its numbers a meaning, see `SensorTagBarometer`.
    fileprivate static var firstBarometer: CharacteristicFormat {
        .fields(.number("raw temperature", .s16), .number("raw pressure", .u16))
    }

    /// The BMP280 of the CC2650.
    fileprivate static var secondBarometer: CharacteristicFormat {
        .fields(
            .number("temperature", .s24, .celsius, e: -2),
            // In hundredths of a hectopascal.
            .number("pressure", .u24, .pascals)
        )
    }
}
