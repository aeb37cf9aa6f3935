// SPDX-License-Identifier: MIT

/// A cursor over numbers of any width in bits, which begin with the least significant bit of the first octet.
struct BitReader {
    private let octets: [UInt8]
    private var position = 0

    init(_ octets: [UInt8]) { self.octets = octets }

    /// The next number; `nil` if it ends after the octets.
    ///
    /// - Parameter bits: Its width, 1 to 32.
    mutating func unsigned(_ bits: Int) -> Int64? {
        guard (1...32).contains(bits), bits <= octets.count * 8 - position else {
            // A later number is not there, either.
            position = octets.count * 8
            return nil
        }
        var value: Int64 = 0
        for place in 0..<bits {
            let bit = octets[(position + place) / 8] >> UInt8((position + place) % 8) & 1
            value |= Int64(bit) << Int64(place)
        }
        position += bits
        return value
    }

    /// The next number; `nil` also if all of its bits are set, which means that it is not available.
    mutating func available(_ bits: Int) -> Int64? {
        let value = unsigned(bits)
        return value == 1 << Int64(bits) - 1 ? nil : value
    }

    /// The next number in two's complement.
    mutating func signed(_ bits: Int) -> Int64? {
        unsigned(bits).map { $0 >> Int64(bits - 1) == 0 ? $0 : $0 - 1 << Int64(bits) }
    }

    /// The next number in two's complement; `nil` also if it is the greatest one, which means that it is not available.
    mutating func availableSigned(_ bits: Int) -> Int64? {
        let value = signed(bits)
        return value == 1 << Int64(bits - 1) - 1 ? nil : value
    }
}
