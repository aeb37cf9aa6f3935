// SPDX-License-Identifier: MIT

public import Bluetooth

/// The sensors of the TI SensorTag CC2541.
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
    /// Characteristics of the TI SensorTag CC2541.
    ///
    /// Spec: TI SensorTag User Guide
    static func sensorTag(_ formats: inout FormatTable) {
        // The infrared thermometer.
        formats[SensorTag.uuid(0xAA01)] = { .handWritten(.infraredThermometer) }
        formats[SensorTag.uuid(0xAA02)] = { switchedSensor }
        // The accelerometer: ±2 g in 8 bits.
        formats[SensorTag.uuid(0xAA11)] = {
            .fields(
                .number("x", .s8, .standardGravity, b: -6),
                .number("y", .s8, .standardGravity, b: -6),
                .number("z", .s8, .standardGravity, b: -6)
            )
        }
        formats[SensorTag.uuid(0xAA12)] = { switchedSensor }
        formats[SensorTag.uuid(0xAA13)] = { period }
        // The hygrometer. The two low bits are its status.
        formats[SensorTag.uuid(0xAA21)] = {
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
        formats[SensorTag.uuid(0xAA22)] = { switchedSensor }
        // The magnetometer: ±1000 µT in 16 bits.
        formats[SensorTag.uuid(0xAA31)] = {
            .fields(
                .sensor("x", .s16, .microteslas, times: 2_000, b: -16, places: 2),
                .sensor("y", .s16, .microteslas, times: 2_000, b: -16, places: 2),
                .sensor("z", .s16, .microteslas, times: 2_000, b: -16, places: 2)
            )
        }
        formats[SensorTag.uuid(0xAA32)] = { switchedSensor }
        formats[SensorTag.uuid(0xAA33)] = { period }
        // The barometer: only the calibration gives its numbers a meaning, see `SensorTagBarometer`.
        formats[SensorTag.uuid(0xAA41)] = {
            .fields(.number("raw temperature", .s16), .number("raw pressure", .u16))
        }
        formats[SensorTag.uuid(0xAA42)] = {
            .fields(.choice("sensor", .u8, [0: "off", 1: "on", 2: "calibrate"]))
        }
        formats[SensorTag.uuid(0xAA43)] = {
            .fields(
                .number("c1", .u16),
                .number("c2", .u16),
                .number("c3", .u16),
                .number("c4", .u16),
                .number("c5", .s16),
                .number("c6", .s16),
                .number("c7", .s16),
                .number("c8", .s16)
            )
        }
        // The gyroscope: ±250 °/s in 16 bits. The board carries it with its y axis reversed.
        formats[SensorTag.uuid(0xAA51)] = {
            .fields(
                .sensor("x", .s16, .degreesPerSecond, times: 500, b: -16, places: 3),
                .sensor("y", .s16, .degreesPerSecond, times: 500, b: -16, isNegated: true, places: 3),
                .sensor("z", .s16, .degreesPerSecond, times: 500, b: -16, places: 3)
            )
        }
        formats[SensorTag.uuid(0xAA52)] = { .fields(.bits("axes", .u8, ["x", "y", "z"])) }
    }

    private static var switchedSensor: CharacteristicFormat { .fields(.choice("sensor", .u8, [0: "off", 1: "on"])) }

    private static var period: CharacteristicFormat { .fields(.number("period", .u8, .milliseconds, times: 10)) }
}
