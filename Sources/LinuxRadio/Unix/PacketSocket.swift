// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Glibc
import Synchronization

/// Packet connections between programs of one user, through a socket with a name in the file system: unix(7),
/// SOCK_SEQPACKET.
package final class PacketSocket: Sendable {
    /// The number of received packets that wait for a slow reader. The kernel holds further ones back from the sender.
    private static let queueLimit = 256
    /// The number of packets that one call receives. There is room for so many of the longest.
    private static let packetsPerCall = 8

    let path: String
    private let maximumLength: Int
    let thread = SharedIOThread()

    /// Creates a way to the socket at the path. Opens nothing yet.
    ///
    /// - Parameters:
    ///   - path: The path of the socket, at most 107 octets.
    ///   - maximumLength: The longest packet in both directions, in octets.
    package init(path: String, maximumLength: Int) {
        self.path = path
        self.maximumLength = maximumLength
    }

    /// Connects to the program that listens. Refuses one of another user, which could show this one anything.
    package func connect() throws(RadioError) -> any PacketChannel {
        try Self.channel(try socket(), maximumLength, operation, on: try thread.get())
    }

    /// Connects, sends a packet, and waits for the answer in the calling thread, before there are tasks.
    ///
    /// - Parameters:
    ///   - packet: The first packet of the connection.
    ///   - milliseconds: The longest wait. `controllerSilent` is thrown then.
    package func connect(
        asking packet: [UInt8],
        within milliseconds: Int32
    ) throws(RadioError) -> (answer: [UInt8], channel: any PacketChannel) {
        let socket = try socket()
        try RadioError.translating(.connected, "send", during: operation) { () throws(Errno) in try socket.send(packet)
        }
        guard socket.isReadable(within: milliseconds) else { throw RadioError(.controllerSilent, during: operation) }
        let answer = try RadioError.translating(.connected, "recv", during: operation) { () throws(Errno) in
            try socket.receive(limit: maximumLength)
        }
        return (answer, try Self.channel(socket, maximumLength, operation, on: try thread.get()))
    }

    /// Connects, sends a packet, and waits for the packets until the end of the connection in the calling thread, before
    /// there are tasks. Throws `controllerSilent` if the end does not come in time, or after too many packets.
    ///
    /// - Parameters:
    ///   - packet: The first packet of the connection.
    ///   - milliseconds: The longest wait for all of them.
    ///   - limit: The most packets.
    package func answers(
        to packet: [UInt8],
        within milliseconds: Int32,
        limit: Int
    ) throws(RadioError) -> [[UInt8]] {
        let socket = try socket()
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        let answers = try RadioError.translating(.connected, "recv", during: operation) {
            () throws(Errno) -> [[UInt8]]? in
            try socket.send(packet)
            var answers: [[UInt8]] = []
            while answers.count < limit, ContinuousClock.now < end, socket.isReadable(within: milliseconds) {
                let answer = try socket.receive(limit: maximumLength)
                if answer.isEmpty { return answers }
                answers.append(answer)
            }
            return nil
        }
        guard let answers else { throw RadioError(.controllerSilent, during: operation) }
        return answers
    }

    /// Whether a program of this user listens for packet connections. The listener sees one that ends at once.
    package var isServed: Bool { (try? socket()) != nil }

    /// Throws if no program listens. The listener does not see the question.
    package func check() throws(RadioError) { try UnixSocket.check(path, during: operation) }

    private var operation: String { "socket \(path)" }

    private func socket() throws(RadioError) -> OwnedFileDescriptor {
        // A program that ends in good order removes its file. One that was killed leaves a file without a listener,
        // which callers may have to remove.
        guard UnixSocket.FileIdentity(path) != nil else {
            throw RadioError(.socket(path: path, .noFile), during: operation)
        }
        let socket = try UnixSocket.connect(to: path, during: operation)
        guard socket.isOfThisUser else {
            throw RadioError(.socket(path: path, .notPermitted), during: operation)
        }
        return socket
    }

    /// Creates the socket and listens. Only programs of this user are accepted.
    package func listen() throws(RadioError) -> PacketListener {
        let operation = operation
        let ioThread = try thread.get()
        let socket = try UnixSocket.listen(at: path, isPrivate: true, during: operation)
        let identity = UnixSocket.FileIdentity(path)
        let listener = try SocketListener<any PacketChannel>(
            socket,
            operation,
            on: ioThread,
            onClose: { [path] in UnixSocket.remove(path, madeAs: identity) },
            makeChannel: { [path, maximumLength] socket throws(RadioError) in
                guard socket.isOfThisUser else {
                    throw RadioError(.socket(path: path, .notPermitted), during: operation)
                }
                return try Self.channel(socket, maximumLength, operation, on: ioThread)
            }
        )
        return PacketListener(listener, path, identity)
    }

    /// A channel for packets between processes. A full queue pauses the sender instead of dropping packets.
    private static func channel(
        _ socket: consuming OwnedFileDescriptor,
        _ maximumLength: Int,
        _ operation: String,
        on ioThread: IOThread
    ) throws(RadioError) -> any PacketChannel {
        try SocketChannel(
            socket,
            on: ioThread,
            .init(
                operation: operation,
                phase: .connected,
                receiveLimit: maximumLength,
                sendLimit: maximumLength,
                queueLimit: queueLimit,
                overflow: .pauseProducer,
                packetsPerCall: packetsPerCall,
                countsKernelDrops: false
            )
        )
    }

    /// Closes every connection and waits for the end of the I/O thread. Nothing can be opened afterwards.
    package func shutDown() { thread.shutDown() }
}

/// The source of the connections that other programs open.
package struct PacketListener: Sendable {
    private let listener: SocketListener<any PacketChannel>
    private let path: String
    private let identity: UnixSocket.FileIdentity?

    init(_ listener: SocketListener<any PacketChannel>, _ path: String, _ identity: UnixSocket.FileIdentity?) {
        self.listener = listener
        self.path = path
        self.identity = identity
    }

    /// Whether the path still names the socket: its file was neither removed nor replaced.
    package var isReachable: Bool { UnixSocket.FileIdentity(path) == identity }

    /// The next connection, for one consumer. Throws the reason why no more can come.
    package func accept() async throws(RadioError) -> any PacketChannel { try await listener.accept() }

    /// Takes a channel that has come another way as a connection.
    package func add(_ channel: any PacketChannel) { listener.add(channel) }

    /// Stops listening, and removes the socket's file. Accepted connections stay open. A second call does nothing.
    package func close() { listener.close() }
}
