// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothProfiles

/// One key of a record: its name, type and meaning, and the value that it has in a result.
///
/// Text, JSON, `--format`, the JSON Schema, the manual and the conditions of scripts come from this one declaration.
@usableFromInline
package struct RecordField<Result>: Sendable {
    package let key: RecordKey
    /// The name as JSON, with the colon behind it.
    private let text: [UInt8]
    private let writeValue: @Sendable (Result, inout JSONWriter) -> Void
    package let tree: @Sendable (Result) -> JSONValue

    @usableFromInline
    init(
        _ key: RecordKey,
        write: @escaping @Sendable (Result, inout JSONWriter) -> Void,
        tree: @escaping @Sendable (Result) -> JSONValue
    ) {
        self.key = key
        text = Array("\"\(key.name)\":".utf8)
        writeValue = write
        self.tree = tree
    }

    // These are compiled where a record is declared, so that the compiler knows the types of the values, which it would
    // look up for each one otherwise. Trees, of which few are made, do not need that.

    /// A field that every record has a value for.
    ///
    /// - Parameter meaning: One line in lower case without a full stop.
    @inlinable
    package init<Value>(
        _ name: String,
        _ type: FieldType<Value>,
        _ meaning: String,
        _ value: @escaping @Sendable (Result) -> Value
    ) {
        self.init(
            RecordKey(name, type.type, meaning),
            write: { [write = type.write] in write(value($0), &$1) },
            tree: Self.tree(type, value)
        )
    }

    /// A field that is null where there is no value.
    ///
    /// - Parameter meaning: One line in lower case without a full stop.
    @inlinable
    package init<Value>(
        _ name: String,
        orNull type: FieldType<Value>,
        _ meaning: String,
        _ value: @escaping @Sendable (Result) -> Value?
    ) {
        self.init(
            RecordKey(name, type.type, orNull: true, meaning),
            write: { [write = type.write] in
                if let value = value($0) { write(value, &$1) } else { $1.null() }
            },
            tree: Self.tree(orNull: type, value)
        )
    }

    @usableFromInline
    static func tree<Value>(
        _ type: FieldType<Value>,
        _ value: @escaping @Sendable (Result) -> Value
    ) -> @Sendable (Result) -> JSONValue {
        { [tree = type.tree] in tree(value($0)) }
    }

    @usableFromInline
    static func tree<Value>(
        orNull type: FieldType<Value>,
        _ value: @escaping @Sendable (Result) -> Value?
    ) -> @Sendable (Result) -> JSONValue {
        { [tree = type.tree] in value($0).map(tree) ?? .null }
    }

    /// The same field in a kind of records that always has a value for it.
    package var neverNull: RecordField {
        RecordField(RecordKey(key.name, key.type, key.meaning), write: writeValue, tree: tree)
    }

    /// A function that writes the members of an object one after the other. It is made of functions, because a loop in a
    /// generic function would look up the metadata of their array for each record.
    static func writingAll(_ fields: ArraySlice<RecordField>) -> @Sendable (Result, inout JSONWriter) -> Void {
        var all: @Sendable (Result, inout JSONWriter) -> Void = { _, _ in }
        for field in fields {
            all = { [before = all, text = field.text, write = field.writeValue] in
                before($0, &$1)
                $1.key(text)
                write($0, &$1)
            }
        }
        return all
    }

    /// The same field of a value that contains the result.
    package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Result) -> RecordField<Whole> {
        RecordField<Whole>(key) { [writeValue] in
            writeValue(part($0), &$1)
        } tree: { [tree] in
            tree(part($0))
        }
    }
}

extension Array {
    /// The same fields of a value that contains the result.
    package func of<Whole, Part>(_ part: @escaping @Sendable (Whole) -> Part) -> [RecordField<Whole>]
    where Element == RecordField<Part> {
        map { $0.of(part) }
    }
}

/// Lists fields: single ones, and the fields that several kinds of records have.
@resultBuilder
package enum FieldBuilder<Result> {
    package static func buildExpression(_ field: RecordField<Result>) -> [RecordField<Result>] { [field] }
    package static func buildExpression(_ fields: [RecordField<Result>]) -> [RecordField<Result>] { fields }
    package static func buildBlock(_ fields: [RecordField<Result>]...) -> [RecordField<Result>] {
        fields.flatMap { $0 }
    }
}
