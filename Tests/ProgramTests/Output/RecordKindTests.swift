// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import Records
@testable import Terminal
@testable import Toolkit

/// A result with a field of every type.
private struct Everything: CommandResult {
    struct Part: Sendable {
        let name: String
        let values: [UInt16?]

        @FieldBuilder<Part>
        static var record: [RecordField<Part>] {
            RecordField("values", .array(of: .optional(.integer)), "values or null") { $0.values }
            RecordField("name", .string, "text") { $0.name }
        }
    }

    static let record = RecordKind<Self>("everything", "a test") {
        RecordField("uuid", .uuid, "a UUID") { _ in BluetoothUUID(0x180D) }
        RecordField("zero", .boolean, "a Boolean") { _ in false }
        RecordField("hex", .hex, "octets") { _ in [0x0A, 0xFF] }
        RecordField("at", .time, "a time") { $0.timestamp.wall }
        RecordField("ratio", .number, "a binary number") { _ in 0.1 + 0.2 }
        RecordField("wait_ms", .integer("ms"), "an integer") { _ in UInt64.max }
        RecordField("parts", .array(of: .object(Part.record)), "objects") { $0.parts }
        RecordField("first", orNull: .object(Part.record), "an object or null") { $0.parts.first }
        RecordField("none", orNull: .string, "null") { _ in nil }
        RecordField("any", .any, "a tree") { _ in
            .array([.null, .bool(true), .object([.init("b", .string("\u{1B}"))])])
        }
        RecordField("name", .string, "text") { _ in "ü \"\\\u{202E}" }
        Part.record.of { (result: Self) in result.parts[0] }.filter { $0.key.name == "values" }
    }

    let parts = [Part(name: "one", values: [1, nil]), Part(name: "two", values: [])]
    var timing: JSONValue?
    let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 1), monotonic: Instant(nanoseconds: 2))

    var recordKind: RecordKind<Self> { Self.record }
    func text(_ style: TextStyle) -> String? { nil }
}

@Suite("RecordKind")
struct RecordKindTests {
    /// The keys of all objects in a tree, each object on its own.
    private func keys(in value: JSONValue) -> [[String]] {
        switch value {
        case .object(let members): [members.map(\.key)] + members.flatMap { keys(in: $0.value) }
        case .array(let values): values.flatMap { keys(in: $0) }
        default: []
        }
    }

    @Test("JSON and the tree of a record are the same, with their keys in order", arguments: [false, true])
    func forms(isTimed: Bool) throws {
        let result = Everything(timing: isTimed ? RunTiming.Snapshot(attempts: 3).tree : nil)
        let tree = Everything.record.tree(of: result, timing: result.timing)
        #expect(try JSONValue(json: Output.line(of: result)) == tree)
        for keys in keys(in: tree) { #expect(keys == keys.sorted()) }
        #expect(tree["timing"]?["connect_attempts"] == (isTimed ? .number(3) : nil))
    }

    @Test func `a record has the literal values of its result`() {
        let line = String(decoding: Output.line(of: Everything()), as: UTF8.self)
        let expected = #"""
            {"any":[null,true,{"b":"\u001b"}],"at":"1970-01-01T00:00:00.000000Z",
            "first":{"name":"one","values":[1,null]},"hex":"0aff","monotonic_ns":2,"name":"ü \"\\\u202e","none":null,
            "parts":[{"name":"one","values":[1,null]},{"name":"two","values":[]}],"ratio":0.30000000000000004,
            "time":"1970-01-01T00:00:00.000000Z","type":"everything","uuid":"0x180D","values":[1,null],
            "wait_ms":18446744073709551615,"zero":false}

            """#
        #expect(line == expected.replacing(",\n", with: ","))
    }
}
