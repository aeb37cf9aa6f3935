// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc

/// The calls behind turns among the programs of a machine: packet sockets with an abstract name, unix(7).
///
/// Whoever listens under the name has the turn, and the others are connected to that socket: its queue of those who were not
/// accepted yet is the queue of those who wait, in the order of arrival. The turn is handed on by sending the listening
/// socket itself (SCM_RIGHTS) to the first of them, so that the rest of the queue stays as it is. A process that dies, however
/// it dies, takes its sockets along: the kernel hangs up on those who wait, and they ask again.
///
/// No file is involved, so there are no rights, links or leftovers to think of. The names belong to the network namespace, and so does
/// Bluetooth: programs of different users, and in containers with Bluetooth, meet.
///
/// A program that has bad intentions can listen there for ever. That delays others until their time is up, nothing more: the
/// socket goes from hand to hand among the programs of one user only. Where the next one in the queue is another user's, the
/// turn becomes free, and all who wait ask for it again.
enum TurnSocket {
    /// How many programs may wait for one turn.
    private static let backlog: Int32 = 512
    /// The octet of the message by which a turn is handed on.
    private static let yourTurn: UInt8 = 1

    /// What asking for the turn came to.
    enum Entrance: ~Copyable {
        /// We have it: the listening socket.
        case taken(OwnedFileDescriptor)
        /// Somebody has it: we are in the queue behind this socket.
        case queued(OwnedFileDescriptor, holder: blectl_credentials?)
        /// Somebody has it, or just had it, and there is no way into the queue now.
        case closed
        /// There are no turns here.
        case unavailable
    }

    /// What came to somebody who waits.
    enum News: ~Copyable {
        /// The turn: the listening socket.
        case turn(OwnedFileDescriptor)
        /// The one who had the turn is gone, or somebody who is not to be trusted has sent something.
        case over
    }

    /// Takes the turn if it is free, and gets into the queue for it if it is not.
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
                let holder = credentials(of: queued)
                return .queued(queued, holder: holder)
            } catch {
                // Between bind and listen, gone in this moment, or a full queue.
                guard [ECONNREFUSED, EAGAIN].contains(error.rawValue) else { throw error }
                return .closed
            }
        } catch {
            return .unavailable
        }
    }

    /// What has come to a socket in the queue, which is readable.
    static func news(_ socket: borrowing OwnedFileDescriptor, _ name: String) -> News {
        var octet: UInt8 = 0
        var received: Int32 = -1
        let number = socket.rawValue
        let count = (try? systemCall { blectl_receive_descriptor(number, &octet, &received) }) ?? 0
        guard received >= 0 else { return .over }
        let listener = OwnedFileDescriptor(owning: received)
        guard count == 1, octet == yourTurn, isOurUser(socket), isListening(listener, name) else { return .over }
        // From now on whoever connects is told of us.
        _ = Glibc.listen(listener.rawValue, backlog)
        return .turn(listener)
    }

    /// Hands the turn to the first in the queue who is still there; where nobody is, the turn is free.
    static func handOn(_ listener: consuming OwnedFileDescriptor) {
        // The queue has an end; who comes meanwhile comes behind it.
        for _ in 0...backlog {
            let number = listener.rawValue
            guard let next = try? OwnedFileDescriptor({ blectl_accept(number) }) else { return }
            guard isOurUser(next) else { return }
            if blectl_send_descriptor(next.rawValue, yourTurn, number) == 1 { return }
        }
    }

    private static func isOurUser(_ socket: borrowing OwnedFileDescriptor) -> Bool {
        credentials(of: socket)?.user == geteuid()
    }

    /// Who is at the other end: the process that listens there, or that has connected.
    private static func credentials(of socket: borrowing OwnedFileDescriptor) -> blectl_credentials? {
        var credentials = blectl_credentials()
        do throws(Errno) {
            try socket.getOption(SOL_SOCKET, SO_PEERCRED, into: &credentials)
            return credentials
        } catch {
            return nil
        }
    }

    /// Whether it is the socket that everybody knows by that name: accepting from another one could block for ever.
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

    /// An abstract name begins with a zero; zeros fill it up.
    static func address(_ name: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.dropFirst().copyBytes(from: name.utf8.prefix(path.count - 1))
        }
        return address
    }
}
