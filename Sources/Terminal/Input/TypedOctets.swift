// SPDX-License-Identifier: GPL-2.0-or-later

/// The octets that were typed and that are no character yet.
struct TypedOctets {
    private var begun: [UInt8] = []

    package mutating func append(_ octet: UInt8) { begun.append(octet) }

    /// Takes the character, if all of its octets are there; `nil` until then. Invalid octets become U+FFFD.
    ///
    /// An octet that does not continue the character before it belongs to the next one, which may be complete: this is
    /// called until it returns `nil`.
    package mutating func character() -> Unicode.Scalar? {
        let length =
            switch begun.first ?? 0 {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let isBroken = begun.dropFirst().contains { !(0x80...0xBF ~= $0) }
        guard begun.count >= length || isBroken else { return nil }
        let octets = isBroken ? begun.dropLast() : begun[...]
        begun.removeFirst(octets.count)
        return String(decoding: octets, as: UTF8.self).unicodeScalars.first
    }
}
