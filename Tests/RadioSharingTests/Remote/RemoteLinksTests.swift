// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import RadioSharing

@Suite("The links of a process that another one has lent")
struct RemoteLinksTests {
    private struct Channel: ATTChannel {
        let peer: DeviceAddress
        let connectionHandle: UInt16? = 0x0040
        let maximumMTU: UInt16 = 517
        let droppedCount = 0

        func receive() async throws(RadioError) -> [UInt8] { throw RadioError(.linkLost(nil), during: "test") }
        func send(_ packet: [UInt8]) throws(RadioError) {}
        func drained() async throws(RadioError) {}
        func close() {}
    }

    @Test func `the late end of a link does not remove the next one, which has its handle`() {
        let links = RemoteLinks()
        let (first, second) = (
            Channel(peer: .scripted), Channel(peer: DeviceAddress(BluetoothAddress(rawValue: 2), .public))
        )
        let (one, other) = (links.add(first), links.add(second))
        links.remove(one)
        #expect(links.channel(0x0040)?.peer == second.peer)
        links.remove(other)
        #expect(links.channel(0x0040) == nil)
    }
}
