// SPDX-License-Identifier: MIT

import BluetoothProfiles

/// How a value stands in a device file: what the schema permits, how it is read, and how it is written.
struct DeviceForm<Value: Sendable>: Sendable {
    let kind: SchemaKind
    /// Returns `nil` for a value that the schema or the reader has refused.
    let read: @Sendable (JSONCursor, inout DeviceBuilder) -> Value?
    /// Returns `nil` for a value that has not this form.
    let write: @Sendable (Value, DeviceWriter) -> JSONNode?
    /// The meaning of the form where there are several; empty if it explains itself.
    private(set) var prose = ""

    func meaning(_ prose: String) -> DeviceForm {
        var form = self
        form.prose = prose
        return form
    }
}

/// A named type of device files, which has a section of the manual page.
struct DeviceType<Value: Sendable>: Sendable {
    let schema: SchemaType
    /// The form of a value of the type; its schema refers to the type by its name.
    let form: DeviceForm<Value>

    init(_ name: SchemaType.Name, _ prose: String..., form: DeviceForm<Value>) {
        schema = SchemaType(name: name, prose: prose, kind: form.kind)
        self.form = DeviceForm(kind: .type(name), read: form.read, write: form.write)
    }
}

/// A member of an object, declared once: what the schema says of it, what it is read into, and from what it is written.
struct DeviceMember<Object: Sendable>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Object, Value> & Sendable
    typealias Read = @Sendable (JSONCursor, inout Object, inout DeviceBuilder) -> Bool

    private(set) var schema: SchemaMember
    /// Reads the member of an object. Returns `false` if the whole object makes no sense.
    fileprivate let read: Read
    /// Returns `nil` for a value that equals that of the second object, the usual one.
    fileprivate let write: @Sendable (Object, Object, DeviceWriter) -> JSONNode?
    /// The usual value as the file would have it, for the documentation.
    fileprivate var usual: @Sendable (Object) -> JSONNode? = { _ in nil }

    /// A member that has a value of its own. It is written if the value is not the usual one.
    init<Value: Equatable>(
        _ key: String,
        _ form: DeviceForm<Value>,
        _ path: Path<Value>
    ) {
        schema = SchemaMember(key, form.kind, "")
        read = { cursor, object, builder in
            if let value = cursor[key].flatMap({ form.read($0, &builder) }) { object[keyPath: path] = value }
            return true
        }
        write = { object, usual, writer in
            let value = object[keyPath: path]
            return value == usual[keyPath: path] ? nil : form.write(value, writer)
        }
        usual = { form.write($0[keyPath: path], .empty) }
    }

    /// A member that is written if it has a value.
    init<Value>(
        _ key: String,
        _ form: DeviceForm<Value>,
        optional path: Path<Value?>
    ) {
        schema = SchemaMember(key, form.kind, "")
        read = { cursor, object, builder in
            if let value = cursor[key].flatMap({ form.read($0, &builder) }) { object[keyPath: path] = value }
            return true
        }
        write = { object, _, writer in object[keyPath: path].flatMap { form.write($0, writer) } }
    }

    /// A member without which the object makes no sense. It is always written.
    init<Value>(
        required key: String,
        _ form: DeviceForm<Value>,
        _ path: Path<Value>
    ) {
        schema = SchemaMember(required: key, form.kind, "")
        read = { cursor, object, builder in
            guard let value = cursor[key].flatMap({ form.read($0, &builder) }) else { return false }
            object[keyPath: path] = value
            return true
        }
        write = { object, _, writer in form.write(object[keyPath: path], writer) }
    }

    /// A member that depends on others. It is read even if it is not there.
    init(
        _ key: String,
        _ kind: SchemaKind,
        isRequired: Bool = false,
        read: @escaping Read = { _, _, _ in true },
        write: @escaping @Sendable (Object, DeviceWriter) -> JSONNode?
    ) {
        schema = isRequired ? SchemaMember(required: key, kind, "") : SchemaMember(key, kind, "")
        self.read = read
        self.write = { object, _, writer in write(object, writer) }
    }

    /// The member with its meaning, in whole sentences.
    func meaning(_ prose: String) -> DeviceMember {
        var member = self
        member.schema.prose = prose
        return member
    }

    /// The member with its default in words. Without them, a usual value says itself what it is.
    func byDefault(_ text: String) -> DeviceMember {
        var member = self
        member.schema.byDefault = text
        return member
    }

    /// The schema of the member, whose default is that of the object if no other is stated.
    fileprivate func schema(in object: Object) -> SchemaMember {
        var schema = schema
        let text = usual(object)?.plainText ?? ""
        if schema.byDefault == nil, !text.isEmpty { schema.byDefault = text }
        return schema
    }
}

extension JSONNode {
    /// A value that is neither a list nor an object, without quotes.
    fileprivate var plainText: String? {
        switch content {
        case .bool(let value): "\(value)"
        case .number(let number): number.description
        case .string(let text): text
        case .null, .array, .object: nil
        }
    }
}

extension DeviceForm {
    /// An object of members.
    ///
    /// - Parameters:
    ///   - usual: The value of an object without members. A required member only holds a place in it.
    ///   - marker: The member by which an object of this kind is recognised where several kinds are possible.
    ///   - check: Reports what the members cannot see on their own, after all of them were read.
    static func object(
        usual: Value,
        marker: String? = nil,
        _ members: [DeviceMember<Value>],
        check: @escaping @Sendable (JSONCursor, Value, inout DeviceBuilder) -> Void = { _, _, _ in }
    ) -> DeviceForm {
        DeviceForm(
            kind: .object(SchemaObject(marker: marker, members.map { $0.schema(in: usual) })),
            read: { cursor, builder in
                if let marker, cursor[marker] == nil { return nil }
                var object = usual
                for member in members where !member.read(cursor, &object, &builder) { return nil }
                check(cursor, object, &builder)
                return object
            },
            write: { object, writer in
                JSONNode(
                    .object(
                        members.compactMap { member in
                            member.write(object, usual, writer).map { .init(key: member.schema.key, value: $0) }
                        }
                    )
                )
            }
        )
    }
}
