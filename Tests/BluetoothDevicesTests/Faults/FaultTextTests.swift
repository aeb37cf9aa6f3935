// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("Faults as sentences")
struct FaultTextTests {
    private static let battery = CharacteristicReference.uuid(0x2A19, service: nil)
    private static let heartRate = CharacteristicReference.uuid(0x2A37, service: nil)

    @Test func `a sentence states the effect, the operation and the time`() throws {
        let cases: [(String, FaultText)] = [
            (
                "read battery-level: error 0x0e after 2s once",
                FaultText(FaultRule(.read, Self.battery, .error(code: 0x0E, after: .seconds(2)), times: 1))
            ),
            ("connect: refuse 2 times", FaultText(FaultRule(.connect, nil, .error(code: nil, after: .zero), times: 2))),
            (
                "device 'Pulse HR': notify heart-rate-measurement: lose 10%",
                FaultText(FaultRule(.notify, Self.heartRate, .lose, probability: 0.1), of: "Pulse HR")
            ),
            (
                "device C8:4B:1D:3A:90:5E: read #3: no answer",
                FaultText(FaultRule(.read, nil, .noAnswer, numbers: 3...3), of: "C8:4B:1D:3A:90:5E")
            ),
            (
                "request #3-, per connection: drop",
                FaultText(FaultRule(.request, nil, .drop(.init()), numbers: 3...Int.max, isPerConnection: true))
            ),
            (
                "connect every 3rd: drop after 20s with connection-timeout",
                FaultText(
                    FaultRule(
                        .connect,
                        nil,
                        .drop(.init(.after, delay: .seconds(20), reason: .connectionTimeout)),
                        every: 3
                    )
                )
            ),
            (
                "scan from 10 s until 1.5 min: lose 0.5 %",
                FaultText(
                    FaultRule(
                        .scan,
                        nil,
                        .lose,
                        probability: 0.005,
                        window: .init(from: .seconds(10), until: .seconds(90))
                    )
                )
            ),
            (
                "write 180f/0x2a19: error insufficient-encryption twice",
                FaultText(
                    FaultRule(
                        .write,
                        .uuid(0x2A19, service: 0x180F),
                        .error(code: ATTErrorCode.insufficientEncryption.rawValue, after: .zero),
                        times: 2
                    )
                )
            ),
            ("rssi: report -12 dBm", FaultText(FaultRule(.rssi, nil, .report(-12)))),
            ("mtu: truncate to 2 octets", FaultText(FaultRule(.mtu, nil, .truncate(2)))),
            ("READ: Oversize 600", FaultText(FaultRule(.read, nil, .oversize(600)))),
            ("read: wrong opcode 0x0d 5 times", FaultText(FaultRule(.read, nil, .wrongOpcode(0x0D), times: 5))),
            ("indicate 'my label': duplicate", FaultText(FaultRule(.indicate, .label("my label"), .duplicate))),
            ("update: pause for 500ms", FaultText(FaultRule(.update, nil, .pause(.milliseconds(500))))),
            ("update: pause 5 times", FaultText(FaultRule(.update, nil, .pause(nil), times: 5))),
            ("subscribe: drop after 5 times", FaultText(FaultRule(.subscribe, nil, .drop(.init(.after)), times: 5))),
            ("read: error 14", FaultText(FaultRule(.read, nil, .error(code: 14, after: .zero)))),
            ("read:error", FaultText(FaultRule(.read, nil, .error(code: nil, after: .zero)))),
            (
                "disconnect: error 0x08 after 1s",
                FaultText(FaultRule(.disconnect, nil, .error(code: 8, after: .seconds(1))))
            ),
        ]
        for (text, expected) in cases {
            let parsed = try FaultText(parsing: text)
            #expect(parsed == expected, "\(text)")
            #expect(try FaultText(parsing: parsed.description) == expected, "\(parsed)")
        }
    }

    @Test func `an error names the column and what is allowed`() {
        let cases: [(String, Int, String)] = [
            ("", 1, "expected an operation: scan, connect, disconnect"),
            ("raed: lose", 1, "did you mean 'read'?"),
            ("device: read: lose", 7, "expected a device"),
            ("device Pulse HR: read: lose", 14, "quote a name of several words"),
            ("read 'battery", 6, "this quote is not closed"),
            ("mtu battery-level: lose", 5, "mtu concerns no characteristic"),
            ("read battery-level", 19, "or a colon and the effect"),
            ("read battery-level level: lose", 20, "or a colon and the effect"),
            ("read:", 6, "expected an effect: delay TIME"),
            ("read: loose", 7, "did you mean 'lose'?"),
            ("read: lose always", 12, "or the end"),
            ("scan: no answer", 7, "scan cannot have the effect no-answer; it can have delay"),
            ("notify: error", 9, "notify cannot have the effect error"),
            ("read: delay", 12, "expected a time such as 2s"),
            ("read: delay 2y", 13, "expected a time such as 2s"),
            ("read: delay 9999999 h", 13, "expected a year at most"),
            ("read: error 0x100", 13, "expected an ATT error: 0x01 to 0xFF"),
            ("read: error insufficient-encrytion", 13, "did you mean 'insufficient-encryption'?"),
            ("connect: refuse 0x00", 17, "expected a status of a controller"),
            ("read: drop with tea", 17, "expected a status of a controller"),
            ("read: wrong 0x0d", 13, "expected 'wrong opcode'"),
            ("read: wrong opcode 0x100", 20, "expected an opcode such as 0x0B"),
            ("read: no", 9, "expected 'no answer'"),
            ("read: truncate to 0", 19, "expected a number of octets from 1 to 65535"),
            ("rssi: report 128", 14, "expected a strength in dBm from -128 to 127"),
            ("read #0: lose", 6, "expected the number of an event"),
            ("read #5-3: lose", 6, "expected the number of an event"),
            ("read every: lose", 11, "expected a number such as 3 or 3rd"),
            ("read per device: lose", 10, "expected 'per connection'"),
            ("read once: lose twice", 17, "this condition is said twice"),
            ("read: lose 101%", 12, "expected a percentage from 0% to 100%"),
            ("read: lose 0 times", 12, "expected a number of times from 1 on"),
            ("read from 5s until 5s: lose", 1, "the window ends before it begins"),
        ]
        for (text, column, message) in cases {
            do {
                let parsed = try FaultText(parsing: text)
                Issue.record("'\(text)' is \(parsed)")
            } catch {
                #expect(error.column == column, "\(text): \(error)")
                #expect(error.expectation.contains(message), "\(text): \(error)")
            }
        }
    }

    @Test func `every rule has a sentence that parses to it`() throws {
        var random = SeededGenerator(seed: 11)
        let effects: [FaultEffect] = [
            .delay(.milliseconds(1_500)), .error(code: nil, after: .zero), .error(code: 0x80, after: .seconds(3)),
            .noAnswer,
            .wrongOpcode(0x1B), .truncate(7), .oversize(517), .drop(.init()), .drop(.init(.after)),
            .drop(.init(.before, delay: .seconds(1), reason: .connectionTimeout)),
            .drop(.init(.after, delay: .microseconds(7), reason: HCIStatus(rawValue: 0xEE))), .duplicate, .reorder,
            .lose,
            .pause(nil), .pause(.seconds(9)), .report(127), .report(-128),
        ]
        let targets: [CharacteristicReference?] = [
            nil, Self.battery, .uuid(0x2A19, service: 0x180F), .label("my 'label'"), .label("once"), .label("5"),
            .uuid(0xFF01, service: nil), .uuid(0x2901, service: nil),
            .uuid(BluetoothUUID(bits128: 0xF000AA01_04514000_B0000000_00000000), service: nil),
        ]
        for operation in FaultRule.Operation.allCases {
            for effect in effects where operation.effects.contains(effect.kind) {
                for target in operation.hasTarget ? [targets.randomElement(using: &random) ?? nil] : [nil] {
                    let rule = FaultRule(
                        operation,
                        target,
                        effect,
                        numbers: random.happens(0.3) ? 3...5 : random.happens(0.3) ? 2...Int.max : nil,
                        every: random.happens(0.3) ? 4 : nil,
                        times: random.happens(0.5) ? 3 : nil,
                        probability: random.happens(0.3) ? Double(random.next() % 1_000_001) / 1_000_000 : nil,
                        window: random.happens(0.3) ? .init(from: .seconds(5), until: .seconds(65)) : nil,
                        isPerConnection: random.happens(0.3)
                    )
                    let text = FaultText(rule, of: random.happens(0.5) ? "Pulse HR" : nil)
                    #expect(try FaultText(parsing: text.description) == text, "\(text)")
                }
            }
        }
    }

    @Test func `no text makes the parser trap`() {
        var random = SeededGenerator(seed: 5)
        let words = [
            "device", "read", "connect", "'x'", "\"", "'", ":", "#", "#3-", "every", "3rd", "once", "10%", "%", "from",
            "until",
            "per", "connection", "delay", "error", "after", "drop", "with", "99999999999999999999", "-", "0x", "5",
            "times",
            "pause", "for", "report", "-128", "truncate", "to", "C8:4B:1D:3A:90:5E", "é", "\u{202E}", "", "/", "a/b/c",
            "s",
            "1.5", "1..5", "ms", ",", "no", "answer", "#99999999999999999999-",
        ]
        for _ in 0..<3_000 {
            let text = (0..<(random.next() % 8)).map { _ in words[Int(random.next() % UInt64(words.count))] }
            let sentence = text.joined(separator: random.happens(0.8) ? " " : "")
            do {
                let fault = try FaultText(parsing: sentence)
                #expect(fault.rule.problem == nil, "\(sentence)")
            } catch {
                #expect((1...(sentence.count + 1)).contains(error.column), "\(sentence): \(error)")
                #expect(!error.expectation.isEmpty)
            }
        }
    }
}
