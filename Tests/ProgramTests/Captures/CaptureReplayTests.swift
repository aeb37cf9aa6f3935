// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import CaptureCommands
@testable import Captures
@testable import Commands
@testable import Toolkit

@Suite("Scripts that are made of captures")
struct CaptureReplayTests {
    private static func att(_ arrow: String, _ pdu: String) throws -> String {
        let count = try #require(Hex.bytes(pdu.filter { $0 != " " })).count
        func length(_ count: Int) -> String { Hex.string([UInt8(count), 0]) }
        return "\(arrow) 02 40\(arrow == ">" ? "00" : "20") \(length(count + 4)) \(length(count)) 0400 \(pdu)"
    }

    /// The steps of what a client does with a characteristic that has its value at 0x0012 and a description at 0x0013.
    /// `run` has read the script without a fault.
    private static func steps(_ pdus: (String, String)...) throws -> [String] {
        let discovery = [
            (">", "10 0100 ffff 0028"), ("<", "11 06 1000 1300 0f18"), (">", "08 1000 1300 0328"),
            ("<", "09 07 1100 0a 1200 192a"), (">", "04 1300 1300"), ("<", "05 01 1300 0129"),
        ]
        let capture = ToldCapture([ToldCapture.link("4000")] + (try (discovery + pdus).map { try att($0, $1) }))
        var (gatt, replay, operations) = (CapturedGATT(), CaptureReplay(), CapturedOperations())
        for var event in capture.events {
            gatt.add(&event)
            replay.add(event, gatt)
            for operation in operations.add(event) { replay.add(operation) }
        }
        for operation in operations.finish() { replay.add(operation) }
        let options = TraceOptions(
            files: ["-"],
            view: .script,
            devices: [],
            handles: [],
            targets: [],
            wantsATT: false,
            wantsHCI: false,
            direction: nil,
            begin: nil,
            end: nil,
            hint: nil
        )
        let script = try replay.script(of: options, gatt)
        _ = try ScriptText.read(script)
        return script.split(separator: "\n").drop { !$0.hasPrefix("test") }.dropFirst().map { String($0.dropFirst(2)) }
    }

    @Test func `an empty value is expected by its length`() throws {
        let steps = try Self.steps((">", "0a 1200"), ("<", "0b"))
        #expect(steps == ["read peer battery/battery-level expect length 0"])
    }

    @Test func `a step is left out whose handle no attribute has`() throws {
        let steps = try Self.steps(
            (">", "0a 1200"),
            ("<", "0b 32"),
            ("<", "1b 0000 01"),
            (">", "12 0000 01"),
            ("<", "13")
        )
        #expect(steps == ["read peer battery/battery-level expect 0x32", "# 2 operations without a step"])
    }

    @Test func `only the success of what was refused shows that the link was paired`() throws {
        let refusal = [(">", "0a 1200"), ("<", "01 0a 1200 05")]
        let refused = "read peer battery/battery-level --no-pair expect error 0x05"
        let description = "read peer battery/battery-level/0x2901 expect 0x41"
        let open = try Self.steps(refusal[0], refusal[1], (">", "0a 1300"), ("<", "0b 41"))
        #expect(open == [refused, description])
        let paired = try Self.steps(refusal[0], refusal[1], (">", "0a 1200"), ("<", "0b 32"))
        #expect(paired == [refused, "pair peer", "read peer battery/battery-level expect 0x32"])
    }
}
