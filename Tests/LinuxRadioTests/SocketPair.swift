// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ

@testable import LinuxRadio

/// Two connected packet sockets, in the place of a Bluetooth socket and its other end.
func socketPair() throws -> (OwnedDescriptor, OwnedDescriptor) {
    var numbers: [Int32] = [0, 0]
    try systemCall { blectl_socketpair(&numbers) }
    return (OwnedDescriptor(numbers[0]), OwnedDescriptor(numbers[1]))
}

/// A descriptor in a class, because tuples and macros cannot hold non-copyable values.
final class OwnedDescriptor {
    private var descriptor: OwnedFileDescriptor?

    init(_ number: Int32) { descriptor = OwnedFileDescriptor(owning: number) }

    func take() throws -> OwnedFileDescriptor {
        guard let taken = descriptor.take() else { throw Errno.notConnected }
        return taken
    }

    func withDescriptor<Value>(_ body: (borrowing OwnedFileDescriptor) throws -> Value) throws -> Value {
        switch descriptor {
        case .some(let descriptor): return try body(descriptor)
        case nil: throw Errno.notConnected
        }
    }

    func send(_ packet: [UInt8]) throws { try descriptor?.send(packet) }

    func receive(limit: Int = 4_096) throws -> [UInt8] {
        guard let packet = try descriptor?.receive(limit: limit) else { throw Errno.notConnected }
        return packet
    }

    var isHungUp: Bool { descriptor?.isHungUp() ?? true }

    func close() { descriptor = nil }

    /// Sends until there is no room. Returns the number of packets.
    func fill() throws -> Int {
        var count = 0
        do throws(Errno) {
            while true {
                try descriptor?.send([UInt8](repeating: 0, count: 100))
                count += 1
            }
        } catch {
            guard error == .wouldBlock else { throw error }
        }
        return count
    }
}

extension SocketChannel {
    /// Creates a channel over one end of a pair, with the errors of a link.
    convenience init(
        _ end: OwnedDescriptor,
        on ioThread: IOThread,
        phase: SocketPhase = .connected,
        packetLimit: Int = 672,
        queueLimit: Int = 256,
        overflow: PacketQueue.Overflow = .pauseProducer,
        sendQueueLimit: Int = 100_000,
        packetsPerCall: Int = OwnedFileDescriptor.mostPackets
    ) throws {
        try self.init(
            try end.take(),
            on: ioThread,
            .init(
                operation: "test",
                phase: phase,
                receiveLimit: packetLimit,
                sendLimit: packetLimit,
                queueLimit: queueLimit,
                overflow: overflow,
                sendQueueLimit: sendQueueLimit,
                packetsPerCall: packetsPerCall
            )
        )
    }

    /// Receives that many packets.
    func receive(_ count: Int) async throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        for _ in 0..<count { packets.append(try await receive()) }
        return packets
    }

    /// Receives until the end. Returns the packets and the cause of the end.
    func receiveAll() async -> (packets: [[UInt8]], end: RadioError.Cause) {
        var packets: [[UInt8]] = []
        while true {
            do throws(RadioError) {
                packets.append(try await receive())
            } catch {
                return (packets, error.cause)
            }
        }
    }
}

/// A packet that contains its number.
func numbered(_ number: Int, count: Int = 4) -> [UInt8] {
    let head = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    return head + [UInt8](repeating: 0xA5, count: max(0, count - 4))
}

/// The cause of the error that `body` throws; `nil` if it succeeds.
func cause(of body: () async throws -> Void) async -> RadioError.Cause? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? RadioError)?.cause
    }
}
