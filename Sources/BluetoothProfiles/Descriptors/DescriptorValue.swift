// SPDX-License-Identifier: MIT

public import Bluetooth

/// Decodes the values of descriptors and of the GATT declarations.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.1 to 3.3; GATT Specification Supplement
public enum DescriptorValue {
    /// Decodes a descriptor's or a declaration's value; `nil` if its format is unknown. Throws if the value does not
    /// have that format.
    ///
    /// - Parameters:
    ///   - bytes: The value.
    ///   - uuid: The type of the descriptor or declaration.
    ///   - characteristic: The characteristic of the descriptor, because a Valid Range has its format.
    public static func decode(
        _ bytes: [UInt8],
        of uuid: BluetoothUUID,
        characteristic: BluetoothUUID? = nil
    ) throws(DecodeError) -> DecodedValue? {
        let value = decodeAsFarAsPossible(bytes, of: uuid, characteristic: characteristic)
        if let error = value?.fault?.error { throw error }
        return value
    }

    /// Decodes as `decode` does, but up to the first fault of a value that does not have the format.
    public static func decodeAsFarAsPossible(
        _ bytes: [UInt8],
        of uuid: BluetoothUUID,
        characteristic: BluetoothUUID? = nil
    ) -> DecodedValue? {
        guard let short = uuid.short16 else { return nil }
        if short == 0x2906 { return validRange(bytes, characteristic) }
        return format(of: short)?.decodeAsFarAsPossible(bytes)
    }

    /// The format of the values of a descriptor; `nil` if it is unknown, or is that of the characteristic.
    package static func format(ofDescriptor descriptor: BluetoothUUID) -> CharacteristicFormat? {
        descriptor.short16.flatMap { format(of: $0) }
    }

    /// The format of a value by the 16-bit UUID of its type: 0x28xx for declarations, 0x29xx for descriptors. `nil` for
    /// unknown types, and for Valid Range (0x2906), which has the format of its characteristic.
    static func format(of short: UInt16) -> CharacteristicFormat? {
        switch short {
        case 0x2800, 0x2801: .fields(.uuid("service"))
        case 0x2802: .fields(.handle("service handle"), .handle("end handle"), .uuid("service", isOptional: true))
        case 0x2803: .fields(.bits("properties", .u8, properties), .handle("value handle"), .uuid("characteristic"))
        case 0x2900: .fields(.bits("extended properties", .u16, ["reliable write", "writable auxiliaries"]))
        case 0x2901: .text
        case 0x2902: .fields(.bits("configuration", .u16, ["notifications", "indications"]))
        case 0x2903: .fields(.bits("configuration", .u16, ["broadcasts"]))
        case 0x2904: .handWritten(.presentationFormat)
        case 0x2905: .fields(.repeated("formats", .handle("format")))
        case 0x2907: .fields(.uuid("characteristic"))
        case 0x2908:
            .fields(
                .number("report id", .u8),
                .choice("report type", .u8, [1: "input", 2: "output", 3: "feature"])
            )
        case 0x2909: .fields(.number("number of digitals", .u8))
        // The operand depends on the condition, and partly on the format of the characteristic, so that it
        // stays octets.
        case 0x290A: .fields(.choice("condition", .u8, valueTriggers), .hex("value"))
        case 0x290B: .fields(.choice("triggers", .u8, [0: "all of them", 1: "any of them"]))
        case 0x290C:
            .fields(
                // Flags, all of which are reserved.
                .skipped([0, 0]),
                .choice("sampling function", .u8, samplingFunctions),
                .number("measurement period", .u24, .seconds, not: [0: "not in use"]),
                .number("update interval", .u24, .seconds, not: [0: "not in use"]),
                .number("application", .u8),
                .number("uncertainty", .u8, .percent, b: -1, not: [0xFF: "not known"])
            )
        case 0x290D: .fields(.choice("condition", .u8, environmentalTriggers), .hex("operand"))
        case 0x290E: .fields(.choice("condition", .u8, timeTriggers), .hex("value"))
        default: nil
        }
    }

    /// The names of the properties by their bits, from bit 0.
    private static let properties = [
        "broadcast", "read", "write without response", "write", "notify", "indicate", "authenticated signed writes",
        "extended properties",
    ]

    private static let valueTriggers: [UInt64: String] = [
        0: "value changed", 1: "crossed a boundary", 2: "on the boundary", 3: "bits changed",
        4: "inside or outside an interval", 5: "on the boundaries of an interval", 6: "none",
    ]

    private static let timeTriggers: [UInt64: String] = [
        0: "none", 1: "every interval", 2: "not more often than an interval", 3: "after a number of changes",
    ]

    /// The ways in which Environmental Sensing Measurement says that a value came about.
    private static let samplingFunctions: [UInt64: String] = [
        0: "not specified", 1: "instantaneous", 2: "arithmetic mean", 3: "root mean square", 4: "maximum",
        5: "minimum", 6: "accumulated", 7: "count",
    ]

    /// The conditions of Environmental Sensing Trigger Setting.
    private static let environmentalTriggers: [UInt64: String] = [
        0: "inactive", 1: "at a fixed interval", 2: "not more often than an interval", 3: "value changed",
        4: "less than", 5: "less than or equal to", 6: "greater than", 7: "greater than or equal to", 8: "equal to",
        9: "not equal to",
    ]

    /// Two values in the format of the characteristic: the lowest and the highest.
    ///
    /// Spec: GATT Specification Supplement, Valid Range
    private static func validRange(_ bytes: [UInt8], _ characteristic: BluetoothUUID?) -> DecodedValue {
        // The two values may have any length, but the same one.
        let half = bytes.count / 2
        let ends = [Array(bytes[..<half]), Array(bytes[half...])]
        let decoded = ends.compactMap { end in
            characteristic.flatMap { CharacteristicFormat.of($0)?.decodeAsFarAsPossible(end) }
        }
        let isEven = bytes.count.isMultiple(of: 2)
        guard isEven, half > 0, decoded.count == 2,
            decoded.allSatisfy({ $0.surplus.isEmpty && $0.fault?.isEnd != true })
        else {
            let text = Hex.string(bytes)
            let why =
                isEven ? "it is not two values of the characteristic" : "an odd number of octets is not two values"
            // Without a format, the octets cannot be called wrong.
            let isKnown = decoded.count == 2 || !isEven
            return DecodedValue(
                text: text,
                content: .object([.init("range", .string(text))]),
                fault: isKnown ? DecodingFault("valid range", .contradictory(why)) : nil
            )
        }
        return DecodedValue(
            text: "\(decoded[0].text) to \(decoded[1].text)",
            content: .object([.init("lower", decoded[0].content), .init("upper", decoded[1].content)]),
            fault: decoded[0].fault?.under(.member("lower")) ?? decoded[1].fault?.under(.member("upper"))
        )
    }
}
