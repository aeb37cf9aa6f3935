// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc

/// An address of a program that listens on TCP, as the C library has it.
struct InternetAddress: Sendable {
    private let family: Int32
    /// The octets of a `sockaddr`.
    private let octets: [UInt8]

    /// The addresses of a host, IPv6 and IPv4, in the order in which they should be tried; none if the name is unknown.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - resolving: Runs a call that blocks: the question for a name may take seconds.
    static func all(
        of host: String,
        port: UInt16,
        resolving: (@escaping @Sendable () -> Void) -> Void
    ) async -> [InternetAddress] {
        await withCheckedContinuation { continuation in
            resolving { continuation.resume(returning: known(host, port)) }
        }
    }

    private static func known(_ host: String, _ port: UInt16) -> [InternetAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = BLECTL_SOCK_STREAM
        hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [InternetAddress] = []
        var next = first
        while let entry = next?.pointee {
            if let address = entry.ai_addr {
                let octets = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
                addresses.append(InternetAddress(family: entry.ai_family, octets: Array(octets)))
            }
            next = entry.ai_next
        }
        return addresses
    }

    /// Begins to connect to it. The socket is writable when that has succeeded or failed.
    func connect(during operation: String) throws(RadioError) -> OwnedFileDescriptor {
        try RadioError.translating(.transport, "connect", during: operation) { () throws(Errno) in
            let family = family
            let socket = try OwnedFileDescriptor { blectl_socket(family, BLECTL_SOCK_STREAM, 0) }
            let descriptor = socket.rawValue
            do throws(Errno) {
                try systemCall { octets.withUnsafeBytes { blectl_connect_any(descriptor, $0.baseAddress, $0.count) } }
            } catch {
                guard error == .inProgress else { throw error }
            }
            return socket
        }
    }

    /// Sends each packet at once: the controller's answer is waited for, and packets are small (tcp(7), TCP_NODELAY).
    static func sendAtOnce(_ socket: borrowing OwnedFileDescriptor) {
        // Slower without it, and right.
        try? socket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    }
}
