// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import BluetoothProfiles

// The files that blectl keeps for itself are `Codable` structures. These coders turn them into trees and back, so that
// they are read by the parser of device files and written like records.

/// Reads and writes files of structures.
package enum JSONCoding {
    /// The structure that a text has. Throws if the text is not JSON, or lacks a member.
    package static func decode<Structure: Decodable>(_ type: Structure.Type, from octets: [UInt8]) throws -> Structure {
        try type.init(from: TreeDecoder(tree: try JSONValue(json: octets)))
    }

    /// The structure as JSON on one line, with the keys in order.
    package static func encode(_ structure: some Encodable) throws -> [UInt8] {
        Array(try tree(of: structure).json.utf8)
    }

    /// The structure as JSON with a line for each member and each element, in the order of the keys.
    package static func encodeForPeople(_ structure: some Encodable) throws -> [UInt8] {
        Array((try tree(of: structure).lines(indentation: "") + "\n").utf8)
    }

    private static func tree(of structure: some Encodable) throws -> JSONValue {
        let encoder = TreeEncoder()
        try structure.encode(to: encoder)
        return encoder.node.tree
    }
}

extension JSONValue {
    /// The value as JSON with a line for each member and each element.
    fileprivate func lines(indentation: String) -> String {
        let inner = indentation + "  "
        func list(_ parts: [String], _ first: String, _ last: String) -> String {
            "\(first)\n\(parts.map { inner + $0 }.joined(separator: ",\n"))\n\(indentation)\(last)"
        }
        return switch self {
        case .array(let elements): list(elements.map { $0.lines(indentation: inner) }, "[", "]")
        case .object(let members):
            list(
                members.sorted { $0.key < $1.key }.map { member in
                    "\(JSONValue.string(member.key).json) : \(member.value.lines(indentation: inner))"
                },
                "{",
                "}"
            )
        case .null, .bool, .number, .string: json
        }
    }
}

// MARK: - Decoding

private struct TreeDecoder: Decoder {
    let tree: JSONValue
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = tree else { throw mismatch("an object") }
        // Of two members with one key the first counts.
        let values = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        return KeyedDecodingContainer(Members(decoder: self, values: values))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = tree else { throw mismatch("an array") }
        return Elements(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ expected: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: "expected \(expected)"))
    }

    fileprivate func at(_ key: some CodingKey, _ tree: JSONValue) -> TreeDecoder {
        TreeDecoder(tree: tree, codingPath: codingPath + [key])
    }
}

extension TreeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { tree == .null }

    package func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = tree else { throw mismatch("true or false") }
        return value
    }

    package func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = tree else { throw mismatch("a text") }
        return text
    }

    package func decode(_ type: Double.Type) throws -> Double {
        guard case .number(let number) = tree, let value = Double(number.description) else {
            throw mismatch("a number")
        }
        return value
    }

    package func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    package func decode(_ type: Int.Type) throws -> Int { try integer() }
    package func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    package func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    package func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    package func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    package func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    package func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    package func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    package func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    package func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try type.init(from: self) }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        guard case .number(let number) = tree, let value = Value(number.description) else {
            throw mismatch("a whole number of its size")
        }
        return value
    }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: TreeDecoder
    let values: [String: JSONValue]
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { values.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

    private func member(_ key: Key) throws -> TreeDecoder {
        guard let value = values[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: codingPath, debugDescription: "there is no '\(key.stringValue)'")
            )
        }
        return decoder.at(key, value)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try type.init(from: try member(key))
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct Elements: UnkeyedDecodingContainer {
    let decoder: TreeDecoder
    let elements: [JSONValue]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next() throws -> TreeDecoder {
        guard !isAtEnd else { throw decoder.mismatch("one more element") }
        defer { currentIndex += 1 }
        return decoder.at(Index(intValue: currentIndex), elements[currentIndex])
    }

    mutating func decodeNil() -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try type.init(from: try next()) }

    mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) throws -> KeyedDecodingContainer<Inner> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
}

private struct Index: CodingKey {
    let number: Int
    var stringValue: String { "\(number)" }
    var intValue: Int? { number }

    init(intValue: Int) { number = intValue }
    init?(stringValue: String) { nil }
}

// MARK: - Encoding

/// A value that is being written: its members and elements come one after the other.
private final class Node {
    private var value = JSONValue.object([])
    private var members: [(key: String, node: Node)] = []
    private var elements: [Node]?

    var tree: JSONValue {
        if let elements { return .array(elements.map(\.tree)) }
        return members.isEmpty ? value : .object(members.map { JSONValue.Member($0.key, $0.node.tree) })
    }

    var count: Int { elements?.count ?? 0 }

    func set(_ value: JSONValue) { self.value = value }

    func becomeArray() { elements = elements ?? [] }

    func member(_ key: String) -> Node {
        let node = Node()
        members.append((key, node))
        return node
    }

    func element() -> Node {
        let node = Node()
        elements?.append(node)
        return node
    }
}

private struct TreeEncoder: Encoder {
    var node = Node()
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NewMembers<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return NewElements(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension TreeEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.set(.null) }
    package func encode(_ value: Bool) { node.set(.bool(value)) }
    package func encode(_ value: String) { node.set(.string(value)) }
    package func encode(_ value: Double) { node.set(.number(value)) }
    package func encode(_ value: Float) { node.set(.number(Double(value))) }
    package func encode(_ value: Int) { node.set(.number(value)) }
    package func encode(_ value: Int8) { node.set(.number(value)) }
    package func encode(_ value: Int16) { node.set(.number(value)) }
    package func encode(_ value: Int32) { node.set(.number(value)) }
    package func encode(_ value: Int64) { node.set(.number(value)) }
    package func encode(_ value: UInt) { node.set(.number(value)) }
    package func encode(_ value: UInt8) { node.set(.number(value)) }
    package func encode(_ value: UInt16) { node.set(.number(value)) }
    package func encode(_ value: UInt32) { node.set(.number(value)) }
    package func encode(_ value: UInt64) { node.set(.number(value)) }
    package func encode(_ value: some Encodable) throws { try value.encode(to: self) }
}

private struct NewMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    var codingPath: [any CodingKey] { [] }

    private func member(_ key: Key) -> TreeEncoder { TreeEncoder(node: node.member(key.stringValue)) }

    func encodeNil(forKey key: Key) { member(key).encodeNil() }
    func encode(_ value: some Encodable, forKey key: Key) throws { try value.encode(to: member(key)) }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { TreeEncoder(node: node) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

private struct NewElements: UnkeyedEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.count }

    func encodeNil() { TreeEncoder(node: node.element()).encodeNil() }
    func encode(_ value: some Encodable) throws { try value.encode(to: TreeEncoder(node: node.element())) }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
        TreeEncoder(node: node.element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        TreeEncoder(node: node.element()).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { TreeEncoder(node: node.element()) }
}
