// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("The end of links")
struct EndOfLinksTests {
    /// What a wait for the end of the links says, and when: the link is closed at once, and lingers.
    private func wait(
        linger: Duration,
        to isMeant: @escaping @Sendable (BluetoothAddress) -> Bool
    ) throws -> (hasEnded: Bool, at: Int64) {
        try inVirtualTime { time, scope in
            let radio = ScriptedRadio([.connects([])], linger: linger, time, scope)
            try await radio.connectATT(to: .scripted, deadline: .zero + .seconds(1)).close()
            let hasEnded = try await radio.awaitEndOfLinks(time, to: isMeant)
            return (hasEnded, Int64(time.now.milliseconds))
        }
    }

    @Test("the kernel is asked again after pauses until no link is left")
    func ends() throws {
        let ended = try wait(linger: .seconds(2)) { _ in true }
        #expect(ended.hasEnded)
        #expect(ended.at == 2_250)
    }

    @Test("the wait for a link that another program holds lasts three seconds")
    func held() throws {
        let held = try wait(linger: .seconds(60)) { _ in true }
        #expect(!held.hasEnded)
        #expect(held.at == 3_000)
    }

    @Test("there is no wait for links to other devices")
    func others() throws {
        let others = try wait(linger: .seconds(60)) { $0 != DeviceAddress.scripted.address }
        #expect(others.hasEnded)
        #expect(others.at == 0)
    }
}
