// SPDX-License-Identifier: MIT

import Bluetooth

/// The formats that fields cannot express, because members depend on tables of names or on each other.
enum HandWrittenFormat: Hashable, Sendable {
    /// A category of devices, with its name.
    case appearance
    /// The vendor, the product and its version.
    case pnpID
    case presentationFormat
    /// A voltage and a temperature, from which another temperature follows.
    case infraredThermometer
    /// A whole number, and its hundredths.
    case wholeAndHundredths(WholeAndHundredths)

    var octets: Int {
        switch self {
        case .appearance: 2
        case .infraredThermometer: 4
        case .pnpID, .presentationFormat: 7
        case .wholeAndHundredths(let format): format.octets
        }
    }

    func decode(_ reader: inout LenientReader) -> DecodedValue {
        switch self {
        case .appearance: AppearanceFormat.decode(&reader)
        case .pnpID: PnPIDFormat.decode(&reader)
        case .presentationFormat: PresentationFormat.describe(&reader)
        case .infraredThermometer: InfraredThermometer.decode(&reader)
        case .wholeAndHundredths(let format): format.decode(&reader)
        }
    }

    func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        switch self {
        case .appearance: try AppearanceFormat.encode(content)
        case .pnpID: try PnPIDFormat.encode(content)
        case .presentationFormat: try PresentationFormat(content).encoded()
        case .infraredThermometer: try InfraredThermometer.encode(content)
        case .wholeAndHundredths(let format): try format.encode(content)
        }
    }

    var fields: [FieldDescription] {
        switch self {
        case .appearance: AppearanceFormat.fields
        case .pnpID: PnPIDFormat.fields
        case .presentationFormat: PresentationFormat.fields
        case .infraredThermometer: InfraredThermometer.fields
        case .wholeAndHundredths(let format): format.fields
        }
    }
}

/// The members of an object that hand-written code encodes.
struct Members {
    private let members: [DecodedValue.Member]

    /// Takes the members of an object; one that is not in `fields` is an error.
    init(_ content: DecodedValue.Content, _ fields: [FieldDescription]) throws(FieldError) {
        let keys = fields.map(\.key)
        guard case .object(let members) = content else {
            throw FieldError([], content.quoted, .notAllowed("an object with \(keys.joined(separator: ", "))"))
        }
        for member in members where !keys.contains(member.key) {
            throw FieldError([.member(member.key)], nil, .unknown(near: keys.near(member.key), all: keys))
        }
        self.members = members
    }

    /// The content of a member; `nil` if it is missing or `null`.
    subscript(key: String) -> DecodedValue.Content? {
        guard let value = members.last(where: { $0.key == key })?.value, value != .null else { return nil }
        return value
    }

    func integer(
        _ key: String,
        in range: ClosedRange<Int128> = 0...0xFFFF,
        or standard: Int128? = nil
    ) throws(FieldError) -> Int128 {
        if let value = self[key] { return try value.integer(in: range, [.member(key)]) }
        guard let standard else { throw FieldError([.member(key)], nil, .missing(allowed: "a number")) }
        return standard
    }

    func number(_ key: String) throws(FieldError) -> DecimalNumber {
        guard let value = self[key] else { throw FieldError([.member(key)], nil, .missing(allowed: "a number")) }
        guard case .number(let number) = value else {
            throw FieldError([.member(key)], value.quoted, .notAllowed("a number"))
        }
        return number
    }

    /// Checks a name that follows from other members, if it is there.
    func check(_ key: String, is name: String?) throws(FieldError) {
        guard let value = self[key] else { return }
        guard let name else {
            throw FieldError([.member(key)], value.quoted, .notAllowed("known for the other members"))
        }
        guard case .string(let text) = value, NameKey(text.utf8) == NameKey(name.utf8) else {
            throw FieldError([.member(key)], value.quoted, .notAllowed("'\(name)', which the other members say"))
        }
    }
}
