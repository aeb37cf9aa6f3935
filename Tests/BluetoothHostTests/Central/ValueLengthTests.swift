// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("The length of observed values")
struct ValueLengthTests {
    private typealias Device = ObservedDevice

    private static let hash = "000102030405060708090a0b0c0d0e0f"
    private static let sameHash = turn("08 0100 ffff 2a2b", "09 12 1500 \(hash)")
    private static let twenty = String(repeating: "ab", count: 20)

    /// What two observers see in two runs, one after the other, with a common store for the device.
    private func runs(_ scripts: [Script], values: [[String]]) throws -> [[String]] {
        try inVirtualTime { time, scope in
            let store = MemoryStore()
            var seen: [[String]] = []
            for (script, values) in zip(scripts, values) {
                let device = Device([.connects(script)], time, scope, store: store)
                let witness = try await device.subscribedWitness()
                for value in values {
                    try device.channel(0).push("1b 0800 \(value)")
                    try await device.sleep(.milliseconds(100))
                }
                await witness.observation.end()
                await device.peripheral.disconnect()
                #expect(device.isPlayed)
                seen.append(witness.seen.dropLast())
            }
            return seen
        }
    }

    private static let first = [sameHash] + ObservedDevice.subscribing.turns + [ObservedDevice.off]

    @Test("values that were always short need no larger MTU the next time")
    func short() throws {
        let seen = try runs([Script(Self.first), [Self.sameHash, Device.on, Device.off]], values: [["01"], ["02"]])
        #expect(seen.map(\.count) == [1, 1])
    }

    @Test("a value that fills the smallest MTU is marked as perhaps cut, and a larger MTU is exchanged at once")
    func longer() throws {
        let second: Script = [Self.sameHash, Device.on, turn("02 0502", "03 4000"), Device.off]
        let seen = try runs([Script(Self.first), second], values: [["01"], ["02", Self.twenty, Self.twenty]])
        #expect(seen[1].map { $0.contains("cut?") } == [false, true, false])
    }

    @Test("long values get their MTU before they are switched on, and are whole if they fit")
    func long() throws {
        let second: Script = [Self.sameHash, turn("02 0502", "03 4000"), Device.on, Device.off]
        let seen = try runs([Script(Self.first), second], values: [[Self.twenty], [Self.twenty + "ab"]])
        #expect(seen.joined().allSatisfy { !$0.contains("cut?") })
    }
}
