// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Testing

@testable import LinuxRadio

@Suite("A channel over a packet socket")
struct SocketChannelTests {
    let ioThread: IOThread

    init() throws { ioThread = try IOThread() }

    @Test("A packet in is a packet out, both ways, of every size")
    func boundaries() async throws {
        let (left, right) = try socketPair()
        let a = try SocketChannel(left, on: ioThread)
        let b = try SocketChannel(right, on: ioThread)
        let packets = [1, 2, 3, 22, 23, 247, 517, 671, 672].map { [UInt8](repeating: UInt8($0 & 0xFF), count: $0) }
        for packet in packets {
            try a.send(packet)
            try b.send(packet.reversed())
        }
        #expect(try await b.receive(packets.count) == packets)
        #expect(try await a.receive(packets.count) == packets.map { $0.reversed() })
    }

    @Test("An empty packet is not taken for the end")
    func emptyPacket() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        try right.send([])
        try right.send([0x01])
        #expect(try await channel.receive(2) == [[], [0x01]])
    }

    @Test("A packet longer than the channel carries is refused, and no part of it is sent")
    func tooLongToSend() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread, packetLimit: 23)
        #expect(await cause { try channel.send([UInt8](repeating: 0, count: 24)) } == .packetTooLong(24, limit: 23))
        try channel.send([UInt8](repeating: 1, count: 23))
        #expect(try right.receive() == [UInt8](repeating: 1, count: 23))
        #expect(throws: Errno.wouldBlock) { try right.receive() }
    }

    @Test("A packet that is too long is received with one octet too many, and the next one is whole")
    func tooLongToReceive() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread, packetLimit: 23)
        try right.send([UInt8](repeating: 1, count: 23))
        try right.send([UInt8](repeating: 2, count: 9_000))
        try right.send([3])
        #expect(try await channel.receive(3).map(\.count) == [23, 24, 1])
    }

    @Test("A packet of the controller that is too long ends the channel instead of being cut")
    func tooLongToReceiveFromController() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread, phase: .hci, packetLimit: 23)
        try right.send([UInt8](repeating: 1, count: 23))
        try right.send([UInt8](repeating: 2, count: 24))
        let (packets, end) = await channel.receiveAll()
        #expect(packets == [[UInt8](repeating: 1, count: 23)])
        #expect(end == .system(call: "recv", errno: "EMSGSIZE"))
        #expect(right.isHungUp)
    }

    // MARK: - The end

    @Test("Packets that the peer sent before it hung up are received before the end")
    func peerCloses() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        for number in 0..<10 { try right.send(numbered(number)) }
        right.close()
        let (packets, end) = await channel.receiveAll()
        #expect(packets == (0..<10).map { numbered($0) })
        #expect(end == .closedByPeer(nil))
        #expect(await cause { try channel.send([0x01]) } == .closedByPeer(nil))
        #expect(await cause { try await channel.drained() } == .closedByPeer(nil))
    }

    @Test("Packets before a hang-up are received even if sending fails", arguments: [1, 4, 65])
    func unsendable(count: Int) async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread, queueLimit: 4)
        for number in 0..<count { try right.send(numbered(number)) }
        right.close()
        var packets = [try await channel.receive()]
        let failure = await cause { try channel.send([0x1E]) }
        channel.hangUp(RadioError(.linkLost(nil), during: "test"))
        let rest = await channel.receiveAll()
        packets += rest.packets
        #expect(packets == (0..<count).map { numbered($0) })
        #expect(failure == .closedByPeer(nil))
        #expect(rest.end == .closedByPeer(nil))
        #expect(await cause { try await channel.drained() } == .closedByPeer(nil))
    }

    @Test("Hanging up ends the channel after the received packets, with its reason")
    func hangsUp() async throws {
        let (left, right) = try socketPair()
        _ = try left.fill()
        let channel = try SocketChannel(left, on: ioThread, queueLimit: 4)
        try channel.send([0x01])
        async let drained = cause { try await channel.drained() }
        for number in 0..<20 { try right.send(numbered(number)) }
        let reason = RadioError(.system(call: "send", errno: "ENOBUFS"), during: "test")
        channel.hangUp(reason)
        let (packets, end) = await channel.receiveAll()
        #expect(packets == (0..<20).map { numbered($0) })
        #expect(end == reason.cause)
        #expect(await drained == reason.cause)
        #expect(right.isHungUp)
    }

    @Test("Empty packets before a hang-up are not taken for it")
    func emptyBeforeHangUp() async throws {
        let (left, right) = try socketPair()
        for packet in [[0x01], [], [], [0x02], [], [0x03]] as [[UInt8]] { try right.send(packet) }
        right.close()
        let (packets, end) = try await SocketChannel(left, on: ioThread).receiveAll()
        #expect(packets == [[0x01], [], [], [0x02], [], [0x03]])
        #expect(end == .closedByPeer(nil))
    }

    @Test("A peer that closes with unread packets has hung up")
    func peerResets() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        try channel.send([0x01])
        try right.send([0x02])
        right.close()
        let (packets, end) = await channel.receiveAll()
        #expect(packets == [[0x02]])
        #expect(end == .closedByPeer(nil))
    }

    @Test("Closing ends all waits, the peer sees it, and closing again is no error")
    func closes() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        async let end = cause { _ = try await channel.receive() }
        channel.close()
        #expect(await end == .closedLocally)
        #expect(right.isHungUp)
        channel.close()
        #expect(await cause { try channel.send([0x01]) } == .closedLocally)
        #expect(await cause { try await channel.drained() } == .closedLocally)
    }

    @Test("If several ends come at once, everyone gets the reason of the first", arguments: 0..<50)
    func endsOnce(round: Int) async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        async let waiting = cause { _ = try await channel.receive() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { channel.close() } }
            right.close()
        }
        let first = await waiting
        #expect(first == .closedLocally || first == .closedByPeer(nil))
        #expect(await cause { _ = try await channel.receive() } == first)
        #expect(await cause { try channel.send([0x01]) } == first)
        #expect(await cause { try await channel.drained() } == first)
    }

    @Test("A channel that is no longer used closes itself")
    func released() throws {
        let (left, right) = try socketPair()
        var channel: SocketChannel? = try SocketChannel(left, on: ioThread)
        #expect(channel?.droppedCount == 0)
        #expect(!right.isHungUp)
        channel = nil
        #expect(right.isHungUp)
    }

    @Test("The end of the I/O thread ends its channels")
    func ioThreadStops() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        async let end = cause { _ = try await channel.receive() }
        ioThread.stop()
        #expect(await end == .closedLocally)
        #expect(right.isHungUp)
    }

    // MARK: - Cancellation

    @Test("Cancelling a wait for a packet ends it, and loses no packet")
    func cancelReceive() async throws {
        let (left, right) = try socketPair()
        let channel = try SocketChannel(left, on: ioThread)
        let end = await withTaskGroup(of: RadioError.Cause?.self) { group in
            group.addTask { await cause { _ = try await channel.receive() } }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(end == .cancelled)
        try right.send([0x07])
        #expect(try await channel.receive() == [0x07])
    }

    @Test("Cancelling a wait for room ends it, and the packets are still sent")
    func cancelDrained() async throws {
        let (left, right) = try socketPair()
        let room = try right.fill()
        let peer = try SocketChannel(right, on: ioThread)
        try peer.send(numbered(1))
        let end = await withTaskGroup(of: RadioError.Cause?.self) { group in
            group.addTask { await cause { try await peer.drained() } }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(end == .cancelled)
        #expect(peer.queuedCount == 1)
        for _ in 0..<room { _ = try left.receive() }
        try await peer.drained()
        #expect(try left.receive() == numbered(1))
    }

    // MARK: - Many

    @Test("Two hundred channels at once, each with its own packets in order")
    func manyChannels() async throws {
        let ioThread = ioThread
        try await withThrowingTaskGroup(of: Void.self) { group in
            for channel in 0..<200 {
                group.addTask {
                    let (left, right) = try socketPair()
                    let a = try SocketChannel(left, on: ioThread, queueLimit: 8)
                    let b = try SocketChannel(right, on: ioThread, queueLimit: 8)
                    for number in 0..<100 { try a.send(numbered(channel * 1_000 + number)) }
                    #expect(try await b.receive(100) == (0..<100).map { numbered(channel * 1_000 + $0) })
                    a.close()
                    #expect(await b.receiveAll().end == .closedByPeer(nil))
                }
            }
            try await group.waitForAll()
        }
    }
}
