// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Glibc
import Testing

@testable import LinuxRadio

@Suite("Back-pressure of a channel, both ways")
struct BackPressureTests {
    let ioThread: IOThread

    init() throws { ioThread = try IOThread() }

    @Test("A slow reader's packets wait in order, and drained() waits for them")
    func slowReader() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        let count = 5_000
        for number in 0..<count { try channel.send(numbered(number, count: 500)) }
        // The kernel's buffer is far smaller than 2.5 MB.
        #expect(channel.queuedCount > count / 2)
        let reader = try SocketChannel(right, on: ioThread)
        async let received = reader.receive(count)
        try await channel.drained()
        #expect(channel.queuedCount == 0)
        #expect(try await received == (0..<count).map { numbered($0, count: 500) })
    }

    @Test("With nothing queued, drained() returns at once")
    func drainedAtOnce() async throws {
        let (left, right) = try socketPair()
        defer { right.close() }
        try await SocketChannel(left, on: ioThread).drained()
    }

    @Test("A sender that does not wait reaches a limit, and accepted packets are still sent")
    func sendLimit() async throws {
        let (left, right) = try socketPair()
        let room = try left.fill()
        let channel = try SocketChannel(left, on: ioThread, sendQueueLimit: 3)
        for number in 0..<3 { try channel.send(numbered(number)) }
        #expect(await cause { try channel.send(numbered(3)) } == .system(call: "send", errno: "ENOBUFS"))
        for _ in 0..<room { _ = try right.receive() }
        try await channel.drained()
        for number in 0..<3 { #expect(try right.receive() == numbered(number)) }
        #expect(throws: Errno.wouldBlock) { try right.receive() }
    }

    @Test("If the peer goes while accepted packets wait, drained() throws")
    func lostInQueue() async throws {
        let (left, right) = try socketPair()
        _ = try left.fill()
        let channel = try SocketChannel(left, on: ioThread)
        try channel.send(numbered(0))
        async let drained = cause { try await channel.drained() }
        right.close()
        #expect(await drained == .closedByPeer(nil))
        #expect(await channel.receiveAll().end == .closedByPeer(nil))
    }

    @Test("A flood is held back at the peer, and loses nothing")
    func flood() async throws {
        let (left, right) = try socketPair()
        let flooded = try SocketChannel(left, on: ioThread, queueLimit: 16)
        let peer = try SocketChannel(right, on: ioThread)
        let count = 60_000
        for number in 0..<count { try peer.send(numbered(number, count: 200)) }
        // Without a receiver the peer's packets must stay in the kernel and in the queue. Without back-pressure two
        // channels on one thread would move 20,000 packets in a fraction of this time.
        try await Task.sleep(for: .milliseconds(300))
        #expect(peer.queuedCount > count / 2)
        for number in 0..<count {
            let packet = try await flooded.receive()
            guard packet == numbered(number, count: 200) else {
                Issue.record("packet \(number) is \(packet)")
                return
            }
        }
        #expect(flooded.droppedCount == 0)
        try await peer.drained()
    }

    @Test(
        "Nothing stays behind when the kernel has given all, however many packets a call receives",
        .timeLimit(.minutes(1)),
        arguments: [1, 7, 25, 52, 63, 64],
        [16, 256]
    )
    func restOfCall(packetsPerCall: Int, queueLimit: Int) async throws {
        let (left, right) = try socketPair()
        defer { right.close() }
        for number in 0..<130 { try right.send(numbered(number)) }
        let channel = try SocketChannel(left, on: ioThread, queueLimit: queueLimit, packetsPerCall: packetsPerCall)
        // The peer is silent from now on, as one that waits for an answer.
        #expect(try await channel.receive(130) == (0..<130).map { numbered($0) })
    }

    @Test("Everything from a peer that hangs up during a pause is received", arguments: [1, 2, 3, 64, 65, 100])
    func hangUpWhilePaused(limit: Int) async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread, queueLimit: limit)
        for number in 0..<100 { try right.send(numbered(number)) }
        right.close()
        let (packets, end) = await channel.receiveAll()
        #expect(packets == (0..<100).map { numbered($0) })
        #expect(end == .closedByPeer(nil))
    }

    @Test("A pause costs no processor time, even if epoll keeps reporting a hang-up")
    func pauseIsIdle() async {
        // In a process of its own, so that its processor time belongs to this test only.
        await #expect(processExitsWith: .success) {
            let ioThread = try IOThread()
            let (left, right) = try socketPair()
            let channel = try SocketChannel(left, on: ioThread, queueLimit: 4)
            for number in 0..<10 { try right.send(numbered(number)) }
            right.close()
            let before = clock()
            try await Task.sleep(for: .seconds(1))
            // In microseconds. A spinning thread would use a million; the rest of the process uses a tenth of that.
            guard clock() - before < 400_000 else { exit(1) }
            #expect(await channel.receiveAll().packets.count == 10)
        }
    }

    @Test("Events without a consumer are dropped, the oldest first, and counted")
    func dropOldest() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread, phase: .hci, queueLimit: 100, overflow: .dropOldest)
        let peer = try SocketChannel(right, on: ioThread)
        for number in 0..<5_000 { try peer.send(numbered(number)) }
        try await peer.drained()
        peer.close()
        // All packets are on this side: in the full queue, or in the kernel.
        let (packets, end) = await channel.receiveAll()
        #expect(packets.count + channel.droppedCount == 5_000)
        #expect(channel.droppedCount > 0)
        #expect(packets.last == numbered(4_999))
        #expect(packets.elementsEqual(packets.sorted { number(of: $0) < number(of: $1) }))
        #expect(end == .adapterRemoved)
    }

    private func number(of packet: [UInt8]) -> Int {
        packet.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
