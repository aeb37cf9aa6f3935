// SPDX-License-Identifier: MIT

import Bluetooth

/// A number as two integers: its whole part with the sign, and its hundredths in an octet. The hundredths lead away
/// from zero, so that numbers between −1 and 0 cannot be expressed.
///
/// Spec: Nordic Thingy:52 firmware documentation, Weather station service
struct WholeAndHundredths: Hashable, Sendable {
    /// The integer of the whole part.
    enum Whole: Hashable, Sendable { case int8, int32 }

    let name: String
    let unit: FieldUnit
    let whole: Whole

    init(_ name: String, _ whole: Whole, _ unit: FieldUnit) {
        self.name = name
        self.unit = unit
        self.whole = whole
    }

    var octets: Int { whole == .int8 ? 2 : 5 }

    var fields: [FieldDescription] {
        [FieldDescription(key: key, name, .number, unit: unit, range: range, places: 2)]
    }

    func decode(_ reader: inout LenientReader) -> DecodedValue {
        let integer: Int64? =
            switch whole {
            case .int8: reader.int8(key).map { Int64($0) }
            case .int32: reader.uint32(key).map { Int64(Int32(bitPattern: $0)) }
            }
        guard let integer, let hundredths = reader.uint8(key) else {
            return DecodedValue(text: "", content: .object([.init(key, .null)]), fault: reader.fault)
        }
        guard hundredths < 100 else {
            let fault = DecodingFault(name, .contradictory("\(hundredths) hundredths")).under(.member(key))
            return DecodedValue(text: "", content: .object([.init(key, .null)]), fault: fault)
        }
        let sum = integer * 100 + (integer < 0 ? -Int64(hundredths) : Int64(hundredths))
        let number = DecimalNumber(sum, exponent: -2)
        return DecodedValue(text: "\(number) \(unit.symbol)", content: .object([.init(key, .number(number))]))
    }

    func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        // The only field may be given without its key.
        if case .number = content { return try encode(.object([.init(key, content)])) }
        let number = try Members(content, fields).number(key)
        let limits = range
        guard let sum = number.scaled(byPowerOfTen: 2).rounded(dividedBy: 1).flatMap({ Int64(exactly: $0) }),
            let integer = whole(of: sum)
        else {
            throw FieldError(
                [.member(key)],
                "\(number)",
                .outOfRange(lowest: "\(limits.lowerBound)", highest: "\(limits.upperBound)")
            )
        }
        guard sum >= 0 || sum <= -100 else {
            throw FieldError([.member(key)], "\(number)", .notAllowed("0 or more, or -1 or less"))
        }
        return integer + [UInt8((sum % 100).magnitude)]
    }

    private var key: String { "\(name)_\(unit.keyEnding)" }

    private var range: ClosedRange<Int> {
        switch whole {
        case .int8: -128...127
        case .int32: Int(Int32.min)...Int(Int32.max)
        }
    }

    /// The octets of the whole part of a number of hundredths; `nil` if the integer cannot hold it.
    private func whole(of hundredths: Int64) -> [UInt8]? {
        var writer = ByteWriter()
        switch whole {
        case .int8:
            guard let integer = Int8(exactly: hundredths / 100) else { return nil }
            writer.int8(integer)
        case .int32:
            guard let integer = Int32(exactly: hundredths / 100) else { return nil }
            writer.uint32(UInt32(bitPattern: integer))
        }
        return writer.bytes
    }
}
