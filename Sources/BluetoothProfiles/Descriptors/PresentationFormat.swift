// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of a Characteristic Presentation Format descriptor (0x2904). It says how to decode the value of a
/// characteristic of unknown type.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.3.5
public struct PresentationFormat: Hashable, Sendable {
    /// The type of the value. Unknown values are kept.
    ///
    /// Spec: Assigned Numbers, 2.4.1 (GATT Format Types)
    public struct Format: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The octet on the wire.
        public let rawValue: UInt8

        /// Keeps any value, also a reserved one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The short names of the formats 0x01, 0x02 and so on.
        fileprivate static let names = [
            "boolean", "uint2", "uint4", "uint8", "uint12", "uint16", "uint24", "uint32", "uint48", "uint64",
            "uint128", "sint8", "sint12", "sint16", "sint24", "sint32", "sint48", "sint64", "sint128", "float32",
            "float64", "medfloat16", "medfloat32", "uint16[2]", "utf8s", "utf16s", "struct", "medASN1",
        ]

        fileprivate static var numbers: [UInt64: String] {
            var numbers: [UInt64: String] = [:]
            for (index, name) in names.enumerated() { numbers[UInt64(index + 1)] = name }
            return numbers
        }

        /// The specification's short name: `sint16`; or `reserved (0x1D)`.
        public var description: String { name ?? "reserved (0x\(Hex.string(rawValue, minimumDigits: 2)))" }

        /// The specification's short name; `nil` for a reserved value.
        var name: String? {
            guard rawValue >= 1, Int(rawValue) <= Self.names.count else { return nil }
            return Self.names[Int(rawValue) - 1]
        }
    }

    /// The type of the value.
    public var format: Format
    /// The power of ten by which integers are multiplied, -128 to 127.
    public var exponent: Int8
    /// The unit, 0x27xx.
    public var unit: BluetoothUUID
    /// The organisation that assigns the descriptions: 1 is the Bluetooth SIG.
    public var namespace: UInt8
    /// The number of a description that distinguishes similar values: `left`, `first`.
    public var characteristicDescription: UInt16

    /// Creates a format.
    public init(
        format: Format,
        exponent: Int8 = 0,
        unit: BluetoothUUID = 0x2700,
        namespace: UInt8 = 1,
        characteristicDescription: UInt16 = 0
    ) {
        self.format = format
        self.exponent = exponent
        self.unit = unit
        self.namespace = namespace
        self.characteristicDescription = characteristicDescription
    }
}

extension PresentationFormat: WireDecodable, WireEncodable {
    /// Decodes the format and leaves the cursor after it.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        format = Format(rawValue: try reader.uint8("format"))
        exponent = try reader.int8("exponent")
        unit = BluetoothUUID(try reader.uint16("unit"))
        namespace = try reader.uint8("namespace")
        characteristicDescription = try reader.uint16("description")
    }

    /// Appends the format's octets.
    public func encode(into writer: inout ByteWriter) {
        writer.uint8(format.rawValue)
        writer.int8(exponent)
        writer.uint16(unit.short16 ?? 0)
        writer.uint8(namespace)
        writer.uint16(characteristicDescription)
    }
}

extension PresentationFormat {
    /// `sint16 × 10^-2, Celsius temperature (degree Celsius), outside`
    public var decoded: DecodedValue { DecodedValue(self, in: .handWritten(.presentationFormat)) }

    /// The members of the descriptor, up to the first octet that is missing.
    static func describe(_ reader: inout LenientReader) -> DecodedValue {
        let format = reader.uint8("format").map { Format(rawValue: $0) }
        let exponent = reader.int8("exponent")
        let unit = reader.uint16("unit").map { BluetoothUUID($0) }
        let namespace = reader.uint8("namespace")
        let description = reader.uint16("description")
        let unitName = unit.flatMap { AssignedNumbers.unit($0)?.name }
        // Other organisations have numbers of their own.
        let place = namespace == 1 ? description.flatMap { AssignedNumbers.namespaceDescription($0) } : nil
        let power = exponent.map { $0 == 0 ? "" : " × 10^\($0)" } ?? ""
        let parts = [
            format.map { "\($0)\(power)" },
            unit.map { unitName ?? "unit \($0)" },
            // 0 means that there is no description.
            description == 0 ? nil : place,
        ]
        return DecodedValue(
            text: parts.compactMap { $0 }.joined(separator: ", "),
            content: .object([
                .init("format", .optional(format?.description)),
                .init("exponent", .optional(exponent)),
                .init("unit", .optional(unit?.description)),
                .init("unit_name", .optional(unitName)),
                .init("namespace", .optional(namespace)),
                .init("description", .optional(description)),
                .init("description_name", .optional(place)),
            ]),
            fault: reader.fault
        )
    }

    /// The members by which the descriptor is written. Those with names are accepted so that a decoded value
    /// can be encoded.
    static let fields: [FieldDescription] = [
        FieldDescription(key: "format", "format", .choice, choices: Format.names),
        FieldDescription(key: "exponent", "exponent", .number, range: -128...127, isOptional: true),
        FieldDescription(key: "unit", "unit", .text, isOptional: true),
        FieldDescription(key: "unit_name", "unit name", .text, isOptional: true),
        FieldDescription(key: "namespace", "namespace", .number, range: 0...255, isOptional: true),
        FieldDescription(key: "description", "description", .number, range: 0...0xFFFF, isOptional: true),
        FieldDescription(key: "description_name", "description name", .text, isOptional: true),
    ]

    /// The format that a decoded one describes: only `format` must be there. The unit is a UUID or a name.
    init(_ content: DecodedValue.Content) throws(FieldError) {
        let members = try Members(content, Self.fields)
        let format = try (members["format"] ?? .null).choice(Format.numbers, in: 0...0xFF, [.member("format")])
        var unit: UInt16 = 0x2700
        // The UUID comes last, because it is more exact than the name.
        for key in ["unit_name", "unit"] {
            guard let value = members[key] else { continue }
            guard case .string(let name) = value, let number = AssignedNumbers.unit(named: name) else {
                throw FieldError([.member(key)], value.quoted, .notAllowed("the name of a unit, or its UUID"))
            }
            unit = number
        }
        let description = try members.integer("description", or: 0)
        self.init(
            format: Format(rawValue: UInt8(truncatingIfNeeded: format)),
            exponent: Int8(truncatingIfNeeded: try members.integer("exponent", in: -128...127, or: 0)),
            unit: BluetoothUUID(unit),
            namespace: UInt8(truncatingIfNeeded: try members.integer("namespace", in: 0...0xFF, or: 1)),
            characteristicDescription: UInt16(truncatingIfNeeded: description)
        )
        let place = namespace == 1 ? AssignedNumbers.namespaceDescription(characteristicDescription) : nil
        try members.check("description_name", is: place)
    }

    /// Decodes a value in this format. Octets after it become its surplus. Throws if there are too few.
    public func decode(_ bytes: [UInt8]) throws(DecodeError) -> DecodedValue {
        let value = decodeAsFarAsPossible(bytes)
        if let error = value.fault?.error { throw error }
        return value
    }

    /// Decodes a value in this format; `null` with a fault if there are too few octets.
    public func decodeAsFarAsPossible(_ bytes: [UInt8]) -> DecodedValue {
        var reader = ByteReader(bytes)
        let value = decodeNext(&reader)
        return value.fault == nil ? value.with(surplus: reader.rest()) : value
    }

    /// Decodes a value in this format and leaves the cursor after it.
    func decodeNext(_ reader: inout ByteReader) -> DecodedValue {
        let symbol = AssignedNumbers.unit(unit)?.symbol ?? ""
        let unit = DecodedValue.Member("unit", symbol.isEmpty ? .null : .string(symbol))
        do throws(DecodeError) {
            let reading = try read(&reader)
            let isNumber = if case .number = reading.content { true } else { false }
            return DecodedValue(
                text: isNumber && !symbol.isEmpty ? "\(reading.text ?? "") \(symbol)" : reading.text ?? "",
                content: .object([.init("value", reading.content), unit])
            )
        } catch {
            let fault = DecodingFault(error).under(.member("value"))
            return DecodedValue(text: "", content: .object([.init("value", .null), unit]), fault: fault)
        }
    }

    /// The number or the text. An integer whose width is not a multiple of eight has whole octets on the wire, whose
    /// upper bits are ignored.
    private func read(_ reader: inout ByteReader) throws(DecodeError) -> Field.Reading {
        switch format.rawValue {
        case 0x01:
            let isTrue = try reader.uint8("value") & 1 == 1
            return Field.Reading(.bool(isTrue), isTrue ? "true" : "false")
        case 0x02: return integer(try reader.uint8("value") & 0x03)
        case 0x03: return integer(try reader.uint8("value") & 0x0F)
        case 0x04: return integer(try reader.uint8("value"))
        case 0x05: return integer(try reader.uint16("value") & 0x0FFF)
        case 0x06: return integer(try reader.uint16("value"))
        case 0x07: return integer(try reader.uint24("value"))
        case 0x08: return integer(try reader.uint32("value"))
        case 0x09: return integer(try reader.uint48("value"))
        case 0x0A: return integer(try reader.uint64("value"))
        case 0x0B: return integer(try reader.uint128("value"))
        case 0x0C: return integer(try reader.int8("value"))
        // Shifted up and down again, so that the sign bit of the narrow integer fills the upper bits.
        case 0x0D: return integer(Int16(bitPattern: try reader.uint16("value") << 4) >> 4)
        case 0x0E: return integer(try reader.int16("value"))
        case 0x0F: return integer(Int32(bitPattern: try reader.uint24("value") << 8) >> 8)
        case 0x10: return integer(Int32(bitPattern: try reader.uint32("value")))
        case 0x11: return integer(Int64(bitPattern: try reader.uint48("value") << 16) >> 16)
        case 0x12: return integer(Int64(bitPattern: try reader.uint64("value")))
        case 0x13: return integer(Int128(bitPattern: try reader.uint128("value")))
        case 0x14: return real(Float(bitPattern: try reader.uint32("value")))
        case 0x15: return real(Double(bitPattern: try reader.uint64("value")))
        case 0x16: return Field.reading(MedicalFloat(sfloat: try reader.uint16("value")), .none)
        case 0x17: return Field.reading(MedicalFloat(float: try reader.uint32("value")), .none)
        case 0x18:
            let pair = [try reader.uint16("value"), try reader.uint16("value")]
            return Field.Reading(.array(pair.map { .number($0) }), "\(pair[0]) \(pair[1])")
        case 0x19: return text(DecodedValue.string(utf8: reader.rest()))
        case 0x1A:
            var units: [UInt16] = []
            while !reader.isAtEnd { units.append(try reader.uint16("value")) }
            return text(String(decoding: units, as: UTF16.self))
        // A structure, or a format that was reserved when this was written: its length is not known, so that it
        // takes the rest.
        default: return text(Hex.string(reader.rest()))
        }
    }

    /// A scaled integer. The exponent has a meaning for integers only.
    private func integer(_ value: some FixedWidthInteger) -> Field.Reading {
        Field.reading(DecimalNumber(value, exponent: Int(exponent)), .none)
    }

    /// A floating-point number; `null` with its name as text for infinities and NaN.
    private func real(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> Field.Reading {
        guard let number = DecimalNumber(value) else { return Field.Reading(.null, value.description) }
        return Field.reading(number, .none)
    }

    private func text(_ text: String) -> Field.Reading { Field.Reading(.string(text), text) }
}
