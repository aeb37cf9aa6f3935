// SPDX-License-Identifier: MIT

import Bluetooth

/// The meaning of contents in fields that select names or numbers.
extension DecodedValue.Content {
    func bool(_ path: [FieldError.Step]) throws(FieldError) -> Bool {
        guard case .bool(let value) = self else { throw FieldError(path, quoted, .notAllowed("true or false")) }
        return value
    }

    func integer(in range: ClosedRange<Int128>, _ path: [FieldError.Step]) throws(FieldError) -> Int128 {
        guard case .number(let number) = self else { throw FieldError(path, quoted, .notAllowed("a number")) }
        guard let value = number.rounded(dividedBy: 1), DecimalNumber(value) == number, range.contains(value) else {
            let (lowest, highest) = ("\(range.lowerBound)", "\(range.upperBound)")
            throw FieldError(path, quoted, .outOfRange(lowest: lowest, highest: highest))
        }
        return value
    }

    /// One of several names, or its number; also a reserved number.
    func choice(
        _ names: [UInt64: String],
        in range: ClosedRange<Int128>,
        _ path: [FieldError.Step]
    ) throws(FieldError) -> UInt64 {
        if case .number = self { return UInt64(truncatingIfNeeded: try integer(in: range, path)) }
        if case .string(let name) = self {
            let key = NameKey(name.utf8)
            // Names that differ in signs only are distinguished by their whole spelling.
            if let number = names.first(where: { $0.value == name })?.key { return number }
            if let number = names.first(where: { NameKey($0.value.utf8) == key })?.key { return number }
            // The text of a reserved number is parsed back to the number, so that every decoded value can be encoded.
            if name.hasPrefix("reserved ("), name.hasSuffix(")"),
                let value = Int128(numeral: name.dropFirst(10).dropLast()),
                range.contains(value)
            {
                return UInt64(truncatingIfNeeded: value)
            }
        }
        let sorted = names.sorted { $0.key < $1.key }.map(\.value)
        throw FieldError(path, quoted, .notAllowed(Self.oneOf(sorted, near: self) + ", or a number"))
    }

    func bits(_ names: BitNames, of integer: IntegerFormat, _ path: [FieldError.Step]) throws(FieldError) -> UInt64 {
        if case .number = self { return UInt64(truncatingIfNeeded: try self.integer(in: integer.range, path)) }
        guard case .array(let elements) = self else {
            throw FieldError(path, quoted, .notAllowed("an array of names, or a number"))
        }
        var word: UInt64 = 0
        var decided: UInt64 = 0
        for (index, element) in elements.enumerated() {
            let path = path + [.element(index)]
            guard case .string(let name) = element, let found = names.bits(named: name, of: 8 * integer.octets) else {
                throw FieldError(path, element.quoted, .notAllowed(Self.oneOf(names.all, near: element)))
            }
            // Two names of one selection exclude each other.
            guard decided & found.mask == 0 || word & found.mask == found.set else {
                throw FieldError(path, element.quoted, .notAllowed("possible together with the names before it"))
            }
            word |= found.set
            decided |= found.mask
        }
        return word
    }

    /// `one of 'low', 'high'`; of many names only those that are near.
    static func oneOf(_ names: [String], near wanted: DecodedValue.Content) -> String {
        func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
        if names.count <= 12 { return names.isEmpty ? "known" : "one of \(list(names))" }
        if case .string(let name) = wanted {
            let near = names.near(name)
            if !near.isEmpty { return "one of \(names.count) names (near ones: \(list(near)))" }
        }
        return "one of \(list(Array(names.prefix(12)))) and \(names.count - 12) more"
    }
}
