// SPDX-License-Identifier: MIT

package import Bluetooth

extension CBORValue: WireDecodable {
    /// How deep items may be inside one another. MCUmgr needs six levels.
    static let maximumDepth = 16

    /// Decodes an item that is well-formed and valid: texts are UTF-8, and the keys of a map differ. Numbers may be longer
    /// than they need be, and lengths may be left open, because servers send both.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        var decoder = CBORDecoder(reader: reader)
        self = try decoder.item(depth: 0)
        reader = decoder.reader
    }
}

/// Reads data items. Spec: RFC 8949, 3, and Appendix C
private struct CBORDecoder {
    var reader: ByteReader

    /// The first octet of an item, with the number that belongs to it.
    private struct Head {
        let major: UInt8
        /// The low five bits of the first octet.
        let information: UInt8
        /// The number; `nil` if the length is left open.
        let argument: UInt64?
    }

    /// The information that leaves the length open.
    private static let open: UInt8 = 31
    /// The octet that ends an item of open length.
    private static let stop: UInt8 = 0xFF

    mutating func item(depth: Int) throws(DecodeError) -> CBORValue {
        guard let item = try itemOrStop(depth: depth) else {
            throw DecodeError("CBOR", .inconsistent("a break is outside of an item of open length"))
        }
        return item
    }

    /// The next item; `nil` for a break.
    private mutating func itemOrStop(depth: Int) throws(DecodeError) -> CBORValue? {
        guard depth <= CBORValue.maximumDepth else {
            throw DecodeError("CBOR", .inconsistent("items are more than \(CBORValue.maximumDepth) deep"))
        }
        let first = try reader.uint8("CBOR item")
        if first == Self.stop { return nil }
        let head = try head(first)
        switch head.major {
        case 0: return .unsigned(try definite(head))
        case 1: return .negative(try definite(head))
        case 2: return .octets(try string(head))
        case 3: return .text(try text(head))
        case 4: return .array(try array(head, depth))
        case 5: return .map(try map(head, depth))
        case 6: return .tagged(try definite(head), try item(depth: depth + 1))
        default: return try simpleOrFloat(head)
        }
    }

    private mutating func head(_ first: UInt8) throws(DecodeError) -> Head {
        let information = first & 0x1F
        let argument: UInt64?
        switch information {
        case ..<24: argument = UInt64(information)
        case 24: argument = UInt64(try reader.uint8("CBOR argument"))
        case 25: argument = UInt64(try reader.uint16BigEndian("CBOR argument"))
        case 26: argument = UInt64(try reader.uint32BigEndian("CBOR argument"))
        case 27: argument = try reader.uint64("CBOR argument").byteSwapped
        case Self.open: argument = nil
        default: throw DecodeError("CBOR item", .invalid(value: UInt64(first)))
        }
        return Head(major: first >> 5, information: information, argument: argument)
    }

    /// The number of an item that cannot be of open length.
    private func definite(_ head: Head) throws(DecodeError) -> UInt64 {
        guard let argument = head.argument else {
            throw DecodeError("CBOR item", .invalid(value: UInt64(head.major << 5 | head.information)))
        }
        return argument
    }

    /// A number of parts that each take an octet at least, so that no more memory is taken than octets have come.
    private func number(_ argument: UInt64, of octets: Int) throws(DecodeError) -> Int {
        guard let count = Int(exactly: argument), count <= reader.remaining / octets else {
            let (needed, overflow) = Int(clamping: argument).multipliedReportingOverflow(by: octets)
            throw DecodeError(
                "CBOR item",
                .truncated(needed: overflow ? .max : needed, available: reader.remaining)
            )
        }
        return count
    }

    private mutating func string(_ head: Head) throws(DecodeError) -> [UInt8] {
        var octets: [UInt8] = []
        try forEachChunk(head) { octets += $0 }
        return octets
    }

    private mutating func text(_ head: Head) throws(DecodeError) -> String {
        var text = ""
        var isValid = true
        try forEachChunk(head) { chunk in
            let part = String(decoding: chunk, as: UTF8.self)
            isValid = isValid && part.utf8.elementsEqual(chunk)
            text += part
        }
        guard isValid else { throw DecodeError("CBOR text", .inconsistent("it is not UTF-8")) }
        return text
    }

    /// The parts of a string: one, or those of an open length, which are strings of the same type.
    private mutating func forEachChunk(_ head: Head, _ body: ([UInt8]) -> Void) throws(DecodeError) {
        if let argument = head.argument { return body(try reader.bytes(try number(argument, of: 1), "CBOR string")) }
        while true {
            let first = try reader.uint8("CBOR string")
            if first == Self.stop { return }
            let part = try self.head(first)
            guard part.major == head.major, let argument = part.argument else {
                throw DecodeError("CBOR string", .inconsistent("a part of it is no string of its type"))
            }
            body(try reader.bytes(try number(argument, of: 1), "CBOR string"))
        }
    }

    private mutating func array(_ head: Head, _ depth: Int) throws(DecodeError) -> [CBORValue] {
        var elements: [CBORValue] = []
        if let argument = head.argument {
            for _ in 0..<(try number(argument, of: 1)) { elements.append(try item(depth: depth + 1)) }
        } else {
            while let element = try itemOrStop(depth: depth + 1) { elements.append(element) }
        }
        return elements
    }

    private mutating func map(_ head: Head, _ depth: Int) throws(DecodeError) -> CBORMap {
        var map = CBORMap()
        if let argument = head.argument {
            for _ in 0..<(try number(argument, of: 2)) {
                try add(try item(depth: depth + 1), to: &map, depth)
            }
        } else {
            while let key = try itemOrStop(depth: depth + 1) { try add(key, to: &map, depth) }
        }
        return map
    }

    private mutating func add(_ key: CBORValue, to map: inout CBORMap, _ depth: Int) throws(DecodeError) {
        let value = try item(depth: depth + 1)
        guard map.insert(value, for: key) else {
            throw DecodeError("CBOR map", .inconsistent("a key is there twice"))
        }
    }

    private func simpleOrFloat(_ head: Head) throws(DecodeError) -> CBORValue {
        let argument = try definite(head)
        switch head.information {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        case 23: return .undefined
        case ..<20: return .simple(UInt8(truncatingIfNeeded: argument))
        case 24:
            // A simple value has one form only.
            guard argument >= 32 else { throw DecodeError("CBOR simple value", .invalid(value: argument)) }
            return .simple(UInt8(truncatingIfNeeded: argument))
        case 25: return .float(Double(half: UInt16(truncatingIfNeeded: argument)))
        case 26: return .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument))))
        default: return .float(Double(bitPattern: argument))
        }
    }
}

extension Double {
    /// A number in 16 bits. (`Float16` is not there on every platform.) Spec: RFC 8949, Appendix D
    fileprivate init(half bits: UInt16) {
        let fraction = Double(bits & 0x3FF)
        let magnitude: Double
        switch Int(bits >> 10 & 0x1F) {
        case 0: magnitude = fraction * 0x1p-24
        case 31: magnitude = fraction == 0 ? .infinity : .nan
        case let exponent: magnitude = Double(sign: .plus, exponent: exponent - 25, significand: fraction + 1_024)
        }
        self = bits & 0x8000 == 0 ? magnitude : -magnitude
    }
}
