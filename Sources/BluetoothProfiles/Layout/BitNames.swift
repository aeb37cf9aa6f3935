// SPDX-License-Identifier: MIT

/// The meaning of the bits of an integer: a name each, and neighbouring bits that select one of several names.
struct BitNames: Hashable, Sendable {
    /// Bits that together select one of several names. A value without a name, other than 0, is reserved.
    struct Selection: Hashable, Sendable {
        /// The neighbouring bits, with bit 0 as the least significant one of the integer.
        let bits: ClosedRange<Int>
        /// The names by the number that the bits are, shifted down to bit 0.
        let names: [UInt64: String]

        var mask: UInt64 { UInt64(bits: bits) }

        /// The number that the bits of an integer are, shifted down to bit 0.
        func value(in word: UInt64) -> UInt64 { (word & mask) >> UInt64(bits.lowerBound) }
    }

    /// The names in the order of the bits, from bit 0; those with empty names are reserved.
    let names: [String]
    /// The groups of bits that select names. A bit of a group needs no name in `names`.
    var selections: [Selection] = []
    /// The text for an integer without any name.
    var none = "none"

    func names(in word: UInt64) -> [String] {
        var found: [String] = []
        var bit = 0
        // Bits above a shorter integer are clear.
        while bit < 64 {
            if !selections.isEmpty, let selection = selections.first(where: { $0.bits.lowerBound == bit }) {
                let value = selection.value(in: word)
                if let name = selection.names[value] {
                    found.append(name)
                } else if value != 0 {
                    found.append("reserved (\(value))")
                }
                bit = selection.bits.upperBound + 1
                continue
            }
            if word >> UInt64(bit) & 1 == 1 {
                let known = bit < names.count ? names[bit] : ""
                found.append(known.isEmpty ? "reserved (bit \(bit))" : known)
            }
            bit += 1
        }
        return found
    }

    /// The bits that a name sets, and all bits of its field; `nil` if the low `count` bits have no such name. Only
    /// letters and digits count.
    func bits(named name: String, of count: Int) -> (set: UInt64, mask: UInt64)? {
        let key = NameKey(name.utf8)
        for selection in selections {
            for (value, other) in selection.names where NameKey(other.utf8) == key {
                return (value << UInt64(selection.bits.lowerBound), selection.mask)
            }
        }
        for bit in 0..<count {
            let known = bit < names.count ? names[bit] : ""
            let other = known.isEmpty ? "reserved (bit \(bit))" : known
            if NameKey(other.utf8) == key { return (1 << UInt64(bit), 1 << UInt64(bit)) }
        }
        // The text that `names(in:)` gives to a reserved number leads back to it.
        guard selections.count == 1, let selection = selections.first, name.hasPrefix("reserved ("),
            name.hasSuffix(")"),
            let value = UInt64(name.dropFirst(10).dropLast()), value <= UInt64(lowBits: selection.bits.count)
        else { return nil }
        return (value << UInt64(selection.bits.lowerBound), selection.mask)
    }

    var all: [String] {
        var all: [String] = []
        for bit in 0..<64 {
            if bit < names.count, !names[bit].isEmpty { all.append(names[bit]) }
            for selection in selections where selection.bits.lowerBound == bit {
                all += selection.names.sorted { $0.key < $1.key }.map(\.value)
            }
        }
        return all
    }
}
