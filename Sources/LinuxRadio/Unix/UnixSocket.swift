// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc

/// A packet socket with a name in the file system: unix(7), SOCK_SEQPACKET.
enum UnixSocket {
    /// The maximum number of clients that wait to be accepted. Further ones get EAGAIN, which is reported as a full
    /// socket.
    private static let backlog: Int32 = 128

    /// The longest path that fits into an address, in octets. It leaves room for the final zero.
    static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// The identity of the file that a listener made. By the time of removal the path may name another program's file.
    struct FileIdentity: Hashable, Sendable {
        let device: UInt
        let inode: UInt

        /// The file at the path now; `nil` if there is none.
        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
        }
    }

    /// Connects to the listener at the path, with a socket of that type. The kernel accepts or refuses at once, without the
    /// listener's help.
    static func connect(
        to path: String,
        type: Int32 = BLECTL_SOCK_SEQPACKET,
        during operation: String
    ) throws(RadioError) -> OwnedFileDescriptor {
        let socket = try make(type, during: operation)
        var remote = try address(path, during: operation)
        try translating("connect", path, during: operation) { () throws(Errno) in
            try systemCall { blectl_connect_unix(socket.rawValue, &remote) }
        }
        return socket
    }

    /// Creates the socket file and listens. Replaces the file of a server that has ended, but not that of a running
    /// one.
    ///
    /// - Parameter isPrivate: Whether only this user may connect. The mode is set before the socket listens, so that
    ///   no other user can connect earlier.
    static func listen(
        at path: String,
        isPrivate: Bool = false,
        during operation: String
    ) throws(RadioError) -> OwnedFileDescriptor {
        let socket = try make(BLECTL_SOCK_SEQPACKET, during: operation)
        var local = try address(path, during: operation)
        do throws(Errno) {
            try systemCall { blectl_bind_unix(socket.rawValue, &local) }
        } catch {
            guard error.rawValue == EADDRINUSE else { throw failure(error, "bind", path, operation) }
            try removeAbandoned(path, during: operation)
            try translating("bind", path, during: operation) { () throws(Errno) in
                try systemCall { blectl_bind_unix(socket.rawValue, &local) }
            }
        }
        if isPrivate {
            try translating("chmod", path, during: operation) { () throws(Errno) in
                try systemCall { chmod(path, 0o600) }
            }
        }
        try translating("listen", path, during: operation) { () throws(Errno) in
            try systemCall { Glibc.listen(socket.rawValue, backlog) }
        }
        return socket
    }

    /// Removes the file if it is still the one that was created.
    static func remove(_ path: String, madeAs identity: FileIdentity?) {
        guard identity != nil, FileIdentity(path) == identity else { return }
        unlink(path)
    }

    /// Removes a socket file without a socket. Throws if a program listens there, or if the file is not a socket.
    private static func removeAbandoned(_ path: String, during operation: String) throws(RadioError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw RadioError(.socket(path: path, .notASocket), during: operation)
        }
        let identity = FileIdentity(path)
        do throws(RadioError) {
            try check(path, during: operation)
        } catch {
            guard case .socket(_, .nobodyListens) = error.cause else { throw error }
            // Its owner may have removed the file meanwhile, and another one may have made it anew.
            return remove(path, madeAs: identity)
        }
        throw RadioError(.socket(path: path, .inUse), during: operation)
    }

    static func check(_ path: String, during operation: String) throws(RadioError) {
        // The probe has another socket type, so that the listener sees no connection: the kernel answers EPROTOTYPE if
        // a socket belongs to the file, and ECONNREFUSED if none does.
        let probe = try make(BLECTL_SOCK_DGRAM, during: operation)
        var remote = try address(path, during: operation)
        do throws(Errno) {
            try systemCall { blectl_connect_unix(probe.rawValue, &remote) }
        } catch {
            if error.rawValue != EPROTOTYPE { throw failure(error, "connect", path, operation) }
        }
    }

    // MARK: - Calls

    private static func make(_ type: Int32, during operation: String) throws(RadioError) -> OwnedFileDescriptor {
        do throws(Errno) {
            return try OwnedFileDescriptor { blectl_socket(AF_UNIX, type, 0) }
        } catch {
            throw RadioError(.system(call: "socket", errno: error.description), during: operation)
        }
    }

    private static func address(_ path: String, during operation: String) throws(RadioError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        // The kernel would take the octets before a zero for the whole path.
        guard (1...maximumPathLength).contains(octets.count), !octets.contains(0) else {
            throw RadioError(.system(call: "bind", errno: "ENAMETOOLONG"), during: operation)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        return address
    }

    private static func translating(
        _ call: String,
        _ path: String,
        during operation: String,
        _ body: () throws(Errno) -> Int32
    ) throws(RadioError) {
        do throws(Errno) {
            _ = try body()
        } catch {
            throw failure(error, call, path, operation)
        }
    }

    private static func failure(_ error: Errno, _ call: String, _ path: String, _ operation: String) -> RadioError {
        let cause: RadioError.Cause =
            switch error.rawValue {
            case ENOENT where call == "connect", ECONNREFUSED: .socket(path: path, .nobodyListens)
            case ENOENT, ENOTDIR: .socket(path: path, .noFolder)
            case EAGAIN: .socket(path: path, .full)
            case EADDRINUSE: .socket(path: path, .inUse)
            // A program listens, but with a stream or datagram socket, which does not keep the boundaries of PDUs.
            case EPROTOTYPE, ENOTSOCK: .socket(path: path, .notASocket)
            case EACCES, EPERM, EROFS: .socket(path: path, .notPermitted)
            default: .system(call: "\(call) of \(path)", errno: error.description)
            }
        return RadioError(cause, during: operation)
    }
}
