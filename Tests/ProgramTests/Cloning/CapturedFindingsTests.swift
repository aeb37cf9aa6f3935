// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import CaptureCommands
@testable import Captures
@testable import Commands
@testable import Toolkit

/// What a clone from a capture does beside having the attributes.
@Suite("CapturedFindings")
struct CapturedFindingsTests {
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0x1122_3344_5566), .public)

    private static func att(_ arrow: String, _ pdu: String) -> String {
        let octets = (Hex.bytes(pdu.filter { $0 != " " }) ?? []).count
        func length(_ count: Int) -> String { Hex.string([UInt8(count & 0xFF), UInt8(count >> 8)]) }
        let flags = arrow.hasPrefix(">") ? "00" : "20"
        return "\(arrow)02 40\(flags) \(length(octets + 4)) \(length(octets)) 0400 \(pdu)"
    }

    /// A link to a device with a characteristic at 0x0012 that is read and written, and what then passes.
    private static func findings(_ lines: String...) -> (CapturedFindings, AttributeTree) {
        findings(properties: "0a", end: "1200", lines)
    }

    private static func findings(
        properties: String,
        end: String,
        _ lines: [String]
    ) -> (CapturedFindings, AttributeTree) {
        let start = [
            ToldCapture.link("4000"),
            att("> ", "10 0100 ffff 0028"), att("< ", "11 06 1000 \(end) 0f18"),
            att("> ", "08 1000 \(end) 0328"), att("< ", "09 07 1100 \(properties) 1200 192a"),
        ]
        var gatt = CapturedGATT()
        var operations = CapturedOperations()
        var findings = CapturedFindings(of: device)
        for var event in ToldCapture(start + lines).events {
            gatt.add(&event)
            findings.add(event)
            for operation in operations.add(event) { findings.add(operation) }
        }
        for operation in operations.finish() { findings.add(operation) }
        return (findings, AttributeTree(known: gatt.database(of: device.address) ?? DiscoveredDatabase()))
    }

    @Test func `numbers that a device file cannot have are brought into its ranges`() {
        // An iPhone offers an MTU of 527.
        let (findings, _) = Self.findings(Self.att("> ", "02 f700"), Self.att("< ", "03 0f02"))
        #expect(findings.mtu == 517 && findings.interval == .milliseconds(30))
        var damaged = CapturedFindings(of: Self.device)
        for event in ToldCapture(["< 04 3e 13 01 00 4000 00 00 665544332211 ffff 0000 2a00 00"]).events {
            damaged.add(event)
        }
        #expect(damaged.interval == nil)
    }

    @Test func `what is longer than a value can be is in no rule, and cut in a recording`() {
        let long = String(repeating: "07", count: 513)
        let (findings, tree) = Self.findings(
            properties: "1a",
            end: "1300",
            [
                Self.att("> ", "12 1300 0100"), Self.att("< ", "13"), Self.att("> ", "12 1200 \(long)"),
                Self.att("< ", "13"),
                Self.att("< ", "1b 1200 \(long)"), Self.att("> ", "12 1200 08"), Self.att("< ", "13"),
                Self.att("< ", "1b 1200 \(long)"), Self.att("> ", "12 1200 \(long)09"), Self.att("< ", "01 12 1200 80"),
                Self.att("> ", "0a 1200"), Self.att("< ", "0b \(long)"), Self.att("> ", "0a 1200"),
                Self.att("< ", "0b 06\(long.dropFirst(2))"),
            ]
        )
        let rules = findings.findings(for: tree, name: nil).writeRules[0x12]
        #expect(rules?.map(\.conditions) == [[.equals([8])]])
        guard case .after(_, .send(_, .value(.octets(let sent))))? = rules?.first?.actions.last else {
            Issue.record("\(rules ?? [])")
            return
        }
        #expect(sent.count == 512)
        guard case .sequence(let parts)? = CapturedFindings.sequence([sent + [1], [6] + sent.dropFirst() + [1]]) else {
            Issue.record("no sequence")
            return
        }
        #expect(parts.count == 512)
    }

    @Test func `a clock that is set meanwhile neither turns a recording back, nor makes it longer than a year`() throws
    {
        let lines = [ToldCapture.link("4000")] + (1...4).map { Self.att("< ", "1b 1200 0\($0)") }
        let times: [Duration] = [.seconds(10), .seconds(12), .seconds(-3_600), .seconds(500_000_000)]
        var findings = CapturedFindings(of: Self.device)
        for (var operation, time) in zip(ToldCapture(lines).operations, times) {
            operation.elapsed = time
            findings.add(operation)
        }
        let recording = try #require(
            findings.findings(for: AttributeTree(known: DiscoveredDatabase()), name: nil).recordings[0x12]
        )
        let year = Duration.seconds(365 * 86_400)
        #expect(
            recording.samples.map(\.at) == [.milliseconds(1), .seconds(2), .seconds(2), year - .milliseconds(1)]
        )
        #expect(recording.period == year)
    }

    @Test(
        "a value that was always refused is refused by its rule, and one that was refused once by the number of its write"
    )
    func refusals() {
        let (findings, tree) = Self.findings(
            Self.att("> ", "12 1200 07"),
            Self.att("< ", "01 12 1200 80"),
            Self.att("> ", "12 1200 01"),
            Self.att("< ", "13"),
            Self.att("> ", "12 1200 07"),
            Self.att("< ", "01 12 1200 80"),
            Self.att("> ", "12 1200 01"),
            Self.att("< ", "01 12 1200 81"),
        )
        let refuse = WriteRule([.equals([7])], [.refuse(ATTErrorCode(0x80))])
        #expect(findings.findings(for: tree, name: nil).writeRules[0x12] == [refuse])
        let rules = findings.faults(for: tree)
        #expect(rules.map { $0.effect } == [.error(code: 0x81, after: .zero)])
        // A rule counts all writes.
        #expect(rules.map { $0.numbers } == [4...4])
    }

    @Test("a refusal for want of security is the clone's own, unless it has another error")
    func security() {
        for (code, count) in [("05", 0), ("0f", 1)] {
            let (findings, tree) = Self.findings(
                Self.att("> ", "0a 1200"),
                Self.att("< ", "01 0a 1200 \(code)"),
                Self.att("> ", "0a 1200"),
                Self.att("< ", "0b 57")
            )
            #expect(findings.faults(for: tree).count == count, "\(code)")
            #expect(findings.findings(for: tree, name: nil).protections[0x12] != nil)
        }
    }

    @Test("a device that was connected to accepts connections, also if no advertisement of it is there")
    func advertising() {
        let (findings, tree) = Self.findings(Self.att("> ", "0a 1200"), Self.att("< ", "0b 57"))
        let sets = findings.sets(name: "Lamp")
        #expect(sets.count == 1 && sets.allSatisfy(\.isConnectable))
        #expect(sets.first?.data(.start) == [2, 1, 6, 5, 9] + Array("Lamp".utf8))
        #expect(findings.remarks(on: tree, name: "Lamp").contains { $0.hasPrefix("no advertisement that accepts") })
        // A name that has no room is left out as a whole, so that no character is cut.
        let long = findings.sets(name: String(repeating: "\u{00E4}", count: 15))
        #expect(long.first?.data(.start) == [2, 1, 6] && long.first?.scanResponse == nil)
        #expect(CapturedFindings(of: Self.device).sets(name: "Lamp").isEmpty)
    }

    @Test("the answer to a value that is written again and again is that of one write, and may go on")
    func repetition() {
        let start = [Self.att("> ", "12 1300 0100"), Self.att("< ", "13")]
        func rules(_ answers: String...) -> [WriteRule] {
            let writes = answers.flatMap {
                [Self.att("> ", "12 1200 07"), Self.att("< ", "13"), Self.att("< ", "1b 1200 \($0)")]
            }
            let (findings, tree) = Self.findings(properties: "1a", end: "1300", start + writes)
            return findings.findings(for: tree, name: nil).writeRules[0x12] ?? []
        }
        let once = rules("08")
        #expect(once.count == 1 && once.first?.actions.count == 2)
        #expect(rules("08", "08", "08") == once)
        let steps = NumberGenerator.steps([8, 9, 7].map { DecimalNumber($0) }, every: nil)
        let value = DeviceValue.sequence([.number(.generated(steps), ValueFormat(.unsigned(octets: 1)))])
        guard case .after(_, .send(_, .value(value)))? = rules("08", "09", "07").first?.actions.last else {
            Issue.record("\(rules("08", "09", "07"))")
            return
        }
    }

    @Test("each value that overtakes the answer to its write is caused by that write, and not by the one before")
    func overtakingAgain() {
        let writes = ["07 08", "09 0a"].flatMap { pair in
            let octets = pair.split(separator: " ")
            return [
                Self.att("> ", "12 1200 \(octets[0])"), Self.att("< ", "1b 1200 \(octets[1])"), Self.att("< ", "13"),
            ]
        }
        let start = [Self.att("> ", "12 1300 0100"), Self.att("< ", "13")]
        let (findings, tree) = Self.findings(properties: "1a", end: "1300", start + writes)
        let target = CharacteristicReference.uuid(0x2A19, service: 0x180F)
        #expect(
            findings.findings(for: tree, name: nil).writeRules[0x12] == [
                WriteRule([.equals([7])], [.store, .send(target, .value(.octets([8])))]),
                WriteRule([.equals([9])], [.store, .send(target, .value(.octets([10])))]),
            ]
        )
    }

    @Test("a value that overtakes the answer to its write is caused by the write; one before any write is not")
    func overtaking() {
        let answer = [
            Self.att("> ", "12 1200 07"), Self.att("< ", "1b 1200 08"), Self.att("< ", "13"),
            Self.att("> ", "12 1200 09"), Self.att("< ", "13"), Self.att("< ", "1b 1200 0a"),
        ]
        let subscribed = [Self.att("> ", "12 1300 0100"), Self.att("< ", "13")]
        let (caused, tree) = Self.findings(properties: "1a", end: "1300", subscribed + answer)
        let rules = caused.findings(for: tree, name: nil)
        #expect(rules.writeRules[0x12]?.count == 2)
        #expect(rules.recordings.isEmpty)
        let (alone, other) = Self.findings(
            properties: "1a",
            end: "1300",
            subscribed + [Self.att("< ", "1b 1200 01")] + answer
        )
        let recorded = alone.findings(for: other, name: nil)
        #expect(recorded.writeRules[0x12] == nil)
        #expect(recorded.recordings[0x12]?.samples.count == 3)
    }
}
