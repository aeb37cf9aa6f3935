// SPDX-License-Identifier: MIT

import Bluetooth

/// A format that a later edition of its specification has changed. Devices that were built before go on sending the
/// earlier one, and nothing in a value names its edition, so the octets decide:
///
/// 1. The edition in force is taken if it covers the octets exactly.
/// 2. Otherwise the earlier one is taken if it covers them with fewer octets left over, or if the edition in force does
///    not cover them at all.
/// 3. Otherwise the edition in force is taken: it wins where both leave equally many octets over, and its fault counts
///    where the value is too short for both.
///
/// Both cover the same octets exactly only if the value has none of the changed fields. Values are encoded in the
/// edition in force.
struct FormatEditions: Hashable, Sendable {
    let current: CharacteristicFormat
    let earlier: CharacteristicFormat
    /// The keys of all members: those of the edition in force, and those that only the earlier one has. A decoded value
    /// has all of them, so that records do not differ by the edition.
    private let keys: [String]
    private let keysOfEarlier: Set<String>

    init(_ current: CharacteristicFormat, earlier: CharacteristicFormat) {
        self.current = current
        self.earlier = earlier
        let known = current.keys
        let further = earlier.keys.filter { !known.contains($0) }
        keys = known + further
        keysOfEarlier = Set(further)
    }

    /// Decodes the octets in the edition that they have, and leaves the cursor after the last field.
    func read(_ reader: inout ByteReader) -> DecodedValue {
        // Copies, because an edition that does not fit must not move the reader.
        var rest = reader
        let value = current.read(&rest)
        if !value.isCut, rest.isAtEnd {
            reader = rest
            return unified(value)
        }
        var restOfEarlier = reader
        let earlierValue = earlier.read(&restOfEarlier)
        let isEarlier = !earlierValue.isCut && (value.isCut || restOfEarlier.remaining < rest.remaining)
        reader = isEarlier ? restOfEarlier : rest
        return unified(isEarlier ? earlierValue : value)
    }

    /// The content with the members of both editions.
    func unified(_ content: DecodedValue.Content) -> DecodedValue.Content {
        guard case .object(let members) = content, members.count < keys.count else { return content }
        return .object(keys.map { .init($0, content[$0] ?? .null) })
    }

    private func unified(_ value: DecodedValue) -> DecodedValue {
        DecodedValue(text: value.text, content: unified(value.content), fault: value.fault)
    }

    func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        guard case .object(let members) = content, !keysOfEarlier.isEmpty else { return try current.encode(content) }
        for member in members where keysOfEarlier.contains(member.key) && member.value != .null {
            throw FieldError(
                [.member(member.key)],
                member.value.quoted,
                .notAllowed("encoded: only an earlier edition of the format has this field")
            )
        }
        return try current.encode(.object(members.filter { !keysOfEarlier.contains($0.key) }))
    }

    var fields: [FieldDescription] {
        current.fields
            + earlier.fields.filter { keysOfEarlier.contains($0.key) }.map { field in
                var field = field
                field.isOfEarlierEdition = true
                return field
            }
    }
}

extension DecodedValue {
    /// Whether the octets did not reach to the end of the format.
    fileprivate var isCut: Bool { fault?.isEnd == true }
}
