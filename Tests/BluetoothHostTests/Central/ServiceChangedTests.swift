// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("Service Changed")
struct ServiceChangedTests {
    private typealias Device = ObservedDevice

    /// What an observer sees if the device indicates a change six seconds after the subscription.
    private func change(
        _ script: Script,
        by indication: String = Device.hasMoved,
        then links: [ScriptedRadio.Attempt] = [],
        reconnection: RetryPolicy? = nil,
        value: String? = nil
    ) throws -> [String] {
        try inVirtualTime { time, scope in
            let first = Device.subscribing + Device.serviceChanged + script
            let device = Device([.connects(first)] + links, time, scope, reconnection: reconnection)
            let witness = try await device.subscribedWitness()
            try await device.sleep(.seconds(6))
            try device.channel(0).push(indication)
            try await device.sleep(.seconds(6))
            if let value { try device.channel(0).push(value) }
            try await device.sleep(.seconds(60))
            #expect(device.isPlayed)
            return witness.seen
        }
    }

    @Test("after five seconds the device is asked to indicate changes, once, and not for short operations")
    func asked() throws {
        let (sent, brief) = try inVirtualTime { time, scope in
            let script =
                Device.subscribing + [Device.off] + Device.subscribing.dropFirst(3) + Device.serviceChanged + [
                    Device.off
                ]
            let device = Device([.connects(script)], time, scope)
            let brief = try await device.subscribedWitness()
            try await device.sleep(.seconds(4))
            await brief.observation.end()
            try await device.sleep(.seconds(60))
            let count = try device.channel(0).sent.count
            let witness = try await device.subscribedWitness()
            _ = try await device.subscribedWitness()
            try await device.sleep(.seconds(60))
            await witness.observation.end()
            return (try device.channel(0).sentWithTimes.suffix(2).map(\.instant.milliseconds), count)
        }
        #expect(brief == 5)
        #expect(sent == [69_000, 69_000])
    }

    @Test("a change is confirmed, and its part forgotten, found again, and subscribed to at its new place")
    func moved() throws {
        let seen = try change(Device.moved, value: "1b 0a00 07")
        #expect(seen == ["changed 0x0006…0xFFFF at 6000", "0x2A19 07 at 12000"])
    }

    @Test("values of the new place come after the event of the change, even if they came before the answer")
    func order() throws {
        let on = turn("12 0b00 0100", reactions: [.packet("1b 0a00 01"), .packet("13", after: .seconds(1))])
        let seen = try change(Script(Device.moved.turns.dropLast() + [on]), value: "1b 0a00 07")
        #expect(seen == ["changed 0x0006…0xFFFF at 7000", "0x2A19 01 at 6000", "0x2A19 07 at 12000"])
    }

    @Test("an unmoved characteristic is subscribed to again, since the device may have lost the subscription")
    func same() throws {
        let script: Script = [
            turn("1e"), turn("08 0600 ffff 0328", "09 07 0700 12 0800 192a"), turn("04 0900 ffff", "05 01 0900 0229"),
            Device.on,
        ]
        let seen = try change(script, value: "1b 0800 07")
        #expect(seen == ["changed 0x0006…0xFFFF at 6000", "0x2A19 07 at 12000"])
    }

    @Test("a change elsewhere is confirmed and reported, and causes no request")
    func elsewhere() throws {
        let seen = try change([turn("1e")], by: "1d 0300 2000 3000", value: "1b 0800 07")
        #expect(seen == ["changed 0x0020…0x0030 at 6000", "0x2A19 07 at 12000"])
    }

    @Test("a missing characteristic ends its observers, and the error names it")
    func gone() throws {
        let seen = try change([turn("1e"), turn("08 0600 ffff 0328", "01 08 0600 0a")])
        #expect(seen.count == 1 && seen[0].contains("2A19") && seen[0].hasSuffix("at 6000"), "\(seen)")
    }

    /// All that was known is forgotten, Service Changed itself with it.
    private static let everything: Script = [
        turn("1e"), Device.characteristics, turn("04 0900 ffff", "05 01 0900 0229"),
        turn("04 0400 0600", "05 01 0400 0229"),
        Device.on, turn("12 0400 0200", "13"),
    ]

    @Test(
        "a malformed range means everything: backwards, from 0, too short, or too long",
        arguments: [
            "1d 0300 ffff 0600", "1d 0300 0000 ffff", "1d 0300 0600", "1d 0300", "1d 0300 0600 ffff 00",
            "1d 0300 0100 ffff",
        ]
    )
    func malformed(indication: String) throws {
        let seen = try change(Self.everything, by: indication, value: "1b 0800 07")
        #expect(seen == ["changed 0x0001…0xFFFF at 6000", "0x2A19 07 at 12000"])
    }

    @Test("other indications are not Service Changed, whatever their length")
    func others() throws {
        let seen = try change([turn("1e")], by: "1d 0800 0600 ffff")
        #expect(seen == ["0x2A19 0600ffff at 6000"])
    }

    @Test("without reconnection, a link lost during the change ends the observation", arguments: 0..<4)
    func lost(packet: Int) throws {
        let seen = try change(Device.moved.ending(at: packet, .linkLost(nil)))
        #expect(seen == ["radio: linkLost(nil) at 6000"])
    }

    @Test("with reconnection, a link lost during the change is made again", arguments: 0..<4)
    func lostAndRestored(packet: Int) throws {
        let again = ScriptedRadio.Attempt.connects(
            Device.subscribing + Device.serviceChanged,
            after: .milliseconds(100)
        )
        let seen = try change(
            Device.moved.ending(at: packet, .linkLost(nil)),
            then: [again],
            reconnection: .unlimited()
        )
        #expect(seen == ["lost: linkLost(nil) at 6000", "restored after 0.1 seconds, attempt 1 at 6100"])
    }

    @Test("a device that does not answer during the change loses the link after the timeout of ATT", arguments: 1..<4)
    func silent(packet: Int) throws {
        let seen = try change(Device.moved.stalling(at: packet))
        #expect(seen.count == 1 && seen[0].hasSuffix("at 36000"), "\(seen)")
    }

    @Test("a device that permanently refuses the new subscription ends the observation with that error")
    func refused() throws {
        let script = Script(Device.moved.turns.dropLast() + [turn("12 0b00 0100", "01 12 0b00 05")])
        let seen = try change(script)
        #expect(seen.count == 1 && seen[0].hasPrefix("gatt: "), "\(seen)")
    }

    @Test("a malformed answer during the change is reported, and the link is closed")
    func nonsense() throws {
        let script = Script(Device.moved.turns.dropLast() + [turn("12 0b00 0100", "01 12 0b00 0e")])
        let seen = try change(script)
        #expect(seen.count == 1 && seen[0].hasPrefix("gatt: "), "\(seen)")
        let again = ScriptedRadio.Attempt.connects(Device.subscribing + Device.serviceChanged)
        let restored = try change(script, then: [again], reconnection: .unlimited())
        #expect(restored == ["lost: closedLocally at 6000", "restored after 0.0 seconds, attempt 1 at 6000"])
    }

    @Test("a change during a subscription: it is completed, and made again at the new place")
    func whileSubscribing() throws {
        let seen = try inVirtualTime { time, scope in
            let on = turn("12 0900 0100", reactions: [.packet(Device.hasMoved), .packet("13")])
            let news: Script = [turn("04 0400 0800", "05 01 0400 0229"), turn("12 0400 0200", "13")]
            let script = Script(Device.subscribing.turns.dropLast() + [on]) + Device.moved + news
            let device = Device([.connects(script)], time, scope)
            let witness = try await device.subscribedWitness()
            try await device.sleep(.seconds(1))
            try device.channel(0).push("1b 0a00 07")
            try await device.sleep(.seconds(60))
            #expect(device.isPlayed)
            return witness.seen
        }
        #expect(seen == ["changed 0x0006…0xFFFF at 0", "0x2A19 07 at 1000"])
    }

    @Test("a device that reports Database Out Of Sync instead is asked for everything again")
    func outOfSync() throws {
        let seen = try inVirtualTime { time, scope in
            let refused = Script(Device.subscribing.turns.dropLast() + [turn("12 0900 0100", "01 12 0900 12")])
            let anew: Script = [
                turn("08 0100 ffff 0328", "09 07 0900 12 0a00 192a"), turn("04 0b00 ffff", "05 01 0b00 0229"),
                turn("12 0b00 0100", "13"),
            ]
            let device = Device([.connects(refused + anew)], time, scope)
            let witness = try await device.subscribedWitness()
            try device.channel(0).push("1b 0a00 07")
            try await device.sleep(.seconds(1))
            #expect(device.isPlayed)
            return witness.seen
        }
        #expect(seen == ["0x2A19 07 at 0"])
    }

    @Test("two characteristics that change places are not confused")
    func swapped() throws {
        let seen = try inVirtualTime { time, scope in
            func both(_ first: String, _ second: String) -> Script.Turn {
                turn("08 0100 ffff 0328", "09 07 0200 20 0300 052a 0700 12 0800 \(first) 0a00 12 0b00 \(second)")
            }
            let script: Script = [
                Device.mtu, both("192a", "372a"), turn("04 0900 0900", "05 01 0900 0229"), Device.on,
                turn("04 0c00 ffff", "05 01 0c00 0229"), turn("12 0c00 0100", "13"),
                turn("1e"), both("372a", "192a"), turn("04 0c00 ffff", "05 01 0c00 0229"),
                turn("04 0900 0900", "05 01 0900 0229"),
                turn("12 0c00 0100", "13"), Device.on,
            ]
            let device = Device([.connects(script)], time, scope)
            let witness = try await device.subscribedWitness()
            try await witness.observation.subscribe(to: device.peripheral.characteristic(0x2A37))
            try device.channel(0).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            try device.channel(0).push("1d 0300 0100 ffff")
            try await device.sleep(.seconds(1))
            try device.channel(0).push("1b 0800 02")
            try device.channel(0).push("1b 0b00 03")
            try await device.sleep(.seconds(1))
            return witness.seen
        }
        #expect(
            seen.filter { !$0.hasPrefix("changed") } == ["0x2A19 01 at 0", "0x2A37 02 at 2000", "0x2A19 03 at 2000"]
        )
    }

    @Test("a flood is confirmed one by one, drops mean a change of everything, and the subscription is restored")
    func flood() throws {
        let (seen, confirmed) = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing)], time, scope)
            let witness = try await device.subscribedWitness()
            try device.channel(0).answer { packet in
                switch Hex.string(packet.prefix(1)) {
                case "1e": nil
                case "08":
                    Hex.string(packet) == "080100ffff0328"
                        ? "09 07 0200 20 0300 052a 0700 12 0800 192a" : "09 07 0700 12 0800 192a"
                case "04": "05 01 \(Hex.string(packet.dropFirst().prefix(2))) 0229"
                default: "13"
                }
            }
            for _ in 0..<1_000 { try device.channel(0).push(Device.hasMoved) }
            try await device.sleep(.seconds(1))
            try device.channel(0).push("1b 0800 07")
            try await device.sleep(.seconds(1))
            return (witness.seen, try device.channel(0).sent.count { $0 == "1e" })
        }
        #expect(confirmed == 1_000)
        #expect(seen.last == "0x2A19 07 at 1000")
        #expect(seen.contains("changed 0x0001…0xFFFF at 0"))
        #expect(seen.count < 100)
    }

    @Test("the last of many changes is followed when there are fewer")
    func lastOfMany() throws {
        let seen = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing)], time, scope)
            let witness = try await device.subscribedWitness()
            let hasMoved = Mutex(false)
            try device.channel(0).answer { packet in
                let place = hasMoved.withLock { $0 } ? "0a" : "08"
                return switch Hex.string(packet.prefix(1)) {
                case "1e": nil
                case "08":
                    switch Hex.string(packet) {
                    case "080100ffff0328": "09 07 0200 20 0300 052a 0700 12 \(place)00 192a"
                    case "080600ffff0328": "09 07 0700 12 \(place)00 192a"
                    default: "01 08 0c00 0a"
                    }
                case "04": "05 01 \(Hex.string(packet.dropFirst().prefix(2))) 0229"
                default: "13"
                }
            }
            for number in 1...9 {
                hasMoved.withLock { $0 = number == 9 }
                try device.channel(0).push(Device.hasMoved)
                try await device.sleep(.milliseconds(100))
            }
            try await device.sleep(.seconds(20))
            try device.channel(0).push("1b 0a00 07")
            try await device.sleep(.seconds(1))
            return witness.seen
        }
        #expect(seen.last == "0x2A19 07 at 20900", "\(seen)")
    }

    @Test("a change invalidates the known database even without an observation")
    func unobserved() throws {
        let isPlayed = try inVirtualTime { time, scope in
            let script: Script = [
                turn("06 0100 ffff 0028 0f18", "07 0600 0900"), turn("1e"),
                turn("06 0100 ffff 0028 0f18", "07 1600 1900"),
            ]
            let device = Device([.connects(script)], time, scope)
            let service = device.peripheral.service(0x180F)
            _ = try await service.definition()
            _ = try await service.definition()
            try device.channel(0).push("1d 0300 0100 ffff")
            try await device.sleep(.seconds(1))
            _ = try await service.definition()
            return device.isPlayed
        }
        #expect(isPlayed)
    }
}
