// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import Testing

@testable import CommandLineInterface
@testable import Toolkit

@Suite("Hooks on the command line")
struct HookOptionsTests {
    private static let readable: [(String, DeviceHooks.Operations, [String])] = [
        ("battery-level=cat level", [.read, .write], ["cat", "level"]),
        ("read battery-level=cat", .read, ["cat"]),
        ("write  battery-level =cat 'a b' c\\ d \"e'f\" ''", .write, ["cat", "a b", "c d", "e'f", ""]),
        (
            "0x2A19=sh -c 'echo $BLECTL_VALUE=1; exit 3'", [.read, .write],
            ["sh", "-c", "echo $BLECTL_VALUE=1; exit 3"]
        ),
        ("battery-level=a\"b\\\"c\"d", [.read, .write], ["ab\"cd"]),
        ("battery-level='a\\b'", [.read, .write], ["a\\b"]),
    ]

    @Test(arguments: readable)
    func `hooks`(_ text: String, _ operations: DeviceHooks.Operations, _ words: [String]) throws {
        let hook = try Hook(text)
        #expect(hook.place == .characteristic(0x2A19, service: nil))
        #expect(hook.operations == operations)
        #expect(hook.words == words)
    }

    @Test func `places`() throws {
        #expect(try Hook("battery/battery-level=x").place == .characteristic(0x2A19, service: 0x180F))
        #expect(try Hook("read handle:0x18=x").place == .handle(0x0018))
    }

    @Test(arguments: [
        ("battery-level", "expected a characteristic, '='"),
        ("battery-level=", "expected a command"),
        ("battery-level=''", "expected a command"),
        ("battery-level='x", "the quotation mark ' is not closed"),
        ("battery-level=x\\", "nothing follows the backslash"),
        ("battery-level/cccd=x", "not a descriptor"),
        ("baterry-level=x", "did you mean 'battery-level'"),
        ("=x", "expected a UUID"),
    ])
    func `mistakes`(_ text: String, _ words: String) {
        let problem = #expect(throws: ValueProblem.self) { try Hook(text) }
        #expect(problem?.expectation.contains(words) == true, "\(problem?.expectation ?? "")")
    }

    @Test(
        arguments: [
            (1, 0x0E), (2, 0x02), (3, 0x03), (0x13, 0x13), (0x15, 0x0E), (127, 0x0E), (128, 0x80), (159, 0x9F),
            (160, 0x0E),
            (224, 0xE0), (255, 0xFF),
        ] as [(Int32, UInt8)]
    )
    func `a status is an ATT error if that number exists`(_ status: Int32, _ code: UInt8) {
        #expect(Hook.error(ofStatus: status) == ATTErrorCode(code))
    }
}
