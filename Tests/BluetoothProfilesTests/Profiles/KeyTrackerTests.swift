// SPDX-License-Identifier: MIT

import BluetoothProfiles
import Testing

@Suite("Keys")
struct KeyTrackerTests {
    @Test("a bit of a SensorTag's value is a key")
    func bits() {
        var tracker = KeyTracker()
        #expect(events(&tracker, [0x01]) == ["left +"])
        #expect(events(&tracker, [0x03]) == ["right +"])
        #expect(events(&tracker, [0x03]) == [])
        #expect(events(&tracker, [0x04, 0xFF]) == ["left -", "right -", "side +"])
        #expect(events(&tracker, []) == [])
        #expect(events(&tracker, [0xF8]) == ["side -"])
    }

    @Test("a single key is pressed by any number but zero")
    func single() {
        var tracker = KeyTracker()
        #expect(events(&tracker, [1], .microbitA) == ["a +"])
        #expect(events(&tracker, [2], .microbitA) == [])
        #expect(events(&tracker, [1], .microbitB) == ["b +"])
        #expect(events(&tracker, [0], .microbitA) == ["a -"])
    }

    private func events(_ tracker: inout KeyTracker, _ value: [UInt8], _ pad: KeyPad = .sensorTag) -> [String] {
        tracker.received(value, from: pad).map { "\($0.key) \($0.isPress ? "+" : "-")" }
    }
}
