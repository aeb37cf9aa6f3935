// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("Faults of device files")
struct DeviceFileFaultTests {
    private static func file(_ faults: String) -> [UInt8] {
        let services =
            #"[{ "uuid": "battery", "characteristics": [{ "uuid": "battery-level", "properties": ["read"], "value": "0x01" }] }]"#
        return Array(
            #"{ "schema": "blectl-device/1", "label": "x", "services": \#(services), "faults": [\#(faults)] }"#.utf8
        )
    }

    private static func faults(_ text: String) throws -> [String] {
        try DeviceFile.read(file(text), named: "x.json").faults.map(\.description)
    }

    @Test func `a fault of a file equals the one of its sentence`() throws {
        let cases = [
            (
                #"{ "on": "read", "target": "battery-level", "times": 1, "do": { "error": "0x0E", "after": "2 s" } }"#,
                "read battery-level: error 0x0E after 2s once"
            ),
            (
                #"{ "on": "connect", "every": 3, "do": { "drop": "after", "after": "20 s", "reason": "connection-timeout" } }"#,
                "connect: drop after 20s with connection-timeout every 3"
            ),
            (#"{ "on": "connect", "nth": 2, "do": { "error": "0x3e" } }"#, "connect: refuse 0x3E #2"),
            (
                #"{ "on": "request", "nth": [3, null], "per": "connection", "do": "no-answer" }"#,
                "request: no answer #3- per connection"
            ),
            (
                #"{ "on": "notify", "nth": [3, 5], "probability": 0.1, "between": ["10 s", "20 s"], "do": "lose" }"#,
                "notify: lose #3-5 10% from 10s until 20s"
            ),
            (#"{ "on": "scan", "between": ["10 s", null], "do": { "delay": "1 s" } }"#, "scan: delay 1s from 10s"),
            (#"{ "on": "mtu", "do": { "wrong-opcode": "0b" } }"#, "mtu: wrong opcode 0x0B"),
            (
                #"{ "on": "read", "do": { "truncate": 3 } }, { "on": "read", "do": { "oversize": 600 } }"#,
                "read: truncate to 3|read: oversize to 600"
            ),
            (
                #"{ "on": "update", "do": "pause" }, { "on": "update", "do": { "pause": "5 s" } }"#,
                "update: pause|update: pause for 5s"
            ),
            (
                #"{ "on": "rssi", "do": { "report": 127 } }, { "on": "read", "do": "error" }"#,
                "rssi: report 127|read: error"
            ),
        ]
        for (text, sentence) in cases {
            #expect(try Self.faults(text).joined(separator: "|") == sentence)
            // The sentence itself says the same.
            let sentences = sentence.split(separator: "|").map { "\"\($0)\"" }.joined(separator: ", ")
            #expect(try Self.faults(sentences).joined(separator: "|") == sentence)
        }
    }

    @Test(arguments: [
        ("read battery-level: explode", "faults[0]: column 21: expected an effect"),
        ("read batery-level: lose", "faults[0]: 'batery-level' is neither"),
        ("device x: read: lose", "faults[0]: the fault is one of this device"),
        ("scan: no answer", "faults[0]: column 7: scan cannot have the effect no-answer"),
    ])
    func `a sentence with a mistake is told with its place`(_ sentence: String, _ message: String) throws {
        let error = try #require(throws: DeviceFileErrors.self) { try Self.faults("\"\(sentence)\"") }
        #expect(error.errors.count == 1 && "\(error)".contains(message), "\(error)")
        // A descriptor may be meant by its UUID, as on the command line.
        #expect(try Self.faults("\"read 0x2902: lose\"") == ["read client-characteristic-configuration: lose"])
    }

    @Test func `a wrong fault is an error at its place`() {
        let cases = [
            (#"{ "do": "lose" }"#, "on"), (#"{ "on": "raed", "do": "lose" }"#, "read"),
            (#"{ "on": "scan", "do": "no-answer" }"#, "scan cannot have the effect no-answer"),
            (#"{ "on": "read", "target": "heart-rate-measurement", "do": "lose" }"#, "heart-rate-measurement"),
            (#"{ "on": "mtu", "target": "battery-level", "do": "lose" }"#, "mtu concerns no characteristic"),
            (#"{ "on": "read", "nth": [5, 3], "do": "lose" }"#, "the last number is less than the first one"),
            (#"{ "on": "read", "probability": 1.5, "do": "lose" }"#, "a probability is from 0 to 1"),
            (#"{ "on": "read", "between": ["5 s", "5 s"], "do": "lose" }"#, "the window ends before it begins"),
            (#"{ "on": "read", "do": { "error": "insufficient-encrytion" } }"#, "insufficient-encryption"),
            (#"{ "on": "connect", "do": { "error": "tea" } }"#, "the status of a controller"),
        ]
        for (text, message) in cases {
            do {
                let faults = try Self.faults(text)
                Issue.record("\(text) is \(faults)")
            } catch {
                #expect("\(error)".contains(message), "\(text): \(error)")
                #expect("\(error)".contains("faults"), "\(text): \(error)")
            }
        }
    }

    @Test func `every fault is read back as it was written`() throws {
        let effects: [FaultEffect] = [
            .delay(.milliseconds(1_500)), .error(code: nil, after: .zero), .error(code: 0x80, after: .seconds(3)),
            .error(code: nil, after: .seconds(1)), .error(code: 0x05, after: .zero), .noAnswer, .wrongOpcode(0x1B),
            .truncate(7), .oversize(517), .drop(.init()),
            .drop(.init(.after, delay: .seconds(1), reason: .connectionTimeout)),
            .drop(.init(.before, reason: HCIStatus(rawValue: 0xEE))), .duplicate, .reorder, .lose, .pause(nil),
            .pause(.seconds(9)), .report(127), .report(-128),
        ]
        var definition = try DeviceFile.read(Self.file(""), named: "x.json")
        for operation in FaultRule.Operation.allCases {
            for (number, effect) in effects.enumerated() where operation.effects.contains(effect.kind) {
                definition.faults.append(
                    FaultRule(
                        operation,
                        operation.hasTarget && number % 2 == 0 ? .uuid(0x2A19, service: nil) : nil,
                        effect,
                        numbers: [nil, 2...2, 2...5, 2...Int.max][number % 4],
                        every: number % 3 == 0 ? 4 : nil,
                        times: number % 5 == 0 ? 3 : nil,
                        probability: number % 4 == 1 ? 0.123456 : nil,
                        window: [nil, .init(from: .seconds(1)), .init(from: .zero, until: .seconds(3))][number % 3],
                        isPerConnection: number % 2 == 1
                    )
                )
            }
        }
        let text = DeviceFile.text(of: definition)
        #expect(try DeviceFile.read(Array(text.utf8), named: "x.json") == definition, "\(text)")
    }
}
