// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
package import BluetoothProfiles
import Terminal

/// Writes JSON into one buffer. Every record goes through it.
///
/// The output equals that of FoundationEssentials' encoder with sorted keys and unescaped slashes, which a test
/// verifies. In addition, it escapes characters that a terminal might obey or that would mislead a reader, because
/// people read JSON as well. The caller writes the keys of an object in their order.
@usableFromInline
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Empties the buffer and keeps its memory.
    package mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    mutating func lineFeed() { bytes.append(UInt8(ascii: "\n")) }

    // MARK: - Objects and arrays

    /// An object; `body` writes its members.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// An array with the output of `body` for each element.
    @inlinable
    package mutating func array<Element>(
        _ elements: some Sequence<Element>,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        beginArray()
        for element in elements { body(&self, element) }
        endArray()
    }

    @usableFromInline
    mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
    }

    @usableFromInline
    mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// The key of the member whose value is written next.
    ///
    /// - Parameter name: The name as JSON, with the colon behind it.
    package mutating func key(_ name: [UInt8]) {
        separate()
        bytes.append(contentsOf: name)
    }

    package mutating func member(_ name: String, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    private mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a comma between members and elements.
    private mutating func separate() {
        // The last octet suffices, because every text ends with a quotation mark.
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    // MARK: - Values

    @usableFromInline
    package mutating func null() { literal("null") }

    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    @inlinable
    package mutating func integer(_ value: some FixedWidthInteger) {
        integer(UInt64(value.magnitude), isNegative: value < 0)
    }

    @usableFromInline
    mutating func integer(_ magnitude: UInt64, isNegative: Bool) {
        separate()
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        digits(magnitude)
    }

    /// A number; `null` if it is infinite or not a number, which JSON cannot represent.
    package mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        let text = value.description.utf8
        bytes.append(contentsOf: text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text[...])
    }

    /// A decimal number: with its own digits if a `Double` has that precision, otherwise as a `Double`.
    package mutating func number(_ value: DecimalNumber) {
        let magnitude = value.magnitude
        let isExact = value.exponent == 0 && magnitude <= (value.isNegative ? UInt128(1) << 63 : UInt128(UInt64.max))
        // A `Double` keeps any 15 decimal digits, so that a reader gets the number that was written.
        guard isExact || value.exponent < 0 && magnitude < 1_000_000_000_000_000, value.exponent >= -15 else {
            if let value = Double(value.description) { number(value) } else { null() }
            return
        }
        let text = UInt64(magnitude)
        guard !isExact else {
            return integer(text, isNegative: value.isNegative)
        }
        // Below 0.0001 a `Double` is written with an exponent.
        var unit: UInt64 = 1
        for _ in 0..<(-value.exponent) { unit *= 10 }
        guard text.multipliedReportingOverflow(by: 10_000).partialValue >= unit else {
            if let value = Double(value.description) { number(value) } else { null() }
            return
        }
        separate()
        if value.isNegative { bytes.append(UInt8(ascii: "-")) }
        digits(text / unit)
        bytes.append(UInt8(ascii: "."))
        digits(text % unit, minimum: -value.exponent)
    }

    private mutating func digits(_ value: UInt64, minimum: Int = 1) {
        // 2⁶⁴ has 20 digits, and no more than 15 are asked for.
        var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var rest = value
        var start = text.count
        while rest > 0 || text.count - start < minimum, start > 0 {
            start -= 1
            text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        text.span.extracting(droppingFirst: start).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    // MARK: - Text

    /// Text of ASCII characters that need no escaping.
    package mutating func plain(_ text: Span<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func time(_ time: WallTime) { plain(time.text.span) }

    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { octets in
            guard octets.allSatisfy(Self.isPlain) else { return false }
            bytes.append(contentsOf: octets)
            return true
        }
        if !isPlain {
            for scalar in text.unicodeScalars { escaped(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Octets as text: two digits each.
    package mutating func hex(_ octets: some Collection<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for octet in octets {
            bytes.append(Self.digit(octet >> 4))
            bytes.append(Self.digit(octet & 0x0F))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet < 0x7F && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
    }

    /// Appends a scalar that may need an escape. Scalars that a terminal might obey are escaped as well, although
    /// JSON allows them, because one may show the records.
    private mutating func escaped(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"", "\\": pair(UInt8(truncatingIfNeeded: scalar.value))
        case "\n": pair(UInt8(ascii: "n"))
        case "\r": pair(UInt8(ascii: "r"))
        case "\t": pair(UInt8(ascii: "t"))
        case "\u{08}": pair(UInt8(ascii: "b"))
        case "\u{0C}": pair(UInt8(ascii: "f"))
        case " "..."~": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        default:
            guard TerminalText.isUnsafe(scalar) else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                return
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                pair(UInt8(ascii: "u"))
                for shift in [12, 8, 4, 0] as [UInt16] {
                    bytes.append(Self.digit(UInt8(truncatingIfNeeded: unit >> shift & 0x0F)))
                }
            }
        }
    }

    private mutating func pair(_ second: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(second)
    }

    // MARK: - Trees

    /// The members in the order of their keys. There are few, and selecting one after the other allocates no memory.
    private mutating func members(_ members: [JSONValue.Member]) {
        var last: String?
        while let next = members.lazy.filter({ member in last.map { $0 < member.key } ?? true })
            .min(by: { $0.key < $1.key })
        {
            key(next.key)
            value(next.value)
            last = next.key
        }
    }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let number): self.number(number)
        case .string(let text): string(text)
        case .array(let elements): array(elements) { $0.value($1) }
        case .object(let members): object { $0.members(members) }
        }
    }
}
