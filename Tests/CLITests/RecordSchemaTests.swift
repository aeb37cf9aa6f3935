// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Records
import Testing

@Suite(
    "The JSON Schema of the records",
    .startsPrograms(),
    .enabled("python3-jsonschema is not installed") { try await SchemaValidator.isInstalled }
)
struct RecordSchemaTests {
    @Test func `an independent validator accepts every record of the golden transcripts`() async throws {
        let records = try Golden.texts().flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("{") }
            .map { String($0).replacing("(time)", with: "2026-11-22T10:00:00.000000Z") }
        #expect(records.count > 100)
        let problems = try await SchemaValidator.problems(of: records)
        #expect(problems.isEmpty, "\(problems.prefix(10).joined(separator: "\n"))")
    }

    @Test func `it accepts every kind of record as commands write it`() async throws {
        var lines: [String] = []
        for command in RecordTests.commands + RecordTests.failures {
            lines += try await command.run().stdout.split(separator: "\n").map(String.init)
        }
        let problems = try await SchemaValidator.problems(of: lines)
        #expect(problems.isEmpty, "\(problems.prefix(10).joined(separator: "\n"))")
    }

    @Test func `it finds a key too many, a missing key, a wrong type and an unknown kind`() async throws {
        let run = try await Blectl.simulate("read battery-level --json")
        let value = try #require(try run.records().first)
        var wrong = try [
            ["more": .null], ["handle": .string("24")], ["value": .string("5")], ["service": .string("0x18")],
            ["type": .string("surprise")], ["time": .string("today")], ["device": .null],
        ].map { (change: [String: JSON]) in try JSON.line(value.merging(change) { $1 }) }
        wrong.append(try JSON.line(value.filter { $0.key != "decoded" }))
        let problems = try await SchemaValidator.problems(of: wrong)
        for (number, line) in wrong.enumerated() {
            #expect(problems.contains { $0.hasPrefix("\(number + 1): ") }, "\(line)")
        }
    }

    @Test func `the program prints the schema and its version`() async throws {
        let printed = try await Blectl.run(["help", "--json-schema"])
        let schema = try #require(try JSON.objects(printed.stdout.replacing("\n", with: " ")).first)
        let version = try #require(try await Blectl.run(["version", "--json"]).records().first)
        #expect(schema["$id"] == version["record_schema"])
        #expect(schema["$id"] == .string(RecordSchema.identifier))
        let ofRead = try await Blectl.run(["help", "read", "--json-schema"])
        let part = try #require(try JSON.objects(ofRead.stdout.replacing("\n", with: " ")).first)
        #expect(Set(part["$defs"]?.object?.keys.map { $0 } ?? []) == ["value", "paired", "error", "timing"])
        #expect(part["oneOf"]?.array?.count == 3)
    }
}
