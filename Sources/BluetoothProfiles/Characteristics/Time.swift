// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the time services.
    ///
    /// Spec: Current Time Service 1.1, 3; Reference Time Update Service 1.0, 3; GATT Specification Supplement
    static func time(_ formats: inout FormatTable) {
        formats[0x2A08] = { .fields(.dateTime("date time")) }
        formats[0x2A09] = { .fields(dayOfWeek) }
        formats[0x2A0A] = { .fields(.dateTime("date time"), dayOfWeek) }
        formats[0x2A0C] = { .fields(.dateTime("date time"), dayOfWeek, fraction) }
        formats[0x2A0D] = { .fields(daylightSaving) }
        formats[0x2A0E] = { .fields(timeZone) }
        formats[0x2A0F] = { .fields(timeZone, daylightSaving) }
        formats[0x2A11] = { .fields(.dateTime("date time"), daylightSaving) }
        formats[0x2A12] = { .fields(timeAccuracy) }
        formats[0x2A13] = { .fields(timeSource) }
        formats[0x2A14] = fields([
            timeSource,
            timeAccuracy,
            .number("since update", .u8, .days, not: [255: "255 d or more"]),
            .number("since update", .u8, .hours, not: [255: "255 d or more"], in: 0...23).once,
        ])
        formats[0x2A16] = fields([
            .choice("time update control point", .u8, [1: "get reference update", 2: "cancel reference update"])
        ])
        formats[0x2A17] = fields([
            .choice("state", .u8, [0: "idle", 1: "update pending"]),
            .choice(
                "result",
                .u8,
                [
                    0: "successful", 1: "cancelled", 2: "no connection to reference",
                    3: "reference responded with an error", 4: "timeout", 5: "not attempted after reset",
                ]
            ),
        ])
        formats[0x2A2B] = fields([
            .dateTime("date time"),
            dayOfWeek,
            fraction,
            .bits(
                "adjust reason",
                .u8,
                ["manual time update", "external reference", "time zone change", "daylight saving change"]
            ),
        ])
        formats[0x2AAA] = {
            .fields(.dateTime("session start time"), timeZone, daylightSaving, .checksum)
        }
        formats[0x2BF2] = fields([
            .flags(.u8),
            .flag("tick counter", bit: 0),
            .part("clock", 1...1, [0: "local time", 1: "utc"]),
            .part("resolution", 2...3, [0: "1 s", 1: "100 ms", 2: "1 ms", 3: "100 µs"]),
            .flag("offset used", bit: 4),
            .flag("current timeline", bit: 5),
            // Since 2000, unless it is a tick counter.
            Field("time", unit: .seconds, .elapsedTime),
            timeSource,
            Field("offset", unit: .minutes, .timeZone),
        ])
        formats[0x2AED] = { .fields(.dateUTC("date")) }
        for uuid: BluetoothUUID in [0x2AC1, 0x2AC2] {
            formats[uuid] = {
                .fields(.dateTime("date time"))
            }
        }
    }

    private static var dayOfWeek: Field {
        .choice(
            "day of week",
            .u8,
            [
                0: "unknown", 1: "monday", 2: "tuesday", 3: "wednesday", 4: "thursday", 5: "friday", 6: "saturday",
                7: "sunday",
            ]
        )
    }

    private static var fraction: Field { .number("fraction", .u8, .seconds, b: -8) }

    private static var daylightSaving: Field {
        .choice(
            "dst offset",
            .u8,
            [
                0: "standard time", 2: "half an hour daylight time", 4: "daylight time", 8: "double daylight time",
                255: "not known",
            ]
        )
    }

    private static var timeZone: Field { Field("time zone", unit: .minutes, .timeZone) }

    private static var timeAccuracy: Field {
        .number("accuracy", .u8, .milliseconds, times: 125, not: [254: "worse than 31.625 s", 255: "not known"])
    }

    static var timeSource: Field {
        .choice(
            "time source",
            .u8,
            [
                0: "unknown", 1: "network time protocol", 2: "gps", 3: "radio time signal", 4: "manual",
                5: "atomic clock", 6: "cellular network", 7: "not synchronized",
            ]
        )
    }
}
