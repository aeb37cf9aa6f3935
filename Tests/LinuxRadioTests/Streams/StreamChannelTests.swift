// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc
import Testing

@testable import LinuxRadio

@Suite("Stream channel", .timeLimit(.minutes(1)))
struct StreamChannelTests {
    /// Two ends of a stream, of which the first is a channel and the second a descriptor that blocks.
    private func withStream(_ body: (StreamChannel, Int32) async throws -> Void) async throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, BLECTL_SOCK_STREAM, 0, &ends) == 0)
        let near = OwnedFileDescriptor(owning: ends[0])
        _ = blectl_unblock(near.rawValue)
        let thread = try IOThread()
        defer { thread.stop() }
        let channel = try StreamChannel(near, during: "stream", on: thread)
        try await body(channel, ends[1])
        channel.close()
        close(ends[1])
    }

    private func receive(_ count: Int, from channel: StreamChannel) async throws -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count { octets += try await channel.receive() }
        return octets
    }

    @Test func `octets pass in both directions, without borders`() async throws {
        try await withStream { channel, far in
            #expect(write(far, [1, 2, 3] as [UInt8], 3) == 3)
            #expect(write(far, [4, 5] as [UInt8], 2) == 2)
            #expect(try await receive(5, from: channel) == [1, 2, 3, 4, 5])
            try channel.send([6, 7])
            try channel.send([8])
            var buffer = [UInt8](repeating: 0, count: 3)
            #expect(recv(far, &buffer, 3, Int32(MSG_WAITALL)) == 3)
            #expect(buffer == [6, 7, 8])
        }
    }

    @Test func `what the kernel has no room for is sent later, whole and in order`() async throws {
        try await withStream { channel, far in
            let packet = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
            for _ in 0..<200 { try channel.send(packet) }
            let reader = Task.detached { () -> Bool in
                var buffer = [UInt8](repeating: 0, count: packet.count)
                for _ in 0..<200 {
                    guard recv(far, &buffer, buffer.count, Int32(MSG_WAITALL)) == buffer.count,
                        buffer == packet
                    else { return false }
                }
                return true
            }
            try await channel.drained()
            #expect(await reader.value)
        }
    }

    @Test func `a slow reader holds the sender back, and loses nothing`() async throws {
        try await withStream { channel, far in
            _ = blectl_unblock(far)
            let piece = [UInt8](repeating: 7, count: 65_536)
            var sent = 0
            // Until the kernel has no room: the channel has stopped to receive.
            while sent < 64 << 20 {
                let count = write(far, piece, piece.count)
                if count > 0 {
                    sent += count
                    continue
                }
                try await Task.sleep(for: .milliseconds(20))
                let again = write(far, piece, piece.count)
                guard again > 0 else { break }
                sent += again
            }
            #expect(sent < 64 << 20)
            shutdown(far, Int32(SHUT_WR))
            #expect(try await receive(sent, from: channel).count == sent)
            await #expect(throws: RadioError(.controllerGone, during: "stream")) { try await channel.receive() }
        }
    }

    @Test func `the end of the other side follows its last octets`() async throws {
        try await withStream { channel, far in
            _ = write(far, [1] as [UInt8], 1)
            shutdown(far, Int32(SHUT_RDWR))
            let last = try await channel.receive()
            #expect(last == [1])
            await #expect(throws: RadioError(.controllerGone, during: "stream")) { try await channel.receive() }
            #expect(throws: RadioError(.controllerGone, during: "stream")) { try channel.send([1]) }
        }
    }

    @Test func `nothing is accepted when the other side takes no more, although it still sends`() async throws {
        try await withStream { channel, far in
            #expect(shutdown(far, Int32(SHUT_RD)) == 0)
            for _ in 0..<3 { #expect(await cause { try channel.send([1]) } == .controllerGone) }
            #expect(await cause { try await channel.drained() } == .controllerGone)
            #expect(write(far, [2] as [UInt8], 1) == 1)
            let last = try await channel.receive()
            #expect(last == [2])
        }
    }

    @Test func `closing wakes who waits`() async throws {
        try await withStream { channel, _ in
            async let waiting: Void = {
                await #expect(throws: RadioError(.closedLocally, during: "stream")) { try await channel.receive() }
            }()
            channel.close()
            await waiting
            await #expect(throws: RadioError(.closedLocally, during: "stream")) { try await channel.drained() }
        }
    }
}
