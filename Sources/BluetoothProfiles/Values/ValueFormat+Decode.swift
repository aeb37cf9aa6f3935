// SPDX-License-Identifier: MIT

import Bluetooth

extension ValueFormat {
    /// Decodes a value. A single number becomes a number, several become an array.
    public func decode(_ bytes: [UInt8]) throws(ValueFormatError) -> DecodedValue {
        switch kind {
        case .hex, .raw:
            let text = Hex.string(bytes)
            return DecodedValue(text: text, content: .string(text))
        case .utf8:
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText(self) }
            return DecodedValue(text: text, content: .string(text))
        case .utf16:
            var units: [UInt16] = []
            for element in try elements(bytes) { units.append(UInt16(truncatingIfNeeded: element)) }
            guard let text = String(validating: units, as: UTF16.self) else { throw .notText(self) }
            return DecodedValue(text: text, content: .string(text))
        case .unsigned:
            return Self.value(try elements(bytes).map { .number($0) })
        case .signed(let octets):
            let shift = 64 - 8 * octets
            return Self.value(
                try elements(bytes).map { .number(Int64(bitPattern: $0 << UInt64(shift)) >> Int64(shift)) }
            )
        case .float(let octets):
            return Self.value(
                try elements(bytes).map {
                    octets == 4
                        ? Self.number(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))
                        : Self.number(Double(bitPattern: $0))
                }
            )
        case .medicalFloat(let octets):
            return Self.value(
                try elements(bytes).map {
                    let number =
                        octets == 2
                        ? MedicalFloat(sfloat: UInt16(truncatingIfNeeded: $0))
                        : MedicalFloat(float: UInt32(truncatingIfNeeded: $0))
                    return number.number.map { .number($0) } ?? .string(number.description)
                }
            )
        }
    }

    /// The numbers of the value, in the size and the octet order of the format.
    private func elements(_ bytes: [UInt8]) throws(ValueFormatError) -> [UInt64] {
        guard let size = elementOctets else { return [] }
        let isText = kind == .utf16
        // An empty text is a text, but an empty value is not a number.
        guard bytes.count.isMultiple(of: size), isText || !bytes.isEmpty else {
            throw .wrongLength(format: self, octets: bytes.count, unit: size)
        }
        var elements: [UInt64] = []
        var element: [UInt8] = []
        for byte in bytes {
            element.append(byte)
            guard element.count == size else { continue }
            if !isBigEndian { element.reverse() }
            elements.append(element.reduce(0) { $0 << 8 | UInt64($1) })
            element = []
        }
        return elements
    }

    /// A number. NaN and the infinities become text, because JSON has no such numbers.
    private static func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> DecodedValue.Content {
        DecimalNumber(value).map { .number($0) } ?? .string(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")
    }

    private static func value(_ elements: [DecodedValue.Content]) -> DecodedValue {
        let texts = elements.map { element in
            switch element {
            case .number(let number): number.description
            case .string(let text): text
            default: ""
            }
        }
        let content = elements.count == 1 ? elements.first : nil
        return DecodedValue(text: texts.joined(separator: " "), content: content ?? .array(elements))
    }
}
