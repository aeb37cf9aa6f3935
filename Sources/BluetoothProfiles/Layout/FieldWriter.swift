// SPDX-License-Identifier: MIT

import Bluetooth

/// Encodes the fields of a group: the inverse of `FieldReader`.
///
/// The flags follow from the members that are there. So the members are gone through twice: the first time the bits
/// that they need are collected, the second time they are written.
struct FieldWriter {
    typealias Content = DecodedValue.Content
    typealias Path = [FieldError.Step]

    private let group: FieldGroup
    private let path: Path
    /// The content of each field, in their order; `nil` if there is none.
    private let contents: [Content?]
    /// The flags, and the bits that members have decided.
    private var flags = FlagBits()
    /// The shared integers by the index of their fields, with the bits that members have set.
    private var words: [Int: UInt64] = [:]
    private var writer = ByteWriter()

    static func encode(_ group: FieldGroup, _ content: Content, at path: Path) throws(FieldError) -> [UInt8] {
        var writer = try FieldWriter(group, content, path)
        try writer.collectBits()
        return try writer.write()
    }

    /// Takes the contents of a group. A lone field may be given without an object around it. Unknown members are an
    /// error, because a misspelt one would otherwise be left out unnoticed.
    private init(_ group: FieldGroup, _ content: Content, _ path: Path) throws(FieldError) {
        self.group = group
        self.path = path
        guard case .object(let members) = content else {
            guard group.isAlone else {
                throw FieldError(path, content.quoted, .notAllowed("an object with \(Self.keys(group))"))
            }
            contents = group.fields.map { $0.key.isEmpty ? nil : content }
            return
        }
        let keys = group.keyed.map(\.key)
        for member in members where !keys.contains(member.key) {
            throw FieldError(path + [.member(member.key)], nil, .unknown(near: keys.near(member.key), all: keys))
        }
        contents = group.fields.map { field in
            field.key.isEmpty ? nil : members.last { $0.key == field.key }?.value
        }
    }

    private static func keys(_ group: FieldGroup) -> String { group.keyed.map(\.key).joined(separator: ", ") }

    private func path(of field: Field) -> Path { path + [.member(field.key)] }

    /// The content of a field that is there, other than `null`.
    private func given(_ index: Int) -> Content? {
        switch contents[index] {
        case nil, .null: nil
        // An empty series is written as one that is absent, so that it demands no bit of the flags.
        case .array([]) where group.fields[index].isEmptyWhenAbsent: nil
        case let content: content
        }
    }

    // MARK: - The first time

    /// Collects the bits of all fields before anything is written, because flags stand in front of the fields that
    /// decide them.
    private mutating func collectBits() throws(FieldError) {
        // The index of the shared integer to which the next parts belong; `nil` if they belong to the flags.
        var word: Int?
        for (index, field) in group.fields.enumerated() {
            switch field.kind {
            case .flags: word = nil
            case .word: word = index
            default: break
            }
            guard let content = given(index) else { continue }
            if let part = try FieldPart(field, content, path(of: field)) {
                guard let word, !part.isOfFlags else {
                    try flags.require(set: part.set, clear: part.mask & ~part.set, field.key, path(of: field))
                    continue
                }
                words[word, default: 0] |= part.set
                // Parts of a word need the word, and with that the flags that announce it.
                try flags.require(group.fields[word].condition, field.key, path(of: field))
            } else {
                try flags.require(field.condition, field.key, path(of: field))
                try collectBits(of: field, content)
            }
        }
    }

    /// Collects the bits of the flags that describe the form of a field.
    private mutating func collectBits(of field: Field, _ content: Content) throws(FieldError) {
        switch (field.kind, content) {
        case (.number(let number), .number(let value)):
            guard let wider = number.wider, let integer = number.integer(of: value) else { return }
            let isWide = !number.integer.range.contains(integer)
            try flags.require(bit: wider.bit, isWide, field.key, path(of: field))
        case (.text(_, let bit?), .string(let text)):
            try flags.require(bit: bit, !text.isEmpty, field.key, path(of: field))
        case (.choice(let integer, let names), _):
            guard let mark = field.mark else { return }
            let value = try content.choice(names, in: integer.range, path(of: field))
            try flags.require(bit: mark, value != 0, field.key, path(of: field))
        case (.epochTime, .string(let text)):
            // All times of the value share the bit of the epoch: the earliest one decides.
            guard let time = DateTime(text), time.year < 2000 else { return }
            try flags.require(bit: EpochTime.recentBit, false, field.key, path(of: field))
        default:
            break
        }
    }

    // MARK: - The second time

    /// Writes the fields in their order. A field is there if the collected flags say so.
    private mutating func write() throws(FieldError) -> [UInt8] {
        let hasTimes = group.fields.indices.contains { group.fields[$0].kind == .epochTime && given($0) != nil }
        // The later epoch, unless a time before 2000 has demanded the earlier one.
        if hasTimes { flags.prefer(bit: EpochTime.recentBit) }
        for (index, field) in group.fields.enumerated() {
            switch field.kind {
            case .flags(let integer):
                try writeDefaults(after: index, into: &flags.set)
                integer.write(flags.set, to: &writer)
            case .word(let integer):
                guard field.condition.isMet(by: flags.set) else { continue }
                var word = words[index] ?? 0
                try writeDefaults(after: index, into: &word)
                integer.write(word, to: &writer)
            case .skipped(let octets):
                if field.condition.isMet(by: flags.set) { writer.append(octets) }
            case .part, .partNumber, .bit, .flag, .supportedBit:
                continue
            default:
                guard field.condition.isMet(by: flags.set) else {
                    try checkAbsence(of: index)
                    continue
                }
                // An optional field without content is left out rather than written empty.
                if field.mayBeMissing, given(index) == nil || given(index) == .string("") { continue }
                let value = FieldValue(field: field, path: path(of: field), flags: flags.set)
                try value.write(given(index), isNull: contents[index] == .null, to: &writer)
            }
        }
        guard group.isSized else { return writer.bytes }
        // The octet of the size counts itself, so that 254 octets are left for the fields.
        guard let size = UInt8(exactly: writer.bytes.count + 1) else {
            throw FieldError(path, nil, .tooLong(octets: 254))
        }
        return [size] + writer.bytes
    }

    /// Checks that a field that the op code does not announce is not there.
    private func checkAbsence(of index: Int) throws(FieldError) {
        guard given(index) != nil else { return }
        let cause = group.fields.first { if case .part = $0.kind { true } else { false } }
        throw FieldError(path(of: group.fields[index]), nil, .conflict(with: cause?.key ?? "the others"))
    }

    /// Checks that parts of the flags or of a shared integer that are not there may be 0.
    private func writeDefaults(after index: Int, into word: inout UInt64) throws(FieldError) {
        for next in group.fields.indices.dropFirst(index + 1) {
            let field = group.fields[next]
            switch field.kind {
            case .flags, .word: return
            case .part(_, let names) where given(next) == nil && names[0] == nil:
                throw FieldError(path(of: field), nil, .missing(allowed: field.allowed))
            case .partNumber where given(next) == nil:
                throw FieldError(path(of: field), nil, .missing(allowed: field.allowed))
            default: continue
            }
        }
    }
}

/// The flags while they are collected: the bits that members need to be set, and those that they need to be clear.
private struct FlagBits {
    var set: UInt64 = 0
    private var clear: UInt64 = 0
    /// The fields that have demanded bits, for the error of a contradiction.
    private var causes: [(set: UInt64, clear: UInt64, key: String)] = []

    /// Demands bits. Throws if another field demands the contrary, and names that field.
    mutating func require(
        set: UInt64,
        clear: UInt64,
        _ key: String,
        _ path: [FieldError.Step]
    ) throws(FieldError) {
        if self.set & clear != 0 || self.clear & set != 0 {
            let other = causes.first { $0.set & clear != 0 || $0.clear & set != 0 }
            throw FieldError(path, nil, .conflict(with: other?.key ?? "the others"))
        }
        self.set |= set
        self.clear |= clear
        causes.append((set, clear, key))
    }

    mutating func require(
        _ condition: Field.Condition,
        _ key: String,
        _ path: [FieldError.Step]
    ) throws(FieldError) {
        try require(set: condition.set, clear: condition.clear, key, path)
    }

    mutating func require(
        bit: Int,
        _ isSet: Bool,
        _ key: String,
        _ path: [FieldError.Step]
    ) throws(FieldError) {
        let mask: UInt64 = 1 << UInt64(bit)
        try require(set: isSet ? mask : 0, clear: isSet ? 0 : mask, key, path)
    }

    /// Sets a bit unless a member needs it to be clear.
    mutating func prefer(bit: Int) { set |= 1 << UInt64(bit) & ~clear }
}

extension Field {
    fileprivate var isEmptyWhenAbsent: Bool {
        if case .series(_, let series) = kind { return series.isEmptyWhenAbsent }
        return false
    }
}

/// The bits of the flags or of a shared integer that hold a field.
private struct FieldPart {
    let set: UInt64
    /// The bits that the field decides.
    let mask: UInt64
    /// Whether the bits are always those of the flags.
    let isOfFlags: Bool

    /// `nil` if the field has octets of its own.
    init?(_ field: Field, _ content: DecodedValue.Content, _ path: [FieldError.Step]) throws(FieldError) {
        switch field.kind {
        case .bit(let bit), .flag(let bit):
            let isSet = try content.bool(path)
            mask = 1 << UInt64(bit)
            set = isSet ? mask : 0
            if case .flag = field.kind { isOfFlags = true } else { isOfFlags = false }
        case .supportedBit(let bit, let supported, _):
            let isSet = try content.bool(path)
            mask = 1 << UInt64(bit) | 1 << UInt64(supported)
            set = 1 << UInt64(supported) | (isSet ? 1 << UInt64(bit) : 0)
            isOfFlags = true
        case .part(let bits, let names):
            let value = try content.choice(names, in: 0...(1 << Int128(bits.count)) - 1, path)
            mask = UInt64(bits: bits)
            set = value << UInt64(bits.lowerBound)
            isOfFlags = false
        case .partNumber(let bits):
            let value = try content.integer(in: 0...(1 << Int128(bits.count)) - 1, path)
            mask = UInt64(bits: bits)
            set = UInt64(truncatingIfNeeded: value) << UInt64(bits.lowerBound)
            isOfFlags = false
        default:
            return nil
        }
    }
}
