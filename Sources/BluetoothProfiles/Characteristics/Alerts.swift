// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the services that alert the user.
    ///
    /// Spec: Immediate Alert, Link Loss, Tx Power, Phone Alert Status and Alert Notification Services 1.0
    static func alerts(_ formats: inout FormatTable) {
        formats[0x2A06] = {
            .fields(.choice("alert level", .u8, [0: "no alert", 1: "mild alert", 2: "high alert"]))
        }
        formats[0x2A07] = { .fields(.number("tx power", .s8, .decibelMilliwatts, in: -100...20)) }
        formats[0x2A3F] = {
            .fields(.bits("alert status", .u8, ["ringer active", "vibration active", "display alert active"]))
        }
        formats[0x2A40] = fields([
            .choice("ringer control point", .u8, [1: "silent mode", 2: "mute once", 3: "cancel silent mode"])
        ])
        formats[0x2A41] = { .fields(.choice("ringer setting", .u8, [0: "silent", 1: "normal"])) }
        formats[0x2A42] = { .fields(categoryMask) }
        formats[0x2A43] = { .fields(category) }
        formats[0x2A44] = fields([
            .choice(
                "command",
                .u8,
                [
                    0: "enable new alerts", 1: "enable unread status", 2: "disable new alerts",
                    3: "disable unread status", 4: "notify new alerts now", 5: "notify unread status now",
                ]
            ),
            category,
        ])
        formats[0x2A45] = {
            .fields(category, .number("unread count", .u8, not: [255: "more than 254"]))
        }
        formats[0x2A46] = { .fields(category, .number("new alerts", .u8), .text("text")) }
        for uuid: BluetoothUUID in [0x2A47, 0x2A48] { formats[uuid] = { .fields(categoryMask) } }
    }

    /// The categories of alerts by their numbers, from 0.
    private static let categories = [
        "simple alert", "email", "news", "call", "missed call", "sms/mms", "voice mail", "schedule",
        "high prioritized alert", "instant message",
    ]

    /// Servers may leave out the second octet.
    private static var categoryMask: Field { .bits("categories", .u8or16, categories) }

    /// A category of alerts in one octet. 251 to 254 are for services of their own, and 255 is all of them.
    private static var category: Field {
        var names: [UInt64: String] = [255: "all categories"]
        for (number, name) in categories.enumerated() { names[UInt64(number)] = name }
        for number: UInt64 in 251...254 { names[number] = "defined by the service (\(number))" }
        return .choice("category", .u8, names)
    }

    /// Characteristics of the Human Interface Device and Scan Parameters services.
    ///
    /// Spec: HID Service 1.0, 2; Scan Parameters Service 1.0, 3
    static func inputDevice(_ formats: inout FormatTable) {
        formats[0x2A31] = { .fields(.choice("scan refresh", .u8, [0: "server requires refresh"])) }
        formats[0x2A4A] = fields([
            hidVersion,
            .number("country code", .u8),
            .bits("features", .u8, ["remote wake", "normally connectable"]),
        ])
        formats[0x2A4B] = { .fields(.hex("report map")) }
        formats[0x2A4C] = {
            .fields(.choice("hid control point", .u8, [0: "suspend", 1: "exit suspend"]))
        }
        formats[0x2A4E] = { .fields(.choice("protocol mode", .u8, [0: "boot", 1: "report"])) }
        formats[0x2A4F] = fields([
            .number("scan interval", .u16, .milliseconds, times: 625, e: -3),
            .number("scan window", .u16, .milliseconds, times: 625, e: -3),
        ])
    }

    private static var hidVersion: Field { Field("hid version", .hidVersion) }
}
