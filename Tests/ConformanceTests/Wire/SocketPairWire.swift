// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Foundation
import Glibc

@testable import LinuxRadio

/// One end of a socket pair: the channel that the product creates for a connected socket, with its own I/O thread.
final class SocketPairChannel: ATTChannel {
    /// The size that an MTU exchange offers. The socket would accept more than the recorded ones.
    let maximumMTU: UInt16
    private let channel: ATTSocketChannel
    private let ioThread: IOThread

    init(_ socket: consuming OwnedFileDescriptor, maximumMTU: UInt16) throws {
        ioThread = try IOThread()
        channel = try ATTSocketChannel(socket, peer: .other, during: "socket pair", on: ioThread)
        self.maximumMTU = maximumMTU
    }

    var peer: DeviceAddress { channel.peer }
    var connectionHandle: UInt16? { channel.connectionHandle }
    var droppedCount: Int { channel.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await channel.receive() }
    func send(_ packet: [UInt8]) throws(RadioError) { try channel.send(packet) }
    func drained() async throws(RadioError) { try await channel.drained() }
    func close() { channel.close() }
}

/// The other end of a socket pair: plain system calls, without the code under test.
final class SocketOtherEnd: OtherEnd {
    /// No PDU arrived, or the connection has ended.
    struct Silence: Error {
        let isEnd: Bool
    }

    private let socket: OwnedFileDescriptor

    init(_ socket: consuming OwnedFileDescriptor) { self.socket = socket }

    func send(_ pdu: [UInt8]) throws { try socket.send(pdu) }

    func receive() async throws -> [UInt8] {
        do throws(Errno) {
            let packet = try socket.receive(limit: 4_096)
            if !packet.isEmpty { return packet }
        } catch {
            guard error == .wouldBlock else { throw error }
        }
        // A blocking wait must not occupy a thread of Swift's pool.
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(with: Result { try wait() }) }
        }
    }

    private func wait() throws -> [UInt8] {
        var request = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(Wire.timeout / .milliseconds(1))
        guard try systemCall({ poll(&request, 1, milliseconds) }) == 1 else { throw Silence(isEnd: false) }
        let packet = try socket.receive(limit: 4_096)
        guard !packet.isEmpty else { throw Silence(isEnd: true) }
        return packet
    }

    func close() { shutdown(socket.rawValue, Int32(SHUT_RDWR)) }
}
