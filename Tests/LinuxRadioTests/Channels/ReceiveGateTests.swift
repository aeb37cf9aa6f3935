// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import LinuxRadio

@Suite("Pausing a channel whose consumer is slow")
struct ReceiveGateTests {
    @Test("A full queue pauses, room ends the pause, once")
    func pausesAndResumes() {
        var gate = ReceiveGate()
        gate.receiving()
        let pauses = gate.queueFilled()
        #expect(pauses)
        #expect(gate.isPaused)
        let (first, second) = (gate.roomMade(), gate.roomMade())
        #expect(first)
        #expect(!second)
        #expect(!gate.isPaused)
    }

    @Test("Room that is made just before the pause is not missed")
    func roomBeforePause() {
        var gate = ReceiveGate()
        gate.receiving()
        let (resumes, pauses) = (gate.roomMade(), gate.queueFilled())
        #expect(!resumes)
        #expect(!pauses)
        #expect(!gate.isPaused)
    }

    @Test("Room that was made before an earlier packet does not prevent the pause")
    func oldSignal() {
        var gate = ReceiveGate()
        gate.receiving()
        _ = gate.roomMade()
        gate.receiving()
        let pauses = gate.queueFilled()
        #expect(pauses)
    }
}
