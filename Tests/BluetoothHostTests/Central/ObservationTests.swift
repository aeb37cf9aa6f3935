// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("Observation")
struct ObservationTests {
    private typealias Device = ObservedDevice

    @Test("two observers of one characteristic cause one write at the beginning and one at the end")
    func shares() throws {
        let (seen, isPlayed, sent) = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing + [Device.off])], time, scope)
            // At the same time: the second finds everything done.
            let witnesses = [await device.witness(), await device.witness()]
            let subscriptions = witnesses.map { witness in
                Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            }
            try await device.sleep(.seconds(1))
            #expect(subscriptions.map { $0.outcome?.description } == ["() at 0 ms", "() at 0 ms"])
            try device.channel(0).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            await witnesses[0].observation.end()
            try device.channel(0).push("1b 0800 02")
            try await device.sleep(.seconds(1))
            await witnesses[1].observation.end()
            try device.channel(0).push("1b 0800 03")
            try await device.sleep(.seconds(60))
            return (witnesses.map(\.seen), device.isPlayed, try device.channel(0).sentWithTimes.last?.description)
        }
        #expect(
            seen == [
                ["0x2A19 01 at 1000", "radio: closedLocally at 2000"],
                ["0x2A19 01 at 1000", "0x2A19 02 at 2000", "radio: closedLocally at 3000"],
            ]
        )
        #expect(isPlayed)
        #expect(sent == "120900" + "0000 at 3000 ms")
    }

    @Test("two names of one characteristic share it; an observer sees each value once, under the first name")
    func twoNames() throws {
        let (seen, isPlayed) = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing + [Device.off])], time, scope)
            let byUUID = try await device.subscribedWitness()
            try await byUUID.observation.subscribe(to: device.peripheral.characteristic(at: 8))
            try await byUUID.observation.subscribe(to: device.level)
            let byHandle = await device.witness()
            try await byHandle.observation.subscribe(to: device.peripheral.characteristic(at: 8))
            try device.channel(0).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            await byUUID.observation.end()
            await byHandle.observation.end()
            return ([byUUID, byHandle].map { $0.seen.first }, device.isPlayed)
        }
        #expect(seen == ["0x2A19 01 at 0", "0x0008 01 at 0"])
        #expect(isPlayed)
    }

    @Test("values before or together with the answer to the subscription are delivered")
    func early() throws {
        let seen = try inVirtualTime { time, scope in
            let on = turn("12 0900 0100", reactions: [.packet("1b 0800 01"), .packet("13"), .packet("1b 0800 02")])
            let script = Script(Device.subscribing.turns.dropLast() + [on])
            let witness = try await Device([.connects(script)], time, scope).subscribedWitness()
            try await time.sleep(for: .seconds(1))
            return witness.seen
        }
        #expect(seen == ["0x2A19 01 at 0", "0x2A19 02 at 0"])
    }

    @Test("a refused subscription fails that observer, and leaves nothing behind")
    func refused() throws {
        let (outcomes, seen, isPlayed) = try inVirtualTime { time, scope in
            let refused = Script(Device.subscribing.turns.dropLast() + [turn("12 0900 0100", "01 12 0900 05")])
            let device = Device([.connects(refused + [Device.on, Device.off])], time, scope)
            let witness = await device.witness()
            let first = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.seconds(1))
            try device.channel(0).push("1b 0800 01")
            let second = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.seconds(1))
            try device.channel(0).push("1b 0800 02")
            try await device.sleep(.seconds(1))
            await witness.observation.end()
            return ([first, second].map { $0.outcome?.text }, witness.seen.first, device.isPlayed)
        }
        #expect(
            outcomes.first??.contains("insufficientAuthentication") == true || outcomes.first??.contains("05") == true,
            "\(outcomes)"
        )
        #expect(outcomes.last == "()")
        #expect(seen == "0x2A19 02 at 2000")
        #expect(isPlayed)
    }

    @Test func `an observer that may listen gets the values of a refused subscription, also on the next link`() throws {
        let (reasons, seen, isPlayed) = try inVirtualTime { time, scope in
            let refusal = turn("12 0900 0100", "01 12 0900 03")
            let refused = Script(Device.subscribing.turns.dropLast() + [refusal])
            let device = Device(
                [.connects(refused + [refusal]), .connects(refused)],
                time,
                scope,
                reconnection: .unlimited()
            )
            let witness = await device.witness()
            let reason = try await witness.observation.listen(to: device.level)
            try device.channel(0).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            // Another observer, which does not want to listen, still has an error.
            let other = await device.witness()
            var second: (any Error)?
            do {
                try await other.observation.subscribe(to: device.level)
            } catch {
                second = error
            }
            try device.channel(0).push("1b 0800 02")
            try await device.sleep(.seconds(1))
            try device.channel(0).end(.linkLost(nil))
            try await device.sleep(.seconds(2))
            try device.channel(1).push("1b 0800 03")
            try await device.sleep(.seconds(1))
            await witness.observation.end()
            return ([reason, second].map { $0.map { Running.name(of: $0) } }, witness.seen, device.isPlayed)
        }
        #expect(reasons == Array(repeating: "gatt: write not permitted (0x03) at 0x0009", count: 2))
        #expect(seen.filter { $0.hasPrefix("0x2A19") }.map { $0.prefix(9) } == ["0x2A19 01", "0x2A19 02", "0x2A19 03"])
        #expect(isPlayed)
    }

    @Test("a missing characteristic, or one that does not send, cannot be observed; the others go on")
    func impossible() throws {
        let (outcomes, seen) = try inVirtualTime { time, scope in
            let script: Script = [
                Device.mtu,
                turn("08 0100 ffff 0328", "09 07 0500 02 0600 002a 0700 12 0800 192a"),
                turn("08 0900 ffff 0328", "01 08 0900 0a"), turn("04 0900 ffff", "05 01 0900 0229"), Device.on,
            ]
            let device = Device([.connects(script)], time, scope)
            let witness = await device.witness()
            let attempts = [0x2A37, 0x2A00, 0x2A19].map { uuid in
                Running(scope, time) {
                    try await witness.observation.subscribe(to: device.peripheral.characteristic(BluetoothUUID(uuid)))
                }
            }
            try await device.sleep(.seconds(1))
            try device.channel(0).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            return (attempts.map { $0.outcome?.text ?? "" }, witness.seen)
        }
        #expect(outcomes[0].contains("2A37"))
        #expect(outcomes[1].contains("neither notifies nor indicates"))
        #expect(outcomes[2] == "()")
        #expect(seen == ["0x2A19 01 at 1000"])
    }

    @Test(
        "cancelling a subscription at any packet leaves no waiter, restores the device, and keeps the link usable",
        arguments: 0..<4
    )
    func cancelled(packet: Int) throws {
        let (outcomes, isPlayed, isConnected) = try inVirtualTime { time, scope in
            let undo: Script = packet == 3 ? [Device.off] : []
            let script = Device.subscribing.delaying(at: packet, by: .seconds(1)) + undo + [Device.readsLevel]
            let device = Device([.connects(script)], time, scope)
            let witness = await device.witness()
            let subscribing = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.milliseconds(500))
            subscribing.cancel()
            try await device.sleep(.seconds(1))
            let reading = Running(scope, time) { try await device.peripheral.attribute(at: 8).read().value }
            try await device.sleep(.seconds(60))
            return (
                [subscribing, reading].map { $0.outcome?.description }, device.isPlayed,
                await device.peripheral.isConnected
            )
        }
        #expect(outcomes == ["cancelled at 500 ms", "[100] at 1500 ms"])
        #expect(isPlayed)
        #expect(isConnected)
    }

    @Test(
        "an observation that ends while it subscribes is not subscribed, and its changes are undone",
        arguments: 0..<4
    )
    func endedMeanwhile(packet: Int) throws {
        let (outcomes, sent) = try inVirtualTime { time, scope in
            let rest = Script(Array(Device.subscribing.turns.dropFirst(packet + 1)))
            let script = Device.subscribing.delaying(at: packet, by: .seconds(1)) + rest + [Device.off]
            let device = Device([.connects(script)], time, scope)
            let witness = await device.witness()
            let subscribing = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.milliseconds(500))
            let ending = Running(scope, time) { await witness.observation.end() }
            try await device.sleep(.seconds(60))
            return ([subscribing, ending].map { $0.outcome?.description }, try device.channel(0).sent)
        }
        #expect(outcomes == ["radio: closedLocally at 1000 ms", "() at 1000 ms"])
        // Either it never began, or it was undone.
        #expect(sent.filter { $0.hasPrefix("12") } == (packet == 3 ? ["1209000100", "1209000000"] : []))
    }

    @Test("the end is carried out even if the caller does not wait for it")
    func endCancelled() throws {
        let (outcome, sent) = try inVirtualTime { time, scope in
            let off = turn("12 0900 0000", reactions: [.packet("13", after: .seconds(2))])
            let device = Device([.connects(Device.subscribing + [off, Device.readsLevel])], time, scope)
            let witness = try await device.subscribedWitness()
            let ending = Running(scope, time) { await witness.observation.end() }
            try await device.sleep(.seconds(1))
            ending.cancel()
            try await device.sleep(.milliseconds(500))
            _ = try await device.peripheral.attribute(at: 8).read()
            return (ending.outcome?.description, try device.channel(0).sentWithTimes.suffix(2).map(\.description))
        }
        #expect(outcome == "() at 1000 ms")
        #expect(sent == ["1209000000 at 0 ms", "0a0800 at 2000 ms"])
    }

    @Test("a device that refuses to unsubscribe is left alone, and the next one is tried")
    func endRefused() throws {
        let isPlayed = try inVirtualTime { time, scope in
            let script: Script = [
                Device.mtu,
                turn("08 0100 ffff 0328", "09 07 0700 12 0800 192a 0a00 12 0b00 372a"),
                turn("04 0900 0900", "05 01 0900 0229"), Device.on,
                turn("04 0c00 ffff", "05 01 0c00 0229"), turn("12 0c00 0100", "13"),
                turn("12 0900 0000", "01 12 0900 0e"), turn("12 0c00 0000", "13"),
            ]
            let device = Device([.connects(script)], time, scope)
            let witness = try await device.subscribedWitness()
            try await witness.observation.subscribe(to: device.peripheral.characteristic(0x2A37))
            await witness.observation.end()
            return device.isPlayed
        }
        #expect(isPlayed)
    }

    @Test("without reconnection the end of the link ends all observations")
    func linkEnds() throws {
        let seen = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing)], time, scope)
            let witnesses = [try await device.subscribedWitness(), try await device.subscribedWitness()]
            let idle = await device.witness()
            try await device.sleep(.seconds(1))
            try device.channel(0).end(.closedByPeer(nil))
            try await device.sleep(.seconds(1))
            for witness in witnesses { await witness.observation.end() }
            return (witnesses + [idle]).map(\.seen)
        }
        #expect(seen == [["radio: closedByPeer(nil) at 1000"], ["radio: closedByPeer(nil) at 1000"], []])
    }

    @Test(
        "a link lost while subscribing fails the subscription; the observer can try again",
        arguments: 0..<4
    )
    func lostWhileSubscribing(packet: Int) throws {
        let (outcomes, seen) = try inVirtualTime { time, scope in
            let attempts: [ScriptedRadio.Attempt] = [
                .connects(Device.subscribing.ending(at: packet, .linkLost(nil))), .connects(Device.subscribing),
            ]
            let device = Device(attempts, time, scope)
            let witness = await device.witness()
            let first = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.seconds(1))
            let second = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.seconds(1))
            try device.channel(1).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            return ([first, second].map { $0.outcome?.description }, witness.seen)
        }
        // Before anything came the link may never have stood.
        let first = packet == 0 ? "connect: linkLost(nil) after 1 at 0 ms" : "radio: linkLost(nil) at 0 ms"
        #expect(outcomes == [first, "() at 1000 ms"])
        #expect(seen == ["0x2A19 01 at 2000"])
    }

    @Test("a link that ended before the first packet is made again for a subscription, without an error")
    func neverStood() throws {
        let seen = try inVirtualTime { time, scope in
            let attempts: [ScriptedRadio.Attempt] = [
                .connects(Device.subscribing.ending(at: 0, .linkLost(nil))), .connects(Device.subscribing),
            ]
            let device = Device(attempts, time, scope, retries: 2)
            let witness = try await device.subscribedWitness()
            try device.channel(1).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            return witness.seen
        }
        #expect(seen == ["0x2A19 01 at 200"])
    }

    @Test("a subscription on the next link does not hide the end of other observers' subscriptions")
    func nextLink() throws {
        let seen = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing), .connects(Device.subscribing)], time, scope)
            let first = try await device.subscribedWitness()
            try device.channel(0).end(.linkLost(nil))
            let second = try await device.subscribedWitness()
            try device.channel(1).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            return [first.seen, second.seen]
        }
        #expect(seen == [["radio: linkLost(nil) at 0"], ["0x2A19 01 at 0"]])
    }

    @Test("disconnecting ends observations; others begin anew on another link")
    func disconnect() throws {
        let seen = try inVirtualTime { time, scope in
            let device = Device(
                [.connects(Device.subscribing), .connects(Device.subscribing)],
                time,
                scope,
                reconnection: .unlimited()
            )
            let first = try await device.subscribedWitness()
            let idle = await device.witness()
            await device.peripheral.disconnect()
            let second = try await device.subscribedWitness()
            try device.channel(1).push("1b 0800 01")
            try await device.sleep(.seconds(1))
            return [first.seen, idle.seen, second.seen]
        }
        #expect(seen == [["radio: closedLocally at 0"], ["radio: closedLocally at 0"], ["0x2A19 01 at 0"]])
    }

    @Test("an ended observation cannot subscribe")
    func afterEnd() throws {
        let outcome = try inVirtualTime { time, scope in
            let device = Device([.connects([])], time, scope)
            let witness = await device.witness()
            await witness.observation.end()
            let late = Running(scope, time) { try await witness.observation.subscribe(to: device.level) }
            try await device.sleep(.seconds(1))
            return late.outcome?.text
        }
        #expect(outcome == "radio: closedLocally")
    }

    @Test("a read value takes its place among those that arrive")
    func read() throws {
        let seen = try inVirtualTime { time, scope in
            let device = Device(
                [.connects(Device.subscribing + [turn("08 0100 ffff 192a", "09 03 0800 64")])],
                time,
                scope
            )
            let witness = try await device.subscribedWitness()
            try device.channel(0).push("1b 0800 63")
            try await device.sleep(.seconds(1))
            try await witness.observation.read(device.level)
            try device.channel(0).push("1b 0800 65")
            try await device.sleep(.seconds(1))
            return witness.seen
        }
        #expect(seen == ["0x2A19 63 at 0", "0x2A19 reads 64 at 1000", "0x2A19 65 at 1000"])
    }

    @Test("a characteristic is observed directly, and an observation that fails to begin leaves nothing behind")
    func observed() throws {
        let (value, outcome, isPlayed) = try inVirtualTime { time, scope in
            let refused = Script(Device.subscribing.turns.dropLast() + [turn("12 0900 0100", "01 12 0900 05")])
            let device = Device([.connects(refused + [Device.on, Device.off])], time, scope)
            let failing = Running(scope, time) { _ = try await device.level.observe() }
            try await device.sleep(.seconds(1))
            let observation = try await device.level.observe()
            try device.channel(0).push("1b 0800 01")
            let line = Witness.line(try await observation.next())
            await observation.end()
            return (line, failing.outcome?.text, device.isPlayed)
        }
        #expect(value == "0x2A19 01 at 1000")
        #expect(outcome?.hasPrefix("gatt: ") == true)
        #expect(isPlayed)
    }

    @Test("a slow reader loses the oldest values, and learns how many")
    func slow() throws {
        let (dropped, first, number) = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing)], time, scope)
            let observation = await device.peripheral.observation(limit: 4)
            try await observation.subscribe(to: device.level)
            for value in 0..<10 {
                try device.channel(0).push("1b 0800 0\(value)")
                try await device.sleep(.milliseconds(1))
            }
            let event = try await observation.next()
            guard case .value(let value, _) = event.kind else { return (0, [UInt8](), 0) }
            return (observation.droppedCount, value.value, event.number ?? 0)
        }
        #expect(dropped == 6)
        #expect(first == [6])
        // The gap is in the numbers.
        #expect(number == 7)
    }

    @Test("a slow reader of a link loses only values, and no events of the link or the database")
    func slowWithNews() throws {
        let lines = try inVirtualTime { time, scope in
            let device = Device([.connects(Device.subscribing + Device.moved)], time, scope)
            let observation = await device.peripheral.observation(limit: 4)
            try await observation.subscribe(to: device.level)
            for packet in ["1b 0800 01", Device.hasMoved] { try device.channel(0).push(packet) }
            try await device.sleep(.seconds(1))
            for value in 2...9 { try device.channel(0).push("1b 0a00 0\(value)") }
            try await device.sleep(.seconds(1))
            return try await Self.lines(observation, 4)
        }
        #expect(
            lines == [
                "changed 0x0006…0xFFFF at 0", "0x2A19 07 at 1000", "0x2A19 08 at 1000", "0x2A19 09 at 1000",
            ]
        )
    }

    @Test("a slow reader slows the device down and loses nothing, even with reads and service changes in between")
    func heldBack() throws {
        let (waiting, lines, dropped) = try inVirtualTime { time, scope in
            let reads = turn("08 0100 ffff 192a", "09 03 0800 64")
            let script = Device.subscribing + [reads] + Device.moved
            let device = Device([.connects(script)], time, scope, hasFlowControl: true)
            let observation = await device.peripheral.observation(limit: 4)
            try await observation.subscribe(to: device.level)
            let channel = try device.channel(0)
            for value in 10..<60 { channel.push("1b 0800 \(value)") }
            try await device.sleep(.seconds(1))
            let waiting = channel.waitingCount
            // The answer comes after all these values.
            try await observation.read(device.level)
            channel.push(Device.hasMoved)
            try await device.sleep(.seconds(1))
            var lines = try await Self.lines(observation, 52)
            for value in 10..<60 { channel.push("1b 0a00 \(value)") }
            try await device.sleep(.seconds(1))
            lines += try await Self.lines(observation, 50)
            return (waiting, lines, observation.droppedCount)
        }
        #expect(waiting > 40)
        #expect(lines.prefix(50).elementsEqual((10..<60).map { "0x2A19 \($0) at " }) { $0.hasPrefix($1) })
        #expect(lines.dropFirst(50).prefix(2) == ["0x2A19 reads 64 at 1000", "changed 0x0006…0xFFFF at 1000"])
        #expect(lines.dropFirst(52).elementsEqual((10..<60).map { "0x2A19 \($0) at " }) { $0.hasPrefix($1) })
        #expect(dropped == 0)
    }

    /// So many events.
    private static func lines(_ observation: Observation, _ count: Int) async throws -> [String] {
        var lines: [String] = []
        for _ in 0..<count { lines.append(Witness.line(try await observation.next())) }
        return lines
    }
}
