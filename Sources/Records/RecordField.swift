// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles

/// One key of a record: its name, type and meaning, and the value that it has in a result.
///
/// Text, JSON, `--format`, the JSON Schema, the manual and the conditions of scripts come from this one declaration.
package struct RecordField<Result>: Sendable {
    package let key: RecordKey
    /// Writes the member of an object. It is a function, because copying the field for each record would cost as much as
    /// writing it.
    package let write: @Sendable (Result, inout JSONWriter) -> Void
    package let tree: @Sendable (Result) -> JSONValue

    private init(
        _ key: RecordKey,
        write: @escaping @Sendable (Result, inout JSONWriter) -> Void,
        tree: @escaping @Sendable (Result) -> JSONValue
    ) {
        self.key = key
        self.write = write
        self.tree = tree
    }

    /// The name as JSON, with the colon behind it.
    private static func text(_ name: String) -> [UInt8] { Array("\"\(name)\":".utf8) }

    /// A field that every record has a value for.
    ///
    /// - Parameter meaning: One line in lower case without a full stop.
    @inline(__always)
    package init<Value>(
        _ name: String,
        _ type: FieldType<Value>,
        _ meaning: String,
        _ value: @escaping @Sendable (Result) -> Value
    ) {
        let text = Self.text(name)
        self.init(RecordKey(name, type.type, meaning)) { [write = type.write] in
            $1.key(text)
            write(value($0), &$1)
        } tree: {
            type.tree(value($0))
        }
    }

    /// A field that is null where there is no value.
    ///
    /// - Parameter meaning: One line in lower case without a full stop.
    @inline(__always)
    package init<Value>(
        _ name: String,
        orNull type: FieldType<Value>,
        _ meaning: String,
        _ value: @escaping @Sendable (Result) -> Value?
    ) {
        let text = Self.text(name)
        self.init(RecordKey(name, type.type, orNull: true, meaning)) { [write = type.write] in
            $1.key(text)
            if let value = value($0) { write(value, &$1) } else { $1.null() }
        } tree: {
            value($0).map(type.tree) ?? .null
        }
    }

    /// The same field in a kind of records that always has a value for it.
    package var neverNull: RecordField {
        RecordField(RecordKey(key.name, key.type, key.meaning), write: write, tree: tree)
    }

    /// The same field of a value that contains the result.
    @inline(__always)
    package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Result) -> RecordField<Whole> {
        RecordField<Whole>(key) { [write] in
            write(part($0), &$1)
        } tree: { [tree] in
            tree(part($0))
        }
    }
}

extension Array {
    /// The same fields of a value that contains the result.
    @inline(__always)
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
