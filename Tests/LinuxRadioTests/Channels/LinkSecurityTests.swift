// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import LinuxRadio

@Suite("The kernel's report of a link's security (l2cap(7), BT_SECURITY)")
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
        let high = L2CAPSocket.security(level: 3, keySize: 16)
        #expect(high == LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16))
        #expect(!high.isSecureConnections)
        let secure = LinkSecurity(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16)
        #expect(L2CAPSocket.security(level: 4, keySize: 16) == secure)
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

@Suite("A connection that the kernel suspends to raise its security")
struct SuspensionTests {
    let ioThread: IOThread

    init() throws { ioThread = try IOThread() }

    @Test func `a socket that cannot be raised reports it, and continues`() async throws {
        let (ours, theirs) = try socketPair()
        let channel = try ATTSocketChannel(
            try ours.take(),
            peer: DeviceAddress(BluetoothAddress(rawValue: 1), .public),
            during: "test",
            on: ioThread
        )
        await #expect(throws: RadioError(.unsupported, during: "test")) {
            try await channel.raiseSecurity(to: .medium)
        }
        try channel.send([1])
        #expect(try theirs.receive() == [1])
        try theirs.send([2])
        #expect(try await channel.receive() == [2])
    }

    @Test func `drained waits for the end of the suspension, which makes room to send`() async throws {
        let (left, right) = try socketPair()
        let count = try left.fill()
        let channel = try SocketChannel(left, on: ioThread)
        #expect(try channel.suspend { _ in true })
        async let drained: Void = channel.drained()
        for _ in 0..<count { _ = try right.receive() }
        try await drained
        try channel.send(numbered(7))
        #expect(try right.receive() == numbered(7))
    }

    @Test func `the end of the channel ends the wait, with its reason`() async throws {
        let (left, right) = try socketPair()
        _ = try left.fill()
        let channel = try SocketChannel(left, on: ioThread)
        #expect(try channel.suspend { _ in true })
        async let drained = cause { try await channel.drained() }
        right.close()
        #expect(await drained == .closedByPeer(nil))
    }

    @Test func `a refusal of the kernel suspends nothing`() async throws {
        let (left, right) = try socketPair()
        defer { right.close() }
        _ = try left.fill()
        let channel = try SocketChannel(left, on: ioThread)
        #expect(try !channel.suspend { _ in false })
        try await channel.drained()
    }
}
