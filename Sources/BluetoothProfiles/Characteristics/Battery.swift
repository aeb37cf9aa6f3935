// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Battery service.
    ///
    /// Spec: Battery Service 1.1, 3
    static func battery(_ formats: inout FormatTable) {
        formats[0x2A19] = { .batteryLevel }
        formats[0x2BE9] = {
            .fields(.bits("battery critical status", .u8, ["critical power state", "immediate service required"]))
        }
        formats[0x2BEA] = fields([
            .flags(.u8),
            .number("health", .u8, .percent, in: 0...100, if: .set(0)),
            .number("cycle count", .u16, if: .set(1)),
            .number("temperature", .s8, .celsius, not: temperatureBounds, if: .set(2)),
            .number("deep discharge count", .u16, if: .set(3)),
        ])
        formats[0x2BEB] = fields([
            .flags(.u8),
            .number("designed cycle count", .u16, if: .set(0)),
            .number("minimum temperature", .s8, .celsius, not: temperatureBounds, if: .set(1)),
            .number("maximum temperature", .s8, .celsius, not: temperatureBounds, if: .set(1)),
        ])
        formats[0x2BEC] = { batteryInformation }
        formats[0x2BED] = { batteryLevelStatus }
        formats[0x2BEE] = fields([
            .flags(.u8),
            .number("until discharged", .u24, .minutes, not: minuteBounds),
            .number("until discharged on standby", .u24, .minutes, not: minuteBounds, if: .set(0)),
            .number("until recharged", .u24, .minutes, not: minuteBounds, if: .set(1)),
        ])
        formats[0x2BEF] = { .fields(.dateUTC("estimated service date")) }
        formats[0x2BF0] = fields([
            .flags(.u8),
            .sfloat("external source power", .watts, if: .set(0)),
            .sfloat("voltage", .volts, if: .set(1)),
            .sfloat("available energy", .kilowattHours, if: .set(2)),
            .sfloat("available capacity", .kilowattHours, if: .set(3)),
            .sfloat("charge rate", .watts, if: .set(4)),
            .sfloat("energy at last charge", .kilowattHours, if: .set(5)),
        ])
    }

    /// The largest and the smallest signed octet, which mean all temperatures beyond them.
    private static var temperatureBounds: [UInt64: String] { [0x7F: "above 126 °C", 0x80: "below -127 °C"] }

    /// The integers of 24 bits that are not a time in minutes. The largest time is 0xFFFFFD.
    private static var minuteBounds: [UInt64: String] {
        [0xFF_FFFF: "not known", 0xFF_FFFE: "more than 16777213 min"]
    }

    private static var batteryInformation: CharacteristicFormat {
        .fields(
            .flags(.u16),
            .bits("features", .u8, ["replaceable", "rechargeable"]),
            .dateUTC("manufacture date", if: .set(0)),
            .dateUTC("expiration date", if: .set(1)),
            .sfloat("designed capacity", .kilowattHours, if: .set(2)),
            .sfloat("low energy", .kilowattHours, if: .set(3)),
            .sfloat("critical energy", .kilowattHours, if: .set(4)),
            .choice(
                "chemistry",
                .u8,
                [
                    0: "unknown", 1: "alkaline", 2: "lead acid", 3: "lithium iron disulfide",
                    4: "lithium manganese dioxide", 5: "lithium ion", 6: "lithium polymer", 7: "nickel oxyhydroxide",
                    8: "nickel cadmium", 9: "nickel-metal hydride", 10: "silver oxide", 11: "zinc chloride",
                    12: "zinc air", 13: "zinc carbon", 255: "other",
                ],
                if: .set(5)
            ),
            .sfloat("nominal voltage", .volts, if: .set(6)),
            .number("aggregation group", .u8, not: [0: "none"], if: .set(7))
        )
    }

    private static var batteryLevelStatus: CharacteristicFormat {
        let connected: [UInt64: String] = [0: "not connected", 1: "connected", 2: "not known"]
        return .fields(
            .flags(.u8),
            .word(.u16),
            .bit("battery present", 0),
            .part("wired power", 1...2, connected),
            .part("wireless power", 3...4, connected),
            .part(
                "charge state",
                5...6,
                [0: "not known", 1: "charging", 2: "discharging (active)", 3: "discharging (inactive)"]
            ),
            .part("charge level", 7...8, [0: "not known", 1: "good", 2: "low", 3: "critical"]),
            .part(
                "charging type",
                9...11,
                [
                    0: "not known or not charging", 1: "constant current", 2: "constant voltage", 3: "trickle",
                    4: "float",
                ]
            ),
            .bit("battery fault while charging", 12),
            .bit("external power fault", 13),
            .bit("other charging fault", 14),
            .number("identifier", .u16, if: .set(0)),
            .number("battery level", .u8, .percent, in: 0...100, if: .set(1)),
            .word(.u8, if: .set(2)),
            .part("service required", 0...1, [0: "no", 1: "yes", 2: "not known"]),
            .bit("battery fault", 2)
        )
    }
}
