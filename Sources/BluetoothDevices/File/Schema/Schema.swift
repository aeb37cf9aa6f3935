// SPDX-License-Identifier: MIT

import BluetoothProfiles

/// A named type of device files or of format files: a section of their manual page.
struct SchemaType: Sendable {
    /// The name, by which other types refer to it.
    enum Name: String, Hashable, Sendable, CaseIterable {
        case device = "DEVICE"
        case advertising = "ADVERTISING"
        case frame = "FRAME"
        case service = "SERVICE"
        case characteristic = "CHARACTERISTIC"
        case descriptor = "DESCRIPTOR"
        case permissions = "PERMISSIONS"
        case format = "FORMAT"
        case value = "VALUE"
        case field = "FIELD"
        case generator = "GENERATOR"
        case condition = "CONDITIONS"
        case rule = "RULE"
        case action = "ACTION"
        case actions = "ACTIONS"
        case entry = "ENTRY"
        case limits = "LIMITS"
        case channel = "CHANNEL"
        case smp = "SMP"
        case dfu = "DFU"
        case pairing = "PAIRING"
        case signal = "SIGNAL"
        case fault = "FAULT"
        case effect = "EFFECT"
        // Format files.
        case formats = "FORMATS"
        case privateService = "PRIVATE SERVICE"
        case privateCharacteristic = "PRIVATE CHARACTERISTIC"
        case fieldFormat = "FIELD FORMAT"
        case part = "PART"
        case presence = "PRESENCE"
        // Key files.
        case keys = "KEYS"
        case deviceKeys = "DEVICE KEYS"
    }

    let name: Name
    /// The description, in whole sentences.
    let prose: [String]
    let kind: SchemaKind
}

indirect enum SchemaKind: Sendable {
    case null
    /// One of several booleans: `true` or `false`, or only one of them.
    case bool
    case onlyTrue
    case integer(ClosedRange<Int64>)
    case number
    case words([SchemaWord])
    case text(SchemaText)
    case list(SchemaKind, count: ClosedRange<Int>)
    /// A list with a kind for each of its elements.
    case tuple([SchemaKind])
    case object(SchemaObject)
    /// An object with any keys.
    case map(SchemaKind)
    /// An object with the fields of an assigned characteristic.
    case fields(SchemaKind)
    case anyOf([SchemaForm])
    case type(SchemaType.Name)

    /// One thing, or a list of several.
    static func oneOrList(_ kind: SchemaKind) -> SchemaKind {
        .anyOf([SchemaForm(kind, ""), SchemaForm(.list(kind, count: 0...65_535), "")])
    }

    static func list(_ kind: SchemaKind) -> SchemaKind { .list(kind, count: 0...1_000_000) }

    /// A whole number that is usually written in hexadecimal, which JSON has not: it may also be a text.
    static func numeral(_ range: ClosedRange<Int64>) -> SchemaKind {
        .anyOf([SchemaForm(.text(.numeral(range)), ""), SchemaForm(.integer(range), "")])
    }

    static func object(marker: String? = nil, _ members: [SchemaMember]) -> SchemaKind {
        .object(SchemaObject(marker: marker, members))
    }

    /// One of several words that need no explanation.
    static func words(_ names: String...) -> SchemaKind { .words(names.map { SchemaWord($0, "") }) }
}

struct SchemaForm: Sendable {
    let kind: SchemaKind
    /// The meaning of the form; empty if it explains itself.
    let prose: String

    init(_ kind: SchemaKind, _ prose: String) {
        self.kind = kind
        self.prose = prose
    }
}

struct SchemaWord: Sendable {
    let name: String
    let prose: String
    /// Other spellings, which are not shown.
    let others: [String]

    init(_ name: String, _ prose: String, or others: [String] = []) {
        self.name = name
        self.prose = prose
        self.others = others
    }

    func isSpelled(_ text: String) -> Bool { name == text || others.contains(text) }
}

struct SchemaObject: Sendable {
    /// The member by which an object of this kind is recognised where several kinds are possible.
    let marker: String?
    let members: [SchemaMember]

    init(marker: String? = nil, _ members: [SchemaMember]) {
        self.marker = marker
        self.members = members
    }
}

struct SchemaMember: Sendable {
    let key: String
    let kind: SchemaKind
    let isRequired: Bool
    /// The default if the member is absent; `nil` if its absence needs no explanation.
    var byDefault: String?
    /// The meaning of the member, in whole sentences.
    var prose: String

    /// A member that may be left out.
    init(_ key: String, _ kind: SchemaKind, default byDefault: String? = nil, _ prose: String) {
        self.key = key
        self.kind = kind
        isRequired = false
        self.byDefault = byDefault
        self.prose = prose
    }

    init(required key: String, _ kind: SchemaKind, _ prose: String) {
        self.key = key
        self.kind = kind
        isRequired = true
        byDefault = nil
        self.prose = prose
    }
}

/// The form of a text in a device file.
enum SchemaText: Sendable {
    case any(octets: ClosedRange<Int>)
    case hex(octets: ClosedRange<Int>)
    /// Hex digits for that many octets, which no message may quote.
    case secret(octets: Int)
    case uuid(AssignedNumber.Kind)
    /// A UUID without assigned names.
    case anyUUID
    case duration(ClosedRange<Duration>)
    case address
    /// A characteristic of the device.
    case reference
    /// A value in the syntax of `blectl write`, or the text of a characteristic that is text.
    case value
    case attError
    case appearance
    /// A number of that range, decimal or hexadecimal after `0x`.
    case numeral(ClosedRange<Int64>)
    /// A format of numbers: `u16`.
    case numberFormat
    case presentationFormat
    case unit
    case database
    case programValue
    case programCommand
}
