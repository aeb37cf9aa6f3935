// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import ControllerRadio

@Suite("Queue of commands")
struct ControllerCommandQueueTests {
    private static let first = CommandOwner.channel(ChannelID(rawValue: 1))
    private static let second = CommandOwner.channel(ChannelID(rawValue: 2))
    private static let rssi = HCIReadRSSI(0x0040).packet
    private static let scan = LESetScanEnable(isEnabled: true).packet
    private static let reply = LELongTermKeyRequestNegativeReply(0x0040).packet

    @Test func `one command at a time, and those of the host first`() {
        var queue = ControllerCommandQueue()
        #expect(queue.submit(Self.rssi, from: Self.first, now: .zero) == [.send(Self.rssi, Self.first)])
        #expect(queue.submit(Self.scan, from: Self.second, now: .zero) == [])
        #expect(queue.submit(Self.reply, from: .host, now: .zero) == [])
        #expect(
            queue.received(answer(Self.rssi.opcode, [0x40, 0x00, 0xC4]), now: .at(1))
                == [.ended(Self.first, .success([0x40, 0x00, 0xC4])), .send(Self.reply, .host)]
        )
        // The answer to what was not sent changes nothing.
        #expect(queue.received(answer(Self.rssi.opcode), now: .at(1)) == [])
        #expect(
            queue.received(status(Self.reply.opcode, .commandDisallowed), now: .at(2))
                == [
                    .ended(.host, .failure(CommandRefusal(status: .commandDisallowed))), .send(Self.scan, Self.second),
                ]
        )
    }

    @Test func `nothing is sent until the controller accepts another command`() {
        var queue = ControllerCommandQueue()
        _ = queue.submit(Self.rssi, from: Self.first, now: .zero)
        _ = queue.submit(Self.scan, from: Self.first, now: .zero)
        #expect(
            queue.received(answer(Self.rssi.opcode, credits: 0), now: .at(1)) == [.ended(Self.first, .success([]))]
        )
        #expect(queue.nextDeadline == .at(2_001))
        // An event without a command.
        let more = HCIEvent.known(CommandCompleteEvent(commandPackets: 1, opcode: .none, returnParameters: []))
        #expect(queue.received(more, now: .at(5)) == [.send(Self.scan, Self.first)])
        #expect(queue.nextDeadline == .at(2_005))
    }

    @Test func `a command without an answer is given up, and the next is sent`() {
        var queue = ControllerCommandQueue()
        _ = queue.submit(Self.rssi, from: Self.first, now: .zero)
        _ = queue.submit(Self.scan, from: Self.second, now: .at(10))
        #expect(queue.timerFired(now: .at(1_999)) == [])
        #expect(
            queue.timerFired(now: .at(2_000))
                == [.unanswered(Self.first, Self.rssi.opcode), .send(Self.scan, Self.second)]
        )
        #expect(queue.nextDeadline == .at(4_000))
    }

    @Test func `a controller that accepts no command any more gets the next one nevertheless`() {
        var queue = ControllerCommandQueue()
        _ = queue.submit(Self.rssi, from: Self.first, now: .zero)
        _ = queue.received(answer(Self.rssi.opcode, credits: 0), now: .at(1))
        #expect(queue.nextDeadline == nil)
        #expect(queue.submit(Self.scan, from: Self.first, now: .at(10)) == [])
        #expect(queue.submit(Self.reply, from: .host, now: .at(20)) == [])
        #expect(queue.nextDeadline == .at(2_010))
        #expect(queue.timerFired(now: .at(2_009)) == [])
        #expect(queue.timerFired(now: .at(2_010)) == [.send(Self.reply, .host)])
        #expect(queue.nextDeadline == .at(4_010))
    }

    @Test func `the answer to a command of a link that has ended is not taken for one of the next link`() {
        for owner in [.disconnect(0x0040), .security(0x0040), .link(0x0040)] as [CommandOwner] {
            var queue = ControllerCommandQueue()
            _ = queue.submit(Self.reply, from: owner, now: .zero)
            queue.ended(0x0041)
            #expect(queue.awaiting == owner)
            queue.ended(0x0040)
            let refusal = CommandRefusal(status: .unknownConnectionIdentifier)
            let ended = queue.received(status(Self.reply.opcode, .unknownConnectionIdentifier), now: .at(1))
            #expect(ended == [.ended(.host, .failure(refusal))])
        }
    }

    @Test func `what a link has left waiting does not reach the next one with its handle`() {
        var queue = ControllerCommandQueue()
        _ = queue.submit(Self.rssi, from: Self.first, now: .zero)
        let other = HCIDisconnect(0x0041).packet
        _ = queue.submit(HCIDisconnect(0x0040).packet, from: .disconnect(0x0040), now: .zero)
        _ = queue.submit(LEEnableEncryption(0x0040, key: .zero).packet, from: .security(0x0040), now: .zero)
        _ = queue.submit(other, from: .disconnect(0x0041), now: .zero)
        queue.ended(ConnectionHandle(rawValue: 0x0040))
        let next = queue.received(answer(Self.rssi.opcode), now: .at(1))
        #expect(next.last == .send(other, .disconnect(0x0041)))
        #expect(queue.received(status(other.opcode), now: .at(2)) == [.ended(.disconnect(0x0041), .success([]))])
    }

    @Test func `the commands of channels that wait are bounded`() {
        var queue = ControllerCommandQueue()
        var count = 0
        while !queue.isFull, count < 10_000 {
            _ = queue.submit(Self.rssi, from: Self.first, now: .zero)
            count += 1
        }
        #expect(count == 257)
        queue.reset()
        #expect(!queue.isFull && queue.nextDeadline == nil)
    }
}
