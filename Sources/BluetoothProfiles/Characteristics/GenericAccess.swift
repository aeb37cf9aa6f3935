// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the GAP and GATT services.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 12; Vol 3, Part G, 7
    static func genericAccess(_ formats: inout FormatTable) {
        formats[0x2A00] = { .text }
        formats[0x2A01] = { .handWritten(.appearance) }
        formats[0x2A02] = {
            .fields(.choice("peripheral privacy", .u8, [0: "disabled", 1: "enabled"]))
        }
        formats[0x2A03] = { .fields(Field("reconnection address", .address)) }
        formats[0x2A04] = fields([
            .number("minimum interval", .u16, .milliseconds, times: 125, e: -2, not: [0xFFFF: "not specified"]),
            .number("maximum interval", .u16, .milliseconds, times: 125, e: -2, not: [0xFFFF: "not specified"]),
            .number("latency", .u16),
            .number("supervision timeout", .u16, .milliseconds, times: 10, not: [0xFFFF: "not specified"]),
        ])
        formats[0x2A05] = { .fields(.handle("start handle"), .handle("end handle")) }
        formats[0x2AA6] = {
            .fields(.choice("central address resolution", .u8, [0: "not supported", 1: "supported"]))
        }
        formats[0x2AC9] = {
            .fields(.choice("resolvable private address only", .u8, [0: "in use after bonding"]))
        }
        formats[0x2B29] = fields([
            .bits(
                "client features",
                .u8,
                ["robust caching", "enhanced att bearer", "multiple handle value notifications"]
            )
        ])
        formats[0x2B2A] = { .fields(.hex("database hash", octets: 16)) }
        formats[0x2B3A] = { .fields(.bits("server features", .u8, ["enhanced att bearer"])) }
        formats[0x2BF5] = { .fields(.repeated("security levels", securityLevel)) }
    }

    /// Spec: Core 5.4, Vol 3, Part C, 12.7
    private static var securityLevel: Field {
        .object("security level", separator: " ", .number("mode", .u8), .number("level", .u8))
    }
}
