// SPDX-License-Identifier: MIT

extension ByteReader {
    /// The next two octets as a number, most significant first; `nil` if it is the one for "not available".
    mutating func uint16BigEndian(_ field: String, unavailable: UInt16) throws(DecodeError) -> UInt16? {
        let number = try uint16BigEndian(field)
        return number == unavailable ? nil : number
    }

    /// The next two octets as a signed number, most significant first; `nil` if it is the one for "not available".
    mutating func int16BigEndian(_ field: String, unavailable: Int16? = nil) throws(DecodeError) -> Int16? {
        let number = Int16(bitPattern: try uint16BigEndian(field))
        return number == unavailable ? nil : number
    }

    /// The next octets as a number, least significant first. `octets` is at most 4.
    mutating func unsigned(_ octets: Int, _ field: String) throws(DecodeError) -> Int64 {
        try bytes(octets, field).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The next octets as a number in two's complement, least significant first. `octets` is 1 to 4.
    mutating func signed(_ octets: Int, _ field: String) throws(DecodeError) -> Int64 {
        let number = try unsigned(octets, field)
        let sign: Int64 = 1 << Int64(8 * octets - 1)
        return number & sign == 0 ? number : number - 2 * sign
    }
}

extension BluetoothAddress {
    /// An address from octets in the order of its text. Of more than six, the last ones count.
    init(mostSignificantFirst octets: [UInt8]) {
        self.init(rawValue: octets.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension BluetoothAddress {
    /// The octets in the order of its text.
    var octetsMostSignificantFirst: [UInt8] {
        (0..<6).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    }
}
