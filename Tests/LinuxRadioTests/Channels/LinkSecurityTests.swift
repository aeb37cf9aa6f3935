// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import LinuxRadio

@Suite("What the kernel says of a link's security (l2cap(7), BT_SECURITY)")
struct LinkSecurityTests {
    /// The levels SDP, low, medium, high and FIPS are 0 to 4.
    @Test func `only a raised level and the size of a key together are encryption`() {
        for level in 0...1 as ClosedRange<Int32> {
            for size in [0, 7, 16] as [UInt8] { #expect(L2CAPSocket.security(level: level, keySize: size) == .none) }
        }
        for level in 2...4 as ClosedRange<Int32> { #expect(L2CAPSocket.security(level: level, keySize: 0) == .none) }
        #expect(L2CAPSocket.security(level: 2, keySize: 16) == LinkSecurity(isEncrypted: true, keySize: 16))
        for level in 3...4 as ClosedRange<Int32> {
            let security = L2CAPSocket.security(level: level, keySize: 7)
            #expect(security == LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 7))
        }
    }

    @Test func `a socket without a link has none, open or closed`() throws {
        let (ours, theirs) = try socketPair()
        let thread = try IOThread()
        let channel = try ATTSocketChannel(
            try ours.take(),
            peer: DeviceAddress(BluetoothAddress(rawValue: 1), .public),
            during: "test",
            on: thread
        )
        #expect(channel.security == .none)
        channel.close()
        #expect(channel.security == .none)
        theirs.close()
    }
}
