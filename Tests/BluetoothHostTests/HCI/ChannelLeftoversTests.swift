// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("What the user of a channel has left switched on")
struct ChannelLeftoversTests {
    private static func answer(_ opcode: HCIOpcode, _ status: HCIStatus) -> CommandCompleteEvent {
        CommandCompleteEvent(opcode: opcode, returnParameters: [status.rawValue])
    }

    @Test func `is what was switched on and not off again`() {
        var leftovers = ChannelLeftovers()
        #expect(leftovers.commands.isEmpty)
        leftovers.sent(LESetScanEnable(isEnabled: true).packet)
        leftovers.sent(LESetAdvertisingEnable(isEnabled: true).packet)
        leftovers.answered(Self.answer(LESetScanEnable.opcode, .success))
        #expect(leftovers.isScanning)
        #expect(leftovers.commands.map(\.opcode) == [LESetScanEnable.opcode, LESetAdvertisingEnable.opcode])
        leftovers.sent(LESetScanEnable(isEnabled: false).packet)
        #expect(leftovers.commands == [LESetAdvertisingEnable(isEnabled: false).packet])
    }

    @Test func `is not what the controller has refused, because another channel has switched it on`() {
        var leftovers = ChannelLeftovers()
        leftovers.sent(LESetExtendedScanEnable(isEnabled: true).packet)
        leftovers.answered(Self.answer(LESetScanEnable.opcode, .commandDisallowed))
        #expect(leftovers.isScanning)
        leftovers.answered(Self.answer(LESetExtendedScanEnable.opcode, .commandDisallowed))
        #expect(!leftovers.isScanning && leftovers.commands.isEmpty)
        // A second refusal is of something that is on.
        leftovers.sent(LESetExtendedScanEnable(isEnabled: true).packet)
        leftovers.answered(Self.answer(LESetExtendedScanEnable.opcode, .success))
        leftovers.sent(LESetExtendedScanEnable(isEnabled: true).packet)
        leftovers.answered(Self.answer(LESetExtendedScanEnable.opcode, .commandDisallowed))
        #expect(leftovers.isScanning)
    }

    @Test func `is an advertising set until it is removed, and an address`() throws {
        var leftovers = ChannelLeftovers()
        let handles = [LEAdvertisingHandle(rawValue: 2), LEAdvertisingHandle(rawValue: 1)]
        for handle in handles {
            leftovers.sent(
                LESetExtendedAdvertisingParameters(
                    set: handle,
                    properties: [],
                    minimumInterval: .init(.milliseconds(100)),
                    maximumInterval: .init(.milliseconds(100)),
                    ownAddressType: .public
                ).packet
            )
            leftovers.answered(Self.answer(LESetExtendedAdvertisingParameters.opcode, .success))
        }
        #expect(leftovers.commands == handles.reversed().map { LERemoveAdvertisingSet($0).packet })
        leftovers.sent(LERemoveAdvertisingSet(handles[0]).packet)
        #expect(leftovers.commands == [LERemoveAdvertisingSet(handles[1]).packet])
        #expect(!leftovers.hasSetAddress)
        leftovers.sent(LESetRandomAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01)).packet)
        #expect(leftovers.hasSetAddress)
    }

    @Test func `all advertising sets are switched off by one command without any`() throws {
        var leftovers = ChannelLeftovers()
        for number: UInt8 in [2, 1] {
            let handle = LEAdvertisingHandle(rawValue: number)
            let command = LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle)])
            leftovers.sent(try #require(command).packet)
        }
        leftovers.sent(LESetScanEnable(isEnabled: true).packet)
        #expect(leftovers.commands.count == 3)
        leftovers.sent(try #require(LESetExtendedAdvertisingEnable(isEnabled: false, sets: [])).packet)
        #expect(leftovers.commands.map(\.opcode) == [LESetScanEnable.opcode])
    }
}
