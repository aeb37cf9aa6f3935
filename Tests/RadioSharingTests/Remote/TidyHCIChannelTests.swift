// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import RadioSharing

@Suite("A lent channel to a controller")
struct TidyHCIChannelTests {
    private static func packet(_ command: HCICommandPacket) -> [UInt8] { HCIPacket.command(command).encoded() }

    @Test func `switches off at its end what its user has left on, once`() throws {
        let base = KeptChannel()
        let channel = TidyHCIChannel(base)
        let on = Self.packet(LESetScanEnable(isEnabled: true).packet)
        try channel.send(on)
        channel.close()
        channel.close()
        #expect(base.sent == [on, Self.packet(LESetScanEnable(isEnabled: false).packet)])
    }

    @Test func `leaves on what another one has switched on`() async throws {
        let base = KeptChannel()
        let channel = TidyHCIChannel(base)
        let on = Self.packet(LESetScanEnable(isEnabled: true).packet)
        try channel.send(on)
        let refusal: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x0C, 0x20, HCIStatus.commandDisallowed.rawValue]
        base.queue.push(refusal)
        #expect(try await channel.receiveAged().map(\.bytes) == [refusal])
        channel.hangUp(RadioError(.cancelled, during: "test"))
        #expect(base.sent == [on])
    }
}
