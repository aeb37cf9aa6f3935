// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
public import BluetoothProfiles

/// The type of a record's field: its description for the documentation, and the two forms of a value of it.
@usableFromInline
package struct FieldType<Value>: Sendable {
    @usableFromInline package let type: RecordType
    @usableFromInline package let write: @Sendable (Value, inout JSONWriter) -> Void
    /// A value as a tree, for conditions of scripts and for lines of `--format`.
    @usableFromInline package let tree: @Sendable (Value) -> JSONValue

    @usableFromInline
    package init(
        type: RecordType,
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void,
        tree: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.type = type
        self.write = write
        self.tree = tree
    }
}

extension FieldType where Value == String {
    package static var string: FieldType {
        FieldType(type: .string) {
            $1.string($0)
        } tree: {
            .string($0)
        }
    }
}

extension FieldType where Value == Bool {
    package static var boolean: FieldType {
        FieldType(type: .boolean) {
            $1.bool($0)
        } tree: {
            .bool($0)
        }
    }
}

extension FieldType where Value == [UInt8] {
    package static var hex: FieldType<[UInt8]> {
        FieldType(type: .hex) {
            $1.hex($0)
        } tree: {
            .string(Hex.string($0))
        }
    }
}

extension FieldType where Value == BluetoothUUID {
    package static var uuid: FieldType<BluetoothUUID> {
        FieldType(type: .uuid) {
            $1.string($0.description)
        } tree: {
            .string($0.description)
        }
    }
}

extension FieldType where Value == WallTime {
    package static var time: FieldType<WallTime> {
        FieldType(type: .time) {
            $1.time($0)
        } tree: {
            .string($0.description)
        }
    }
}

extension FieldType where Value == Double {
    package static var number: FieldType {
        FieldType(type: .number) {
            $1.number($0)
        } tree: {
            .number($0)
        }
    }
}

extension FieldType where Value: FixedWidthInteger & SendableMetatype {
    @inlinable
    package static var integer: FieldType { integer(nil) }

    /// - Parameter unit: The unit, which the name of the field ends with.
    @inlinable
    package static func integer(_ unit: String?) -> FieldType {
        FieldType(type: .integer(unit: unit)) {
            $1.integer($0)
        } tree: {
            .number($0)
        }
    }
}

extension FieldType where Value == JSONValue {
    /// A value whose type depends on the device.
    package static var any: FieldType<JSONValue> {
        FieldType(type: .any) {
            $1.value($0)
        } tree: {
            $0
        }
    }

    /// A tree whose type the documentation knows.
    package static func tree(_ type: RecordType) -> FieldType<JSONValue> {
        FieldType(type: type) {
            $1.value($0)
        } tree: {
            $0
        }
    }
}

extension FieldType {
    package static func object(@FieldBuilder<Value> _ fields: () -> [RecordField<Value>]) -> FieldType {
        object(fields())
    }

    package static func object(_ fields: [RecordField<Value>]) -> FieldType {
        let keys = fields.map(\.key)
        let fields = fields.sorted { $0.key.name < $1.key.name }
        let write = RecordField.writingAll(fields[...])
        return FieldType(type: .object(keys)) { value, json in
            json.object { write(value, &$0) }
        } tree: { value in
            .object(fields.map { JSONValue.Member($0.key.name, $0.tree(value)) })
        }
    }

    @inlinable
    package static func array<Element>(of element: FieldType<Element>) -> FieldType where Value == [Element] {
        FieldType(type: .array(of: element.type)) { [write = element.write] value, json in
            json.array(value) { write($1, &$0) }
        } tree: { value in
            .array(value.map(element.tree))
        }
    }

    /// A value or null, as an element of an array.
    @inlinable
    package static func optional<Wrapped>(_ type: FieldType<Wrapped>) -> FieldType where Value == Wrapped? {
        FieldType(type: .optional(type.type)) { value, json in
            if let value { type.write(value, &json) } else { json.null() }
        } tree: { value in
            value.map(type.tree) ?? .null
        }
    }
}
