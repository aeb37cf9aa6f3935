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
        #expect(queue.nextDeadline == nil)
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
