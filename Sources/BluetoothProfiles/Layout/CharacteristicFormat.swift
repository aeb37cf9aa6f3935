// SPDX-License-Identifier: MIT

public import Bluetooth

/// The format of a characteristic's value, as data: it decodes values, encodes them and lists their members.
public struct CharacteristicFormat: Hashable, Sendable {
    /// How a format is described. Almost all are fields.
    enum Layout: Hashable, Sendable {
        case fields(FieldGroup)
        /// Text without a key.
        case text
        /// The editions of a format that its specification has changed.
        indirect case editions(FormatEditions)
        /// The formats of models that share a UUID.
        indirect case models(ModelFormats)
        /// Code, for formats that fields cannot express.
        case handWritten(HandWrittenFormat)
    }

    let layout: Layout

    init(_ layout: Layout) { self.layout = layout }

    /// The format of a characteristic's value; `nil` if it is unknown. Where it depends on the model of the device,
    /// `on` gives that of a model.
    public static func of(_ uuid: BluetoothUUID) -> CharacteristicFormat? { CharacteristicValue.table[uuid]?() }

    /// The characteristics with known formats, in the order of their UUIDs.
    public static var all: [BluetoothUUID] { CharacteristicValue.table.keys.sorted { $0.value < $1.value } }
}

// MARK: - The forms

extension CharacteristicFormat {
    /// Fields in order. Each field has a member in the result, `null` if the flags say that it is absent, so that all
    /// records of a characteristic have the same members.
    static func fields(_ fields: Field...) -> Self { Self(.fields(FieldGroup(fields))) }

    static var text: Self { Self(.text) }

    /// A format that a later edition of the specification has changed, see `FormatEditions`.
    static func either(_ current: Self, earlier: Self) -> Self {
        Self(.editions(FormatEditions(current, earlier: earlier)))
    }

    static func handWritten(_ format: HandWrittenFormat) -> Self { Self(.handWritten(format)) }
}

// MARK: - Decoding

extension CharacteristicFormat {
    /// Decodes a whole value. Octets that the format does not cover become its surplus. Throws if the octets end too
    /// early, or contradict each other.
    public func decode(_ bytes: [UInt8]) throws(DecodeError) -> DecodedValue {
        let value = decodeAsFarAsPossible(bytes)
        if let error = value.fault?.error { throw error }
        return value
    }

    /// Decodes a value up to its first fault. Fields after the fault are `null`.
    public func decodeAsFarAsPossible(_ bytes: [UInt8]) -> DecodedValue {
        var reader = ByteReader(bytes)
        let value = read(&reader)
        if reader.isAtEnd { return value }
        // The remaining octets begin the truncated field, so they are not surplus.
        if let fault = value.fault, fault.isEnd { return value }
        return value.with(surplus: reader.rest())
    }

    /// Decodes the octets that the format covers, and leaves the cursor after them.
    func read(_ reader: inout ByteReader) -> DecodedValue {
        switch layout {
        case .fields(let group):
            return FieldReader.decode(group, &reader)
        case .text:
            let text = DecodedValue.string(utf8: reader.rest())
            return DecodedValue(text: text, content: .string(text))
        case .editions(let editions):
            return editions.read(&reader)
        case .models(let formats):
            return formats.read(&reader)
        case .handWritten(let format):
            var fields = LenientReader(reader: reader)
            let value = format.decode(&fields)
            reader = fields.reader
            return value
        }
    }
}

extension DecodedValue {
    /// The text in UTF-8 octets. Zeros at the end are dropped, because some devices pad their texts; U+FFFD replaces
    /// invalid UTF-8.
    static func string(utf8 bytes: [UInt8]) -> String {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The decoded form of a value that has its own Swift type.
    init(_ value: some WireEncodable, in format: CharacteristicFormat) {
        self = format.decodeAsFarAsPossible(value.encoded())
    }
}

// MARK: - Encoding

extension CharacteristicFormat {
    /// Encodes a value: the inverse of `decode`, with the members by which people write values.
    ///
    /// The flags follow from the members that are there; a member that is `null` is not there. Numbers are in the unit
    /// of the key, and are rounded to the resolution of the field. Choices and bits are written by name or by number,
    /// special values by their text. A format with a single member takes its content without the object around it.
    public func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        switch layout {
        case .fields(let group):
            return try FieldWriter.encode(group, content, at: [])
        case .text:
            guard case .string(let text) = content else { throw FieldError([], content.quoted, .notAllowed("a text")) }
            return Array(text.utf8)
        case .editions(let editions):
            return try editions.encode(content)
        case .models(let formats):
            return try formats.encode(content)
        case .handWritten(let format):
            return try format.encode(content)
        }
    }
}

// MARK: - Description

extension CharacteristicFormat {
    /// The members of a decoded value in their order. A single one without a key represents a value that is not an
    /// object.
    public var fields: [FieldDescription] {
        switch layout {
        case .fields(let group): group.keyed.map { FieldDescription($0) }
        case .text: [FieldDescription(key: "", "text", .text)]
        case .editions(let editions): editions.fields
        case .models(let formats): formats.fields
        case .handWritten(let format): format.fields
        }
    }

    var keys: [String] {
        // Without the descriptions, which take longer.
        if case .fields(let group) = layout { return group.keyed.map(\.key) }
        return fields.map(\.key)
    }

    /// The largest size of an encoded value in octets; `nil` if there is no limit. With fields that depend on more than
    /// twelve clear bits of the flags, it is the size of all fields together.
    public var maximumLength: Int? {
        switch layout {
        case .fields(let group): group.octets.highest
        case .text: nil
        case .editions(let editions): editions.current.maximumLength
        case .models(let formats): formats.maximumLength
        case .handWritten(let format): format.octets
        }
    }
}
