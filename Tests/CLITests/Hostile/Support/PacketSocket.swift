// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Testing

/// A packet socket with a name in the file system, as plain as unix(7) allows: the other end of `--radio unix:PATH`.
///
/// Only `wait` waits. The socket is closed with its last reference.
final class PacketSocket: Sendable {
    /// The result of receiving.
    enum Received: Equatable {
        case packet([UInt8])
        case nothing
        case end
    }

    /// The result of sending.
    enum Sent: Equatable {
        case sent
        case noRoom
        case gone
    }

    let descriptor: Int32

    private init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Creates the socket's file, and listens.
    static func listening(at path: String) throws -> PacketSocket {
        let socket = try make()
        try #require(withAddress(path) { bind(socket.descriptor, $0, $1) } == 0, "bind: \(errno)")
        try #require(listen(socket.descriptor, 128) == 0, "listen: \(errno)")
        return socket
    }

    /// Connects to the listener; `nil` if there is none, or if its queue is full.
    static func connected(to path: String) throws -> PacketSocket? {
        let socket = try make()
        return withAddress(path) { connect(socket.descriptor, $0, $1) } == 0 ? socket : nil
    }

    private static func make() throws -> PacketSocket {
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        try #require(descriptor >= 0, "socket: \(errno)")
        return PacketSocket(owning: descriptor)
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    /// The next connection; `nil` if none waits.
    func accept() -> PacketSocket? {
        let other = Glibc.accept(descriptor, nil, nil)
        guard other >= 0 else { return nil }
        _ = fcntl(other, F_SETFL, O_NONBLOCK)
        _ = fcntl(other, F_SETFD, FD_CLOEXEC)
        return PacketSocket(owning: other)
    }

    func send(_ packet: [UInt8]) -> Sent {
        if Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL)) >= 0 { return .sent }
        return errno == EAGAIN ? .noRoom : .gone
    }

    func receive() -> Received {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return .packet(Array(buffer[..<count])) }
        // A packet without content looks like the end, but blectl sends none.
        return count < 0 && errno == EAGAIN ? .nothing : .end
    }

    /// Waits until one of the sockets is ready, or the time has passed. Blocks, so it must run on a thread of the
    /// test's own.
    static func wait(_ sockets: [(PacketSocket, Int16)], and wakeUp: Int32? = nil, milliseconds: Int32) {
        var all = sockets.map { pollfd(fd: $0.0.descriptor, events: $0.1, revents: 0) }
        if let wakeUp { all.append(pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)) }
        poll(&all, nfds_t(all.count), milliseconds)
    }
}
