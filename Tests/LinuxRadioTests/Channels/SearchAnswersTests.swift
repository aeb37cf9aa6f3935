// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import LinuxRadio

@Suite("Why the kernel does not find a device, in the answers of the controller")
struct SearchAnswersTests {
    private func complete(_ opcode: HCIOpcode, _ status: HCIStatus) -> [UInt8] {
        HCIPacket.event(CommandCompleteEvent(opcode, failed: status).packet).encoded()
    }

    private func refusal(_ packets: [[UInt8]]) -> HCIStatus? {
        var answers = SearchAnswers()
        for packet in packets { answers.take(packet) }
        return answers.refusal
    }

    @Test func `a refused scan is the reason, by whichever command and event`() {
        for opcode in [
            LESetScanParameters.opcode, LESetScanEnable.opcode, LESetExtendedScanParameters.opcode,
            LESetExtendedScanEnable.opcode,
        ] {
            #expect(refusal([complete(opcode, .commandDisallowed)]) == .commandDisallowed)
            let status = HCIPacket.event(CommandStatusEvent(opcode, status: .unknownHCICommand).packet).encoded()
            #expect(refusal([status]) == .unknownHCICommand)
        }
    }

    @Test func `a scan that has begun, and other commands, are no reason`() {
        let refused = complete(LESetExtendedScanParameters.opcode, .commandDisallowed)
        #expect(refusal([refused, complete(LESetExtendedScanEnable.opcode, .success)]) == nil)
        #expect(refusal([complete(LESetExtendedScanEnable.opcode, .success), refused]) == nil)
        #expect(refusal([complete(LESetExtendedScanParameters.opcode, .success), refused]) == .commandDisallowed)
        #expect(refusal([complete(HCIReadRSSI.opcode, .commandDisallowed)]) == nil)
        #expect(
            refusal([[], [0x04], [0x04, 0x0E], [0x04, 0x0E, 0x03, 0x01, 0x41, 0x20], [0x02, 0x40, 0x00]]) == nil
        )
    }
}
