// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("ValueObservation")
struct ValueObservationTests {
    /// What an observer gets until nothing more comes: `handle kind value at moment`.
    private static func values(_ observation: ValueObservation) async -> [String] {
        var values: [String] = []
        while let event = try? await observation.next() {
            values.append("\(event.handle) \(event.kind) \(Hex.string(event.value)) at \(event.instant.milliseconds)")
        }
        return values
    }

    @Test("an overlong value is cut to the longest possible one")
    func tooLong() throws {
        let events = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([turn("02 0502", "03 0502")], time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            try await connection.exchangeMTU()
            let observation = await connection.observe(8, in: scope)
            for length in [511, 512, 513, 514] { channel.push("1b 0800" + String(repeating: "07", count: length)) }
            try await time.sleep(for: .seconds(1))
            connection.close()
            var events: [ValueEvent] = []
            while let event = try? await observation.next() { events.append(event) }
            return events
        }
        #expect(events.map(\.value.count) == [511, 512, 512, 512])
        #expect(events.map(\.isCut) == [false, false, true, true])
    }

    @Test("every observer sees the values of its characteristic, of any kind, with their times")
    func kinds() throws {
        let (one, all, sent) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([turn("1e")], time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            channel.push("1b 0800 00")
            try await time.sleep(for: .seconds(1))
            let one = await connection.observe(8, in: scope)
            let all = await connection.observe(nil, in: scope)
            channel.push("1b 0800 01")
            try await time.sleep(for: .seconds(1))
            channel.push("1d 0900 02")
            try await time.sleep(for: .seconds(1))
            channel.push("23 0800 0100 03 0900 0200 0405")
            try await time.sleep(for: .seconds(1))
            connection.close()
            return (await Self.values(one), await Self.values(all), channel.sent)
        }
        #expect(one == ["0x0008 notification 01 at 1000", "0x0008 notification 03 at 3000"])
        #expect(
            all == [
                "0x0008 notification 01 at 1000", "0x0009 indication 02 at 2000", "0x0008 notification 03 at 3000",
                "0x0009 notification 0405 at 3000",
            ]
        )
        #expect(sent == ["1e"])
    }

    @Test("indications are confirmed once each, even without observers or during a request")
    func confirms() throws {
        let (outcome, sent) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(
                [
                    turn("1e"), turn("1e"),
                    turn("0a 0300", reactions: [.packet("1d 0900 02"), .packet("1d 09"), .packet("0b 07")]), turn("1e"),
                    turn("1e"),
                ],
                time,
                scope
            )
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            channel.push("1d 0900 01")
            channel.push("1d 0900 01")
            try await time.sleep(for: .seconds(1))
            let read = Running(scope, time) { try await connection.perform(ReadValue(3)).value }
            try await time.sleep(for: .seconds(1))
            return (read.outcome?.text, channel.sent)
        }
        #expect(outcome == "[7]")
        #expect(sent == ["1e", "1e", "0a0300", "1e", "1e"])
    }

    @Test("values before a hang-up are delivered in order, though nothing can be confirmed or answered any more")
    func hangUp() throws {
        let (values, read, sent) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([turn("0a 0300")], time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let observation = await connection.observe(nil, in: scope)
            let read = Running(scope, time) { try await connection.perform(ReadValue(3)).value }
            try await time.sleep(for: .seconds(1))
            for number in 1...4 { channel.push("1d 0800 0\(number)") }
            // It asks something as well, says nothing in a packet, and answers what it was asked.
            for packet in ["02 0502", "", "0a 0100", "1b 0900 05", "0b 07", "1d 0800 06"] { channel.push(packet) }
            channel.end(.closedByPeer(nil))
            try await time.sleep(for: .seconds(1))
            return (await Self.values(observation), read.outcome?.text, channel.sent)
        }
        #expect(
            values == [
                "0x0008 indication 01 at 1000", "0x0008 indication 02 at 1000", "0x0008 indication 03 at 1000",
                "0x0008 indication 04 at 1000", "0x0009 notification 05 at 1000", "0x0008 indication 06 at 1000",
            ]
        )
        #expect(read == "[7]")
        #expect(sent == ["0a0300"])
    }

    @Test("a confirmation that the channel refuses ends the link after the earlier values")
    func refusedConfirmation() throws {
        let (values, end) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([], time, scope)
            channel.failSending(.system(call: "send", errno: "ENOBUFS"))
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let observation = await connection.observe(8, in: scope)
            for number in 1...4 { channel.push("1d 0800 0\(number)") }
            try await time.sleep(for: .seconds(1))
            return (await Self.values(observation).count, connection.end?.cause)
        }
        #expect(values == 4)
        #expect(end == .system(call: "send", errno: "ENOBUFS"))
    }

    @Test("a flood with a slow reader: storage is bounded, drops are counted, requests go on")
    func flood() throws {
        let (kept, dropped, untouched, outcome) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(
                [turn("0a 0300", "0b 07")],
                time,
                scope,
                queue: PacketQueue(limit: 1_000_000, overflow: .pauseProducer)
            )
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let slow = await connection.observe(8, limit: 100, in: scope)
            let other = await connection.observe(9, limit: 100, in: scope)
            for number in 0..<50_000 { channel.push("1b 0800 " + Hex.string(UInt32(number), minimumDigits: 8)) }
            let read = Running(scope, time) { try await connection.perform(ReadValue(3)).value }
            try await time.sleep(for: .seconds(1))
            connection.close()
            let values = await Self.values(slow)
            return (
                (values.count, values.first, values.last), slow.droppedCount, other.droppedCount, read.outcome?.text
            )
        }
        #expect(kept.0 == 100)
        #expect(kept.1 == "0x0008 notification 0000c2ec at 0")
        #expect(kept.2 == "0x0008 notification 0000c34f at 0")
        #expect(dropped == 49_900)
        #expect(untouched == 0)
        #expect(outcome == "[7]")
    }

    @Test("an ended observation takes no more values, and its reader gets the stored ones and then the end")
    func ends() throws {
        let (values, waiting, dropped, others) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([], time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let ending = await connection.observe(nil, limit: 2, in: scope)
            let waiting = await connection.observe(nil, in: scope)
            let staying = await connection.observe(nil, in: scope)
            channel.push("1b 0800 01")
            try await time.sleep(for: .seconds(1))
            _ = try await waiting.next()
            let reader = Running(scope, time) { "\(try await waiting.next())" }
            try await time.sleep(for: .seconds(1))
            ending.end()
            waiting.end()
            for number in 2...6 { channel.push("1b 0800 0\(number)") }
            try await time.sleep(for: .seconds(1))
            connection.close()
            return (
                await Self.values(ending), reader.outcome?.description, ending.droppedCount,
                await Self.values(staying).count
            )
        }
        #expect(values == ["0x0008 notification 01 at 0"])
        #expect(waiting == "radio: closedLocally at 2000 ms")
        #expect(dropped == 0)
        #expect(others == 6)
    }

    @Test("a cancelled reader loses nothing: the next reader goes on")
    func cancelledReader() throws {
        let (first, second) = try inVirtualTime { time, scope in
            let channel = ScriptedChannel([], time, scope)
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let observation = await connection.observe(nil, in: scope)
            let first = Running(scope, time) { try await observation.next().value }
            try await time.sleep(for: .seconds(1))
            first.cancel()
            try await time.sleep(for: .seconds(1))
            channel.push("1b 0800 01")
            try await time.sleep(for: .seconds(1))
            return (first.outcome?.description, try await observation.next().value)
        }
        #expect(first == "radio: cancelled at 1000 ms")
        #expect(second == [1])
    }
}
