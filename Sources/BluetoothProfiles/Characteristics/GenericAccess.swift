// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the GAP and GATT services.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 12; Vol 3, Part G, 7
    static func genericAccess(_ short: UInt16) -> CharacteristicFormat? {
        switch short {
        case 0x2A00: .text
        case 0x2A01: appearance
        case 0x2A02: .fields(.choice("peripheral privacy", .u8, [0: "disabled", 1: "enabled"]))
        case 0x2A03: .fields(.address("reconnection address"))
        case 0x2A04:
            .fields(
                .number("minimum interval", .u16, .milliseconds, times: 125, e: -2, not: [0xFFFF: "not specified"]),
                .number("maximum interval", .u16, .milliseconds, times: 125, e: -2, not: [0xFFFF: "not specified"]),
                .number("latency", .u16),
                .number("supervision timeout", .u16, .milliseconds, times: 10, not: [0xFFFF: "not specified"])
            )
        case 0x2A05: .fields(.handle("start handle"), .handle("end handle"))
        case 0x2AA6: .fields(.choice("central address resolution", .u8, [0: "not supported", 1: "supported"]))
        case 0x2AC9: .fields(.choice("resolvable private address only", .u8, [0: "in use after bonding"]))
        case 0x2B29:
            .fields(
                .bits(
                    "client features",
                    .u8,
                    ["robust caching", "enhanced att bearer", "multiple handle value notifications"]
                )
            )
        case 0x2B2A: .fields(.hex("database hash", octets: 16))
        case 0x2B3A: .fields(.bits("server features", .u8, ["enhanced att bearer"]))
        case 0x2BF5: .fields(.repeated("security levels", securityLevel))
        default: nil
        }
    }

    /// Spec: Core 5.4, Vol 3, Part C, 12.2; Assigned Numbers, 2.6
    private static var appearance: CharacteristicFormat {
        CharacteristicFormat { (reader) throws(DecodeError) in
            let value = try reader.uint16("appearance")
            let name = AssignedNumbers.appearanceName(value)
            let number = "0x" + Hex.string(value, minimumDigits: 4)
            return DecodedValue(
                text: name.map { "\($0) (\(number))" } ?? number,
                content: .object([
                    .init("appearance", .number(value)),
                    .init("appearance_name", name.map { .string($0) } ?? .null),
                ])
            )
        }
    }

    /// Spec: Core 5.4, Vol 3, Part C, 12.7
    private static var securityLevel: Field {
        Field("security level") { (reader, _) throws(DecodeError) in
            let mode = try reader.uint8("security mode")
            let level = try reader.uint8("security level")
            let text = "mode \(mode) level \(level)"
            return Field.Reading(.object([.init("mode", .number(mode)), .init("level", .number(level))]), text)
        }
    }
}

extension Field {
    /// A device address.
    static func address(_ name: String) -> Field {
        Field(name) { (reader, _) throws(DecodeError) in
            let address = try BluetoothAddress(from: &reader).description
            return Reading(.string(address), address)
        }
    }
}
