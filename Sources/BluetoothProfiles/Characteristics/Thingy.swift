// SPDX-License-Identifier: MIT

public import Bluetooth

/// The sensors of the Nordic Thingy:52.
///
/// The services are the configuration (0100), the weather station (0200), the user interface (0300), motion (0400) and
/// sound (0500). A sensor measures while a client is subscribed to its characteristic.
public enum Thingy {
    /// The UUID EF68xxxx-9B35-4933-9B10-52FFA9740042.
    public static func uuid(_ short: UInt16) -> BluetoothUUID {
        BluetoothUUID(bits128: 0xEF68_0000_9B35_4933_9B10_52FF_A974_0042 | UInt128(short) << 96)
    }
}

extension CharacteristicValue {
    /// Characteristics of the Nordic Thingy:52.
    ///
    /// Spec: Nordic Thingy:52 firmware documentation, Firmware architecture, BLE services
    static func thingy(_ formats: inout FormatTable) {
        thingyWeather(&formats)
        thingyInterface(&formats)
        thingyMotion(&formats)
    }

    private static func thingyWeather(_ formats: inout FormatTable) {
        formats[Thingy.uuid(0x0201)] = {
            .handWritten(.wholeAndHundredths(WholeAndHundredths("temperature", .int8, .celsius)))
        }
        formats[Thingy.uuid(0x0202)] = {
            .handWritten(.wholeAndHundredths(WholeAndHundredths("pressure", .int32, .hectopascals)))
        }
        formats[Thingy.uuid(0x0203)] = { .fields(.number("humidity", .u8, .percent, in: 0...100)) }
        formats[Thingy.uuid(0x0204)] = {
            .fields(.number("eco2", .u16, .partsPerMillion), .number("tvoc", .u16, .partsPerBillion))
        }
        formats[Thingy.uuid(0x0205)] = {
            .fields(.number("red", .u16), .number("green", .u16), .number("blue", .u16), .number("clear", .u16))
        }
        formats[Thingy.uuid(0x0206)] = fields([
            .number("temperature interval", .u16, .milliseconds, in: 100...60_000),
            .number("pressure interval", .u16, .milliseconds, in: 50...60_000),
            .number("humidity interval", .u16, .milliseconds, in: 100...60_000),
            .number("color interval", .u16, .milliseconds, in: 200...60_000),
            .choice("gas interval", .u8, [1: "1 s", 2: "10 s", 3: "60 s"]),
            .number("red intensity", .u8),
            .number("green intensity", .u8),
            .number("blue intensity", .u8),
        ])
    }

    private static func thingyInterface(_ formats: inout FormatTable) {
        formats[Thingy.uuid(0x0301)] = fields([
            .flags(.u8),
            .part("mode", 0...7, [0: "off", 1: "constant", 2: "breathe", 3: "one shot"]),
            .number("red", .u8, if: .opCode(1)),
            .number("green", .u8, if: .opCode(1)),
            .number("blue", .u8, if: .opCode(1)),
            .choice(
                "color",
                .u8,
                [1: "red", 2: "green", 3: "yellow", 4: "blue", 5: "purple", 6: "cyan", 7: "white"],
                if: .opCode(2, 3)
            ),
            .number("intensity", .u8, .percent, in: 1...100, if: .opCode(2, 3)),
            .number("delay", .u16, .milliseconds, in: 50...10_000, if: .opCode(2)),
        ])
        formats[Thingy.uuid(0x0302)] = { .fields(.choice("button", .u8, [0: "released", 1: "pressed"])) }
        formats[Thingy.uuid(0x0303)] = {
            .fields(.number("mos 1", .u8), .number("mos 2", .u8), .number("mos 3", .u8), .number("mos 4", .u8))
        }
    }

    private static func thingyMotion(_ formats: inout FormatTable) {
        formats[Thingy.uuid(0x0401)] = fields([
            .number("step counter interval", .u16, .milliseconds, in: 100...5_000),
            .number("temperature compensation interval", .u16, .milliseconds, in: 100...5_000),
            .number("magnetometer compensation interval", .u16, .milliseconds, in: 100...1_000),
            .number("processing frequency", .u16, .hertz, in: 5...200),
            .choice("wake on motion", .u8, [0: "off", 1: "on"]),
        ])
        formats[Thingy.uuid(0x0402)] = fields([
            .choice("direction", .u8, [1: "x up", 2: "x down", 3: "y up", 4: "y down", 5: "z up", 6: "z down"]),
            .number("count", .u8),
        ])
        formats[Thingy.uuid(0x0403)] = fields([
            .choice(
                "orientation",
                .u8,
                [0: "portrait", 1: "landscape", 2: "reverse portrait", 3: "reverse landscape"]
            )
        ])
        formats[Thingy.uuid(0x0404)] = { .fields(quarter("w"), quarter("x"), quarter("y"), quarter("z")) }
        formats[Thingy.uuid(0x0405)] = { .fields(.number("steps", .u32), .number("time", .u32, .milliseconds)) }
        formats[Thingy.uuid(0x0406)] = fields([
            .sensor("acceleration x", .s16, .standardGravity, b: -10, places: 4),
            .sensor("acceleration y", .s16, .standardGravity, b: -10, places: 4),
            .sensor("acceleration z", .s16, .standardGravity, b: -10, places: 4),
            .number("gyroscope x", .s16, .degreesPerSecond, b: -5),
            .number("gyroscope y", .s16, .degreesPerSecond, b: -5),
            .number("gyroscope z", .s16, .degreesPerSecond, b: -5),
            .number("magnetic field x", .s16, .microteslas, b: -4),
            .number("magnetic field y", .s16, .microteslas, b: -4),
            .number("magnetic field z", .s16, .microteslas, b: -4),
        ])
        formats[Thingy.uuid(0x0407)] = { .fields(angle("roll"), angle("pitch"), angle("yaw")) }
        // The rows from the first to the last.
        formats[Thingy.uuid(0x0408)] = fields([
            entry("m11"),
            entry("m12"),
            entry("m13"),
            entry("m21"),
            entry("m22"),
            entry("m23"),
            entry("m31"),
            entry("m32"),
            entry("m33"),
        ])
        formats[Thingy.uuid(0x0409)] = { .fields(angle("heading")) }
        formats[Thingy.uuid(0x040A)] = fields([
            .float32("x", .metresPerSecondSquared),
            .float32("y", .metresPerSecondSquared),
            .float32("z", .metresPerSecondSquared),
        ])
    }

    /// A part of a quaternion, with 30 bits after the binary point.
    private static func quarter(_ name: String) -> Field { .sensor(name, .s32, .none, b: -30, places: 10) }

    /// An angle with 16 bits after the binary point.
    private static func angle(_ name: String) -> Field { .sensor(name, .s32, .degrees, b: -16, places: 5) }

    /// An entry of a matrix, with 14 bits after the binary point.
    private static func entry(_ name: String) -> Field { .sensor(name, .s16, .none, b: -14, places: 5) }
}
