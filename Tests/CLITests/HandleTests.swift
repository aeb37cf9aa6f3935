// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A handle is one number with one meaning: what `inspect` prints is what `read` takes, and what is known of the device
/// says what its value means.
@Suite("Handles", .startsPrograms(isLong: true))
struct HandleTests {
    /// A private characteristic, one whose value is far from its declaration, and one with a format of its own.
    private static let device = """
        {
          "schema": "blectl-device/1", "address": "C0:00:00:00:00:51",
          "advertising": [{"data": {"name": "box"}}],
          "services": [
            {"uuid": "battery", "handle": "0x0010", "characteristics": [
              {"uuid": "battery-level", "properties": ["read", "notify"], "value": "0x57",
               "declaration_handle": "0x0011", "value_handle": "0x0018", "every": "1 s",
               "description": "charge"}]},
            {"uuid": "0xFFF0", "characteristics": [
              {"uuid": "0xFFF1", "properties": ["read", "write"], "value": "0x57"},
              {"uuid": "0xFFF2", "properties": ["read"], "value": "0x6869"},
              {"uuid": "0xFFF3", "properties": ["read"], "value": "0x6608",
               "format": {"format": "sint16", "exponent": -2, "unit": "percentage"}}]}]
        }
        """

    /// The device in real time, with a cache that lasts as long as the test.
    private struct Box {
        let folder: URL

        func run(_ line: String, in time: String = "real") async throws -> BlectlRun {
            let options = ["--simulate=\(folder.path)/box.json", "--simulate-time", time]
            return try await Blectl.run(
                options + TypedCommand(line).arguments + ["-d", "box"],
                environment: ["XDG_CACHE_HOME": "\(folder.path)/cache"]
            )
        }

        /// What a line prints.
        func text(_ line: String, in time: String = "real") async throws -> String {
            let run = try await run(line, in: time)
            #expect(run.status == 0, "\(line): \(run.stderr)")
            return run.stdout
        }
    }

    private func withBox(_ body: (Box) async throws -> Void) async throws {
        try await TemporaryFolder.use { folder in
            try Data(Self.device.utf8).write(to: folder.appending(path: "box.json"))
            try await body(Box(folder: folder))
        }
    }

    @Test func `the handle that inspect prints of a characteristic is that of its value, as in read`() async throws {
        try await withBox { box in
            let tree = try await box.run("inspect --json", in: "virtual").records()
            let level = try #require(
                tree.first { $0["type"] == .string("characteristic") && $0["uuid"] == .string("0x2A19") }
            )
            #expect(level["handle"] == .integer(0x18) && level["declaration_handle"] == .integer(0x11))
            for node in tree where node["type"] == .string("characteristic") {
                #expect(node["handle"] == node["value_handle"])
                guard node["properties"]?.array?.contains(.string("read")) == true else { continue }
                guard case .integer(let handle)? = node["handle"], case .string(let uuid)? = node["uuid"] else {
                    Issue.record("\(node)")
                    continue
                }
                let named = try #require(try await box.run("read \(uuid) --json", in: "virtual").records().first)
                let numbered = try #require(
                    try await box.run("read handle:\(handle) --json", in: "virtual").records().first
                )
                #expect(named["handle"] == node["handle"] && numbered["handle"] == node["handle"])
                #expect(named["value"] == numbered["value"])
            }
        }
    }

    @Test func `a handle of which nothing is known gives octets, and takes one request`() async throws {
        try await withBox { box in
            let run = try await box.run("read handle:0x18 -v")
            #expect(run.stdout == "0x57\n")
            #expect(Trace(run.stderr).sent.map(\.name) == ["Read Request"])
        }
    }

    @Test func `a handle of a device that is known is decoded, and named`() async throws {
        try await withBox { box in
            _ = try await box.text("inspect --values")
            #expect(try await box.text("read handle:0x18") == "87 %\n")
            // The descriptor, the declaration, the service, a private type, and a format that the device describes.
            let tree = try await box.run("inspect --json").records()
            func handle(_ uuid: String, _ key: String = "handle") throws -> Int {
                let node = try #require(tree.first { $0["uuid"] == .string(uuid) })
                guard case .integer(let handle)? = node[key] else { throw CancellationError() }
                return Int(handle)
            }
            #expect(try await box.text("read handle:\(handle("0x2901"))") == "charge\n")
            let declaration = try await box.text("read handle:0x11")
            #expect(declaration.contains("0x0018") && declaration.contains("0x2A19"), "\(declaration)")
            #expect(try await box.text("read handle:0x10").contains("0x180F"))
            #expect(try await box.text("read handle:\(handle("0xFFF1"))") == "0x57\n")
            #expect(try await box.text("read handle:\(handle("0xFFF3"))") == "21.5 %\n")
            let record = try #require(try await box.run("read handle:0x18 --json").records().first)
            #expect(record["characteristic"] == .string("0x2A19") && record["service"] == .string("0x180F"))
            #expect(record["characteristic_name"] == .string("Battery Level") && record["descriptor"] == .null)
            let described = try #require(try await box.run("read handle:\(handle("0x2901")) --json").records().first)
            #expect(described["descriptor"] == .string("0x2901") && described["characteristic"] == .string("0x2A19"))
            let declared = try #require(try await box.run("read handle:0x11 --json").records().first)
            #expect(declared["characteristic"] == .null && declared["service"] == .string("0x180F"))
        }
    }

    @Test func `a notification by handle is decoded, because subscribing finds the characteristic`() async throws {
        try await withBox { box in
            let text = try await box.text("notify handle:0x18 --count 1", in: "virtual")
            #expect(text.hasSuffix("  87 %\n"), "\(text)")
            // The declaration names the same characteristic.
            let record = try #require(
                try await box.run("notify handle:0x11 --count 1 --json", in: "virtual").records().first
            )
            #expect(record["handle"] == .integer(0x18) && record["characteristic"] == .string("0x2A19"))
        }
    }

    @Test func `a script decodes what its connection has found out about a handle`() async throws {
        try await withBox { box in
            let script = box.folder.appending(path: "box.blectl")
            try Data(
                """
                device box --name box
                test "handles"
                  read box handle:0x18                    expect 0x57
                  notify box battery-level as levels
                  await levels 1 within 5 s
                  read box handle:0x18                    expect 87

                """.utf8
            ).write(to: script)
            let run = try await Blectl.run([
                "--simulate=\(box.folder.path)/box.json", "--simulate-time", "virtual", "run", script.path,
            ])
            #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
        }
    }

    @Test func `octets without a format are printed as write takes them`() async throws {
        try await withBox { box in
            #expect(try await box.text("read 0xFFF1", in: "virtual") == "0x57\n")
            #expect(try await box.text("read 0xFFF2", in: "virtual") == "0x6869  \"hi\"\n")
            #expect(
                try await box.text("read 0xFFF1 --as hex", in: "virtual") == "57\n",
                "digits, because they are asked for"
            )
            #expect(try await box.text("inspect --values", in: "virtual").contains("= 0x57\n"))
            let printed = try await box.text("read 0xFFF1", in: "virtual").dropLast()
            let written = try await box.run("write 0xFFF1 \(printed) --verify --json", in: "virtual")
            #expect(try written.records().first?["verified"] == .bool(true), "\(written.stderr)")
        }
    }
}
