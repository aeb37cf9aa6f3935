// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Sleepers")
struct SleeperQueueTests {
    @Test func `timeouts that are always cancelled cost no memory and no time`() throws {
        let time = VirtualTime()
        try time.run {
            for _ in 0..<10_000 {
                try await withDeadline(time.now + .seconds(30), time, operation: "nothing") {}
            }
        }
        #expect(time.now == .zero)
        #expect(time.sleeperEntryCount < 200)
    }
}
