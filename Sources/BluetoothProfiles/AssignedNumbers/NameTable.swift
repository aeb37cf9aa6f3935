// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Names by number in one static text, which is searched in place, so that no table is built when the program starts.
///
/// The text has one line per entry, sorted: the number in `keyDigits` upper-case hex digits, a space, the name. Lines
/// can be compared octet by octet, because the octets of ASCII characters never occur within a longer UTF-8 sequence.
struct NameTable: Sendable {
    /// One line of a table, valid inside the closure that receives it.
    typealias Line = Slice<UnsafeBufferPointer<UInt8>>

    private let keyDigits: Int
    private let text: StaticString

    init(keyDigits: Int, _ text: StaticString) {
        self.keyDigits = keyDigits
        self.text = text
    }

    /// The name of a number, found by binary search; `nil` if there is none.
    func name(of number: some FixedWidthInteger & UnsignedInteger) -> String? {
        let key = Array(Hex.string(number, minimumDigits: keyDigits).utf8)
        return text.withUTF8Buffer { octets in
            var low = 0
            var high = octets.count
            while low < high {
                let middle = low + (high - low) / 2
                let start = Self.lineStart(octets, before: middle, from: low)
                let end = Self.lineEnd(octets, after: middle)
                let line = octets[start..<end]
                if line.prefix(keyDigits).elementsEqual(key) {
                    return String(decoding: line.dropFirst(keyDigits + 1), as: UTF8.self)
                }
                if line.prefix(keyDigits).lexicographicallyPrecedes(key) {
                    low = end + 1
                } else {
                    high = start
                }
            }
            return nil
        }
    }

    /// Passes the entries to `body` in the order of their numbers, until it returns `false`. The names are not copied.
    func forEach(_ body: (_ number: UInt128, _ name: Line) -> Bool) {
        text.withUTF8Buffer { octets in
            var start = 0
            while start < octets.count {
                let end = Self.lineEnd(octets, after: start)
                let line = octets[start..<end]
                let number = line.prefix(keyDigits).reduce(UInt128(0)) { $0 << 4 | UInt128(Self.digit($1)) }
                guard body(number, line.dropFirst(keyDigits + 1)) else { return }
                start = end + 1
            }
        }
    }

    private static func lineStart(_ octets: UnsafeBufferPointer<UInt8>, before index: Int, from low: Int) -> Int {
        var start = index
        while start > low, octets[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        return start
    }

    private static func lineEnd(_ octets: UnsafeBufferPointer<UInt8>, after index: Int) -> Int {
        var end = index
        while end < octets.count, octets[end] != UInt8(ascii: "\n") { end += 1 }
        return end
    }

    private static func digit(_ character: UInt8) -> UInt8 {
        character <= UInt8(ascii: "9") ? character &- UInt8(ascii: "0") : character &- UInt8(ascii: "A") &+ 10
    }
}
