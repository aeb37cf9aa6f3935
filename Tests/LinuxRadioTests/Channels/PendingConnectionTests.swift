// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import LinuxRadio

/// Uses a full socket in the place of a connecting one, because both are not writable for epoll.
@Suite("A connection under way")
struct PendingConnectionTests {
    let ioThread: IOThread
    let time = SystemTimeSource(wallTime: LinuxWallClock.now)

    init() throws { ioThread = try IOThread() }

    private var distantFuture: Instant { time.now + .seconds(3_600) }

    @Test("Room to send without an error means connected")
    func connects() async throws {
        let (left, right) = try socketPair()
        let pending = try PendingConnection(try left.take(), "test", on: ioThread)
        let socket = try await pending.socket(by: distantFuture, time)
        try socket.send([0x01])
        #expect(try right.receive() == [0x01])
    }

    @Test("It waits for room to send")
    func waits() async throws {
        let (left, right) = try socketPair()
        let room = try left.fill()
        let pending = try PendingConnection(try left.take(), "test", on: ioThread)
        async let outcome = cause { _ = try await pending.socket(by: distantFuture, time) }
        for _ in 0..<room { _ = try right.receive() }
        #expect(await outcome == nil)
    }

    @Test("A peer that hangs up makes the connection fail")
    func fails() async throws {
        let (left, right) = try socketPair()
        _ = try left.fill()
        let pending = try PendingConnection(try left.take(), "test", on: ioThread)
        async let outcome = cause { _ = try await pending.socket(by: distantFuture, time) }
        right.close()
        #expect(await outcome == .connectFailed(nil))
    }

    @Test("At the deadline the connection is abandoned, and the socket closed")
    func deadline() async throws {
        let (left, right) = try socketPair()
        _ = try left.fill()
        let pending = try PendingConnection(try left.take(), "test", on: ioThread)
        let outcome = await cause { _ = try await pending.socket(by: time.now + .milliseconds(10), time) }
        #expect(outcome == .connectTimedOut)
        #expect(right.isHungUp)
    }

    @Test("Cancelling abandons the connection, and closes the socket")
    func cancelled() async throws {
        let (left, right) = try socketPair()
        _ = try left.fill()
        let pending = try PendingConnection(try left.take(), "test", on: ioThread)
        let (deadline, time) = (distantFuture, time)
        let outcome = await withTaskGroup(of: RadioError.Cause?.self) { group in
            group.addTask { await cause { _ = try await pending.socket(by: deadline, time) } }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(outcome == .cancelled)
        #expect(right.isHungUp)
    }

    @Test("The end of the I/O thread ends it")
    func ioThreadStops() async throws {
        let (left, right) = try socketPair()
        _ = try left.fill()
        let pending = try PendingConnection(try left.take(), "test", on: ioThread)
        async let outcome = cause { _ = try await pending.socket(by: distantFuture, time) }
        ioThread.stop()
        #expect(await outcome == .closedLocally)
        #expect(right.isHungUp)
    }
}
