// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("Management command queue")
struct ManagementCommandQueueTests {
    private let later = Instant.zero + .seconds(2)
    private let first = CommandID(rawValue: 1)
    private let second = CommandID(rawValue: 2)
    private let third = CommandID(rawValue: 3)
    private let hci0 = ManagementIndex(0)
    private let hci1 = ManagementIndex(1)

    private let powerOn = octets("0500 0000 0100 01")
    private let lowEnergyOn = octets("0d00 0000 0100 01")

    private func done(_ opcode: ManagementOpcode, _ status: ManagementStatus = .success) -> ManagementEvent {
        .known(ManagementCommandCompleteEvent(opcode, status: status, returnParameters: [1, 2]))
    }

    @Test("One command is sent at a time, and gets its own answer")
    func oneAtATime() {
        var queue = ManagementCommandQueue()
        #expect(queue.submit(SetPowered(true), to: hci0, id: first, deadline: later) == [.send(powerOn)])
        #expect(queue.submit(SetLowEnergy(true), to: hci0, id: second, deadline: later) == [])
        // Answers for another adapter and for another command, and an event that answers no command.
        #expect(queue.eventReceived(done(SetPowered.opcode), about: hci1) == [])
        #expect(queue.eventReceived(done(SetLowEnergy.opcode), about: hci0) == [])
        #expect(queue.eventReceived(.known(NewSettingsEvent(.powered)), about: hci0) == [])
        #expect(
            queue.eventReceived(.known(ManagementCommandStatusEvent(SetPowered.opcode, status: .success)), about: hci0)
                == []
        )
        #expect(
            queue.eventReceived(done(SetPowered.opcode), about: hci0)
                == [.completed(first, .success([1, 2])), .send(lowEnergyOn)]
        )
        #expect(
            queue.eventReceived(
                .known(ManagementCommandStatusEvent(SetLowEnergy.opcode, status: .permissionDenied)),
                about: hci0
            )
                == [.completed(second, .failure(.rejected(.permissionDenied)))]
        )
        #expect(queue.nextDeadline == nil)
    }

    @Test("A refusal in Command Complete is a refusal")
    func refusal() {
        var queue = ManagementCommandQueue()
        _ = queue.submit(SetPowered(true), to: hci0, id: first, deadline: later)
        #expect(
            queue.eventReceived(done(SetPowered.opcode, .busy), about: hci0)
                == [.completed(first, .failure(.rejected(.busy)))]
        )
    }

    @Test("An answer after the deadline does not go to the next command of its kind")
    func late() {
        var queue = ManagementCommandQueue()
        _ = queue.submit(SetPowered(true), to: hci0, id: first, deadline: later)
        _ = queue.submit(SetPowered(true), to: hci0, id: second, deadline: later + .seconds(1))
        #expect(queue.nextDeadline == later)
        #expect(queue.timerFired(now: later) == [.completed(first, .failure(.timedOut)), .send(powerOn)])
        #expect(queue.eventReceived(done(SetPowered.opcode), about: hci0) == [])
        #expect(
            queue.eventReceived(done(SetPowered.opcode), about: hci0) == [.completed(second, .success([1, 2]))]
        )
    }

    @Test("A lost answer fails one further command of its kind, and no more")
    func lost() {
        var queue = ManagementCommandQueue()
        _ = queue.submit(SetPowered(true), to: hci0, id: first, deadline: later)
        #expect(queue.timerFired(now: later) == [.completed(first, .failure(.timedOut))])
        _ = queue.submit(SetPowered(true), to: hci0, id: second, deadline: later + .seconds(1))
        // It is the second one's own answer, but it looks like the late one of the first.
        #expect(queue.eventReceived(done(SetPowered.opcode), about: hci0) == [])
        #expect(queue.timerFired(now: later + .seconds(1)) == [.completed(second, .failure(.timedOut))])
        _ = queue.submit(SetPowered(true), to: hci0, id: third, deadline: later + .seconds(2))
        #expect(queue.eventReceived(done(SetPowered.opcode), about: hci0) == [.completed(third, .success([1, 2]))])
    }

    @Test("A waiting command fails at its own deadline")
    func waiting() {
        var queue = ManagementCommandQueue()
        _ = queue.submit(SetPowered(true), to: hci0, id: first, deadline: later + .seconds(5))
        _ = queue.submit(SetLowEnergy(true), to: hci0, id: second, deadline: later)
        #expect(queue.nextDeadline == later)
        #expect(queue.timerFired(now: later) == [.completed(second, .failure(.timedOut))])
        #expect(
            queue.eventReceived(done(SetPowered.opcode), about: hci0) == [.completed(first, .success([1, 2]))]
        )
    }

    @Test("The number of waiting commands is limited; when the channel closes, each fails once")
    func ends() {
        var queue = ManagementCommandQueue(limit: 1)
        _ = queue.submit(SetPowered(true), to: hci0, id: first, deadline: later)
        _ = queue.submit(SetPowered(true), to: hci0, id: second, deadline: later)
        #expect(
            queue.submit(SetPowered(true), to: hci0, id: third, deadline: later)
                == [.completed(third, .failure(.queueFull))]
        )
        #expect(
            queue.channelClosed()
                == [.completed(first, .failure(.closed)), .completed(second, .failure(.closed))]
        )
        #expect(queue.channelClosed() == [])
        #expect(
            queue.submit(SetPowered(true), to: hci0, id: third, deadline: later)
                == [.completed(third, .failure(.closed))]
        )
    }

    @Test("A command alongside lets others pass, and both get their own answers")
    func alongside() {
        var queue = ManagementCommandQueue()
        let device = ManagementAddress(BluetoothAddress(rawValue: 1), .lePublic)
        let pair = PairDevice(device, capability: .displayYesNo)
        let packet = pair.packet(to: hci0).encoded()
        #expect(queue.submitAlongside(pair, to: hci0, id: first) == [.send(packet)])
        #expect(queue.submitAlongside(pair, to: hci0, id: second) == [.completed(second, .failure(.queueFull))])
        #expect(queue.nextDeadline == nil)
        #expect(queue.submit(SetPowered(true), to: hci0, id: third, deadline: later) == [.send(powerOn)])
        #expect(
            queue.eventReceived(.known(ManagementCommandStatusEvent(PairDevice.opcode, status: .success)), about: hci0)
                == []
        )
        #expect(
            queue.eventReceived(done(PairDevice.opcode, .cancelled), about: hci0)
                == [.completed(first, .failure(.rejected(.cancelled)))]
        )
        #expect(queue.eventReceived(done(SetPowered.opcode), about: hci0) == [.completed(third, .success([1, 2]))])
    }

    @Test("The end of the channel fails a command alongside, too")
    func alongsideOfAnEnd() {
        var queue = ManagementCommandQueue()
        let device = ManagementAddress(BluetoothAddress(rawValue: 1), .lePublic)
        _ = queue.submitAlongside(PairDevice(device, capability: .displayYesNo), to: hci0, id: first)
        #expect(queue.channelClosed() == [.completed(first, .failure(.closed))])
        let late = queue.submitAlongside(PairDevice(device, capability: .displayYesNo), to: hci0, id: second)
        #expect(late == [.completed(second, .failure(.closed))])
    }
}
