// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("HCI command queue")
struct HCICommandQueueTests {
    private let start = Instant.zero
    private let later = Instant.zero + .seconds(2)
    private let scanOn = octets("01 0c20 02 01 00")
    private let scanOff = octets("01 0c20 02 00 00")
    private let extendedOff = octets("01 4220 06 00 00 0000 0000")

    private let first = CommandID(rawValue: 1)
    private let second = CommandID(rawValue: 2)
    private let third = CommandID(rawValue: 3)

    private func complete(_ opcode: HCIOpcode, _ returned: [UInt8]) -> HCIEvent {
        .known(CommandCompleteEvent(opcode: opcode, returnParameters: returned))
    }

    @Test("a command is sent at once, the next one after its answer")
    func oneAtATime() {
        var queue = HCICommandQueue()
        #expect(queue.nextDeadline == nil)
        #expect(queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later) == [.send(scanOn)])
        #expect(queue.nextDeadline != nil)
        #expect(queue.submit(LESetExtendedScanEnable(isEnabled: false), id: second, deadline: later) == [])
        #expect(
            queue.eventReceived(complete(LESetScanEnable.opcode, [0x00]), now: .zero)
                == [.completed(first, .success([])), .send(extendedOff)]
        )
        #expect(
            queue.eventReceived(complete(LESetExtendedScanEnable.opcode, [0x00, 0xAB, 0xCD]), now: .zero)
                == [.completed(second, .success([0xAB, 0xCD]))]
        )
        #expect(queue.nextDeadline == nil)
        #expect(queue.nextDeadline == nil)
    }

    @Test("answers to foreign commands and other events change nothing")
    func foreign() {
        var queue = HCICommandQueue()
        let report = HCIEvent.known(LEAdvertisingReportEvent([]))
        #expect(queue.eventReceived(complete(LESetScanEnable.opcode, [0]), now: .zero) == [])
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        #expect(queue.eventReceived(complete(LESetScanParameters.opcode, [0x0C]), now: .zero) == [])
        let foreign = CommandStatusEvent(HCIOpcode(rawValue: 0x200D), status: .success)
        #expect(queue.eventReceived(.known(foreign), now: .zero) == [])
        #expect(queue.eventReceived(complete(.none, []), now: .zero) == [])
        #expect(queue.eventReceived(report, now: .zero) == [])
        #expect(
            queue.eventReceived(complete(LESetScanEnable.opcode, [0x0C]), now: .zero)
                == [.completed(first, .failure(.rejected(.commandDisallowed)))]
        )
    }

    @Test("the answer to another program's command of the same kind is not taken for ours")
    func sameOpcode() {
        var queue = HCICommandQueue()
        queue.othersSent(LESetScanEnable.opcode, deadline: .zero + .seconds(2))
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        #expect(queue.eventReceived(complete(LESetScanParameters.opcode, [0x00]), now: .zero) == [])
        #expect(queue.eventReceived(complete(LESetScanEnable.opcode, [0x0C]), now: .zero) == [])
        #expect(
            queue.eventReceived(complete(LESetScanEnable.opcode, [0x00]), now: .zero) == [
                .completed(first, .success([]))
            ]
        )
    }

    @Test("a foreign command without an answer does not lose the answer to ours")
    func foreignExpires() {
        var queue = HCICommandQueue()
        queue.othersSent(LESetScanEnable.opcode, deadline: later)
        let muchLater = later + .seconds(60)
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: muchLater)
        #expect(
            queue.eventReceived(complete(LESetScanEnable.opcode, [0x00]), now: later) == [
                .completed(first, .success([]))
            ]
        )
        // Until its deadline, an answer belongs to the other program.
        queue.othersSent(LESetScanEnable.opcode, deadline: muchLater)
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: second, deadline: muchLater)
        let moment = Instant(nanoseconds: muchLater.nanoseconds - 1)
        #expect(queue.eventReceived(complete(LESetScanEnable.opcode, [0x00]), now: moment) == [])
        #expect(
            queue.eventReceived(complete(LESetScanEnable.opcode, [0x00]), now: moment) == [
                .completed(second, .success([]))
            ]
        )
    }

    @Test("an answer without a status is malformed")
    func withoutStatus() {
        var queue = HCICommandQueue()
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        #expect(
            queue.eventReceived(complete(LESetScanEnable.opcode, []), now: .zero)
                == [.completed(first, .failure(.invalidAnswer))]
        )
    }

    @Test("Command Status with an error ends a command that Command Complete answers; a success does not")
    func statusForCompleteCommand() {
        var queue = HCICommandQueue()
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        let accepted = CommandStatusEvent(LESetScanEnable.opcode, status: .success)
        #expect(queue.eventReceived(.known(accepted), now: .zero) == [])
        let refused = CommandStatusEvent(LESetScanEnable.opcode, status: .unknownHCICommand)
        #expect(
            queue.eventReceived(.known(refused), now: .zero)
                == [.completed(first, .failure(.rejected(.unknownHCICommand)))]
        )
    }

    @Test("a command that Command Status answers is done when it is accepted")
    func statusCommand() {
        var queue = HCICommandQueue()
        _ = queue.submit(LEReadRemoteFeatures(0x0040), id: first, deadline: later)
        let accepted = CommandStatusEvent(LEReadRemoteFeatures.opcode, status: .success)
        #expect(queue.eventReceived(.known(accepted), now: .zero) == [.completed(first, .success([]))])
        _ = queue.submit(LEReadRemoteFeatures(0x0040), id: second, deadline: later)
        let refused = CommandStatusEvent(LEReadRemoteFeatures.opcode, status: .unknownConnectionIdentifier)
        #expect(
            queue.eventReceived(.known(refused), now: .zero)
                == [.completed(second, .failure(.rejected(.unknownConnectionIdentifier)))]
        )
    }

    @Test("a second answer to the same command is ignored")
    func duplicateAnswer() {
        var queue = HCICommandQueue()
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        #expect(queue.eventReceived(complete(LESetScanEnable.opcode, [0]), now: .zero).count == 1)
        #expect(queue.eventReceived(complete(LESetScanEnable.opcode, [0]), now: .zero) == [])
    }

    @Test("if the controller is silent, the deadline ends the command, and the next one is sent")
    func timeout() {
        var queue = HCICommandQueue()
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        _ = queue.submit(LESetScanEnable(isEnabled: false), id: second, deadline: later + .seconds(1))
        #expect(queue.nextDeadline == later)
        #expect(queue.timerFired(now: start) == [])
        #expect(queue.timerFired(now: later) == [.completed(first, .failure(.timedOut)), .send(scanOff)])
        #expect(queue.nextDeadline == later + .seconds(1))
        #expect(queue.timerFired(now: later) == [])
    }

    @Test("a waiting command has a deadline, too")
    func timeoutWhileWaiting() {
        var queue = HCICommandQueue()
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later + .seconds(9))
        _ = queue.submit(LESetScanEnable(isEnabled: false), id: second, deadline: later)
        #expect(queue.nextDeadline == later)
        #expect(queue.timerFired(now: later) == [.completed(second, .failure(.timedOut))])
        #expect(
            queue.eventReceived(complete(LESetScanEnable.opcode, [0]), now: .zero) == [.completed(first, .success([]))]
        )
    }

    @Test("the queue is bounded")
    func bounded() {
        var queue = HCICommandQueue(limit: 1)
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        #expect(queue.submit(LESetScanEnable(isEnabled: true), id: second, deadline: later) == [])
        #expect(
            queue.submit(LESetScanEnable(isEnabled: true), id: third, deadline: later)
                == [.completed(third, .failure(.queueFull))]
        )
    }

    @Test("when the channel closes, each command fails once, and later ones fail at once")
    func closed() {
        var queue = HCICommandQueue()
        _ = queue.submit(LESetScanEnable(isEnabled: true), id: first, deadline: later)
        _ = queue.submit(LESetScanEnable(isEnabled: false), id: second, deadline: later)
        #expect(
            queue.channelClosed()
                == [.completed(first, .failure(.closed)), .completed(second, .failure(.closed))]
        )
        #expect(queue.channelClosed() == [])
        #expect(queue.timerFired(now: later) == [])
        #expect(queue.eventReceived(complete(LESetScanEnable.opcode, [0]), now: .zero) == [])
        #expect(
            queue.submit(LESetScanEnable(isEnabled: false), id: third, deadline: later)
                == [.completed(third, .failure(.closed))]
        )
        #expect(queue.nextDeadline == nil)
    }
}
