// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceForm {
    /// The form of a value that is made of another one, and taken from it.
    func map<Whole>(
        _ make: @escaping @Sendable (Value) -> Whole?,
        from take: @escaping @Sendable (Whole) -> Value?
    ) -> DeviceForm<Whole> {
        DeviceForm<Whole>(
            kind: kind,
            read: { cursor, builder in read(cursor, &builder).flatMap(make) },
            write: { value, writer in take(value).flatMap { write($0, writer) } }
        )
    }

    /// A list, without the elements that are wrong.
    static func list<Element>(
        _ element: DeviceForm<Element>,
        count: ClosedRange<Int> = 0...1_000_000
    ) -> DeviceForm where Value == [Element] {
        DeviceForm(
            kind: .list(element.kind, count: count),
            read: { cursor, builder in
                var elements: [Element] = []
                for cursor in cursor.elements ?? [] {
                    if let value = element.read(cursor, &builder) { elements.append(value) }
                }
                return elements
            },
            write: { elements, writer in .array(elements.compactMap { element.write($0, writer) }) }
        )
    }

    /// One of several forms: the first one that the value has.
    static func anyOf(_ forms: DeviceForm...) -> DeviceForm {
        DeviceForm(
            kind: .anyOf(forms.map { SchemaForm($0.kind, $0.prose) }),
            read: { cursor, builder in
                for form in forms {
                    if let value = form.read(cursor, &builder) { return value }
                }
                return nil
            },
            write: { value, writer in forms.lazy.compactMap { $0.write(value, writer) }.first }
        )
    }

    /// An object that is recognised by its only member, the parameter of a case of an enumeration.
    static func only<Parameter>(
        _ key: String,
        _ parameter: DeviceForm<Parameter>,
        _ prose: String,
        _ make: @escaping @Sendable (Parameter) -> Value,
        _ take: @escaping @Sendable (Value) -> Parameter?
    ) -> DeviceForm {
        DeviceForm(
            kind: .object(SchemaObject(marker: key, [SchemaMember(required: key, parameter.kind, prose)])),
            read: { object, builder in object[key].flatMap { parameter.read($0, &builder) }.map(make) },
            write: { value, writer in take(value).map { .object([key: parameter.write($0, writer)]) } }
        )
    }

    /// One of several words, each with its value and its meaning.
    static func words(_ words: [(name: String, value: Value, prose: String)]) -> DeviceForm where Value: Equatable {
        DeviceForm(
            kind: .words(words.map { SchemaWord($0.name, $0.prose) }),
            read: { cursor, _ in words.first { $0.name == cursor.string }?.value },
            write: { value, _ in words.first { $0.value == value }.map { .string($0.name) } }
        )
    }

    /// One of several words that explain themselves.
    static func words(_ words: KeyValuePairs<String, Value>) -> DeviceForm where Value: Equatable {
        .words(words.map { ($0, $1, "") })
    }

    /// One of the words of a type, each with its meaning.
    static func words(_ words: KeyValuePairs<Value, String>) -> DeviceForm
    where Value: RawRepresentable & Equatable, Value.RawValue == String {
        .words(words.map { ($0.rawValue, $0, $1) })
    }

    /// A set as a list of words, in their order.
    ///
    /// - Parameter start: What each set contains.
    static func set<Element>(
        _ words: [(name: String, value: Element, prose: String)],
        count: ClosedRange<Int>,
        with start: Value = []
    ) -> DeviceForm where Value: SetAlgebra, Value.Element == Element, Element: Sendable {
        DeviceForm(
            kind: .list(.words(words.map { SchemaWord($0.name, $0.prose) }), count: count),
            read: { cursor, _ in
                guard let names = cursor.elements?.compactMap(\.string) else { return nil }
                return words.filter { names.contains($0.name) }.reduce(into: start) { $0.insert($1.value) }
            },
            write: { set, _ in .strings(words.filter { set.contains($0.value) }.map(\.name)) }
        )
    }
}

extension DeviceForm where Value: OptionSet & Sendable, Value.Element == Value, Value.RawValue: FixedWidthInteger {
    /// Bits by their names, the lowest one first.
    static func flags(_ names: [String]) -> DeviceForm {
        .set(names.enumerated().map { ($1, Value(rawValue: 1 << Value.RawValue($0)), "") }, count: 0...names.count)
    }
}

extension DeviceForm where Value: FixedWidthInteger {
    static func integer(_ range: ClosedRange<Int64>) -> DeviceForm {
        DeviceForm(
            kind: .integer(range),
            read: { cursor, _ in cursor.integer.flatMap { Value(exactly: $0) } },
            write: { number, _ in .number(number) }
        )
    }

    /// A whole number that is usually written in hexadecimal.
    static func numeral(_ range: ClosedRange<Int64>) -> DeviceForm {
        DeviceForm(
            kind: .numeral(range),
            read: { cursor, builder in builder.numeral(cursor) },
            write: { number, _ in .number(number) }
        )
    }
}

extension DeviceForm<Bool> {
    static let bool = DeviceForm(kind: .bool, read: { cursor, _ in cursor.bool }, write: { value, _ in .bool(value) })
}

extension DeviceForm<String> {
    static func text(_ octets: ClosedRange<Int>) -> DeviceForm {
        DeviceForm(
            kind: .text(.any(octets: octets)),
            read: { cursor, _ in cursor.string },
            write: { text, _ in .string(text) }
        )
    }
}

extension DeviceForm<[UInt8]> {
    static func hex(_ octets: ClosedRange<Int>) -> DeviceForm {
        DeviceForm(
            kind: .text(.hex(octets: octets)),
            read: { cursor, builder in builder.hex(cursor) },
            write: { octets, _ in DeviceWriter.hex(octets) }
        )
    }
}

extension DeviceForm<Duration> {
    static func duration(_ range: ClosedRange<Duration>) -> DeviceForm {
        DeviceForm(
            kind: .text(.duration(range)),
            read: { cursor, builder in builder.duration(cursor) },
            write: { duration, _ in DeviceWriter.time(duration) }
        )
    }

    /// Any time, also none.
    static let time = duration(.zero...FileDuration.longest)
    /// A time after which something happens again.
    static let period = duration(.milliseconds(1)...FileDuration.longest)
}

extension DeviceForm<BluetoothUUID> {
    /// A UUID or its assigned name.
    static func uuid(_ kind: AssignedNumber.Kind) -> DeviceForm {
        DeviceForm(
            kind: .text(.uuid(kind)),
            read: { cursor, builder in builder.uuid(cursor, kind) },
            write: { uuid, _ in DeviceWriter.uuid(uuid, kind) }
        )
    }
}

extension DeviceForm<UInt16> {
    /// An appearance, by its name or its number.
    static let appearance = DeviceForm(
        kind: .anyOf([SchemaForm(.text(.appearance), ""), SchemaForm(.integer(0...0xFFFF), "")]),
        read: { cursor, builder in builder.appearance(cursor) },
        write: { number, _ in DeviceWriter.appearance(number) }
    )
}

extension DeviceForm<CharacteristicReference> {
    /// A characteristic of the device.
    static let reference = DeviceForm(
        kind: .text(.reference),
        read: { cursor, builder in builder.reference(cursor) },
        write: { reference, writer in writer.reference(reference) }
    )
}

extension DeviceForm<ATTErrorCode> {
    /// An error, by its name or its number.
    static let attError = DeviceForm(
        kind: .anyOf([SchemaForm(.text(.attError), ""), SchemaForm(.integer(1...255), "")]),
        read: { cursor, builder in
            cursor.string.map { FileName.attError($0) } ?? builder.integer(cursor).map { ATTErrorCode($0) }
        },
        write: { code, _ in .string(FileName.text(of: code)) }
    )
}
