// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import BluetoothProfiles

/// The type of a record's field: its description for the documentation, and the two forms of a value of it.
package struct FieldType<Value>: Sendable {
    package let type: RecordType
    package let write: @Sendable (Value, inout JSONWriter) -> Void
    /// A value as a tree, for conditions of scripts and for lines of `--format`.
    package let tree: @Sendable (Value) -> JSONValue

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
    package static var integer: FieldType { integer(nil) }

    /// - Parameter unit: The unit, which the name of the field ends with.
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

// These are inlined where a record is declared, so that the compiler knows the types of its values: a generic function
// would look up the metadata of a type for each value.

extension FieldType {
    package static func object(@FieldBuilder<Value> _ fields: () -> [RecordField<Value>]) -> FieldType {
        object(fields())
    }

    @inline(__always)
    package static func object(_ fields: [RecordField<Value>]) -> FieldType {
        let keys = fields.map(\.key)
        let fields = fields.sorted { $0.key.name < $1.key.name }
        let writers = fields.map(\.write)
        return FieldType(type: .object(keys)) { value, json in
            json.object { json in
                for write in writers { write(value, &json) }
            }
        } tree: { value in
            .object(fields.map { JSONValue.Member($0.key.name, $0.tree(value)) })
        }
    }

    @inline(__always)
    package static func array<Element>(of element: FieldType<Element>) -> FieldType where Value == [Element] {
        FieldType(type: .array(of: element.type)) { [write = element.write] value, json in
            json.array(value) { write($1, &$0) }
        } tree: { value in
            .array(value.map(element.tree))
        }
    }

    /// A value or null, as an element of an array.
    @inline(__always)
    package static func optional<Wrapped>(_ type: FieldType<Wrapped>) -> FieldType where Value == Wrapped? {
        FieldType(type: .optional(type.type)) { value, json in
            if let value { type.write(value, &json) } else { json.null() }
        } tree: { value in
            value.map(type.tree) ?? .null
        }
    }
}
