// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// The system calls behind turns among the programs of a machine: packet sockets with an abstract name, unix(7).
///
/// The program that listens under the name has the turn. The others connect to that socket, and its queue of
/// connections that were not accepted yet is the queue of waiting programs, in the order of arrival. The holder hands
/// the turn on by sending the listening socket itself (SCM_RIGHTS) to the first program in the queue, so that the rest
/// of the queue stays as it is. When a process dies, the kernel closes its sockets; the waiting programs see the
/// hang-up and ask again.
///
/// Abstract names need no file, and therefore no permissions, links or cleaning up. They belong to the network
/// namespace as Bluetooth sockets do, so that programs of different users, and in containers with Bluetooth, share one
/// queue.
///
/// A hostile program can listen under the name and never hand on. It delays the others until their deadlines, no more.
/// The socket is handed on only within one user: if the next program belongs to another user, the turn becomes free,
/// and all waiting programs ask for it again.
enum TurnSocket {
    /// The maximum number of programs that wait for one turn. Further ones cannot enter the queue, and ask again after
    /// pauses.
    private static let backlog: Int32 = 512
    /// The octet of the message by which a turn is handed on.
    private static let yourTurn: UInt8 = 1

    /// The result of asking for a turn.
    enum Entrance: ~Copyable {
        /// This process has the turn; the payload is the listening socket.
        case taken(OwnedFileDescriptor)
        /// Another process has the turn; the payload is this process's place in the queue.
        case queued(OwnedFileDescriptor, holder: blectl_credentials?)
        /// Another process has the turn, or has just given it up, and the queue cannot be entered now.
        case closed
        /// This system supports no turns.
        case unavailable
    }

    /// The news for a waiting program.
    enum News: ~Copyable {
        /// The turn; the payload is the listening socket.
        case turn(OwnedFileDescriptor)
        /// The holder is gone, or an untrusted process sent something.
        case over
    }

    /// Takes the turn if it is free, else enters the queue.
    static func enter(_ name: String) -> Entrance {
        do throws(Errno) {
            let socket = try make()
            var address = address(name)
            do throws(Errno) {
                try systemCall { blectl_bind_unix(socket.rawValue, &address) }
                try systemCall { Glibc.listen(socket.rawValue, backlog) }
                return .taken(socket)
            } catch {
                guard error.rawValue == EADDRINUSE else { throw error }
            }
            let queued = try make()
            do throws(Errno) {
                try systemCall { blectl_connect_unix(queued.rawValue, &address) }
                let holder = queued.peerCredentials()
                return .queued(queued, holder: holder)
            } catch {
                // ECONNREFUSED: the holder is between bind(2) and listen(2), or has just gone. EAGAIN: the queue is
                // full.
                guard [ECONNREFUSED, EAGAIN].contains(error.rawValue) else { throw error }
                return .closed
            }
        } catch {
            return .unavailable
        }
    }

    /// Reads the news from a readable socket in the queue.
    static func news(_ socket: borrowing OwnedFileDescriptor, _ name: String) -> News {
        var octet: UInt8 = 0
        var received: Int32 = -1
        let number = socket.rawValue
        let count = (try? systemCall { blectl_receive_descriptor(number, &octet, &received) }) ?? 0
        guard received >= 0 else { return .over }
        // Owned before anything is checked, so that a descriptor from a stranger is closed.
        let listener = OwnedFileDescriptor(owning: received)
        guard count == 1, octet == yourTurn, socket.isOfThisUser, isListening(listener, name) else { return .over }
        // listen(2) again stores this process's credentials in the socket, so that SO_PEERCRED names the new holder to
        // programs that connect from now on.
        _ = Glibc.listen(listener.rawValue, backlog)
        return .turn(listener)
    }

    /// Hands the turn to the first program in the queue that is still alive; if there is none, the turn becomes free.
    static func handOn(_ listener: consuming OwnedFileDescriptor) {
        // Bounded by the length of the queue, because programs that connect meanwhile join its end.
        for _ in 0...backlog {
            let number = listener.rawValue
            guard let next = try? OwnedFileDescriptor({ blectl_accept(number) }) else { return }
            guard next.isOfThisUser else { return }
            if blectl_send_descriptor(next.rawValue, yourTurn, number) == 1 { return }
        }
    }

    /// Whether this is the listening socket of that name. A socket that another process made up could block in
    /// accept(2).
    private static func isListening(_ socket: borrowing OwnedFileDescriptor, _ name: String) -> Bool {
        var accepts: Int32 = 0
        do throws(Errno) {
            try socket.getOption(SOL_SOCKET, SO_ACCEPTCONN, into: &accepts)
        } catch {
            return false
        }
        var actual = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        guard accepts != 0, blectl_own_unix(socket.rawValue, &actual, &length) == 0 else { return false }
        var expected = address(name)
        return withUnsafeBytes(of: &actual) { actual in
            withUnsafeBytes(of: &expected) { actual.elementsEqual($0) }
        }
    }

    private static func make() throws(Errno) -> OwnedFileDescriptor {
        try OwnedFileDescriptor { blectl_socket(AF_UNIX, BLECTL_SOCK_SEQPACKET, 0) }
    }

    /// The address of an abstract name: a zero, the name, and zeros up to the end, which count as part of the name.
    static func address(_ name: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.dropFirst().copyBytes(from: name.utf8.prefix(path.count - 1))
        }
        return address
    }
}
