// SPDX-License-Identifier: MIT

import BluetoothHost
import RadioSharing
import Synchronization

/// One end of a connection in memory that keeps the boundaries of packets.
final class PacketPipe: PacketChannel {
    private let incoming = PacketQueue(limit: 4_096, overflow: .dropOldest)
    private let other = Mutex<PacketPipe?>(nil)

    /// Both ends of a connection.
    static func pair() -> (PacketPipe, PacketPipe) {
        let (left, right) = (PacketPipe(), PacketPipe())
        left.other.withLock { $0 = right }
        right.other.withLock { $0 = left }
        return (left, right)
    }

    func receive() async throws(RadioError) -> [UInt8] { try await incoming.next() }

    var droppedCount: Int { 0 }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard let other = other.withLock({ $0 }) else { throw RadioError(.closedLocally, during: "pipe") }
        other.incoming.push(packet)
    }

    func drained() async throws(RadioError) {}

    func close() {
        let other = other.withLock { other in
            defer { other = nil }
            return other
        }
        incoming.finish(RadioError(.closedLocally, during: "pipe"))
        other?.lost()
    }

    private func lost() {
        incoming.finish(RadioError(.closedByPeer(nil), during: "pipe"))
        other.withLock { $0 = nil }
    }
}

/// Connections in memory to a server in the same process.
struct PipeConnector: RemoteConnector {
    let server: RemoteRadioServer
    let scope: TaskScope
    /// The ends of this side, so that a test can break them as the end of a process does.
    let ends = Box<[PacketPipe]>([])
    /// Whether the server cannot send on new connections, as if this process had gone after its request.
    let isUnheard = Box(false)

    func connect() throws(RadioError) -> any PacketChannel {
        let (near, far) = PacketPipe.pair()
        ends.set(ends.value + [near])
        let served: any PacketChannel = isUnheard.value ? UnheardPipe(channel: far) : far
        scope.spawn { [server] in await server.serve(served) }
        return near
    }

    /// Ends all connections of this side.
    func crash() { for end in ends.value { end.close() } }
}

/// An end on which nothing can be sent any more.
private struct UnheardPipe: ForwardingChannel {
    let channel: PacketPipe

    func send(_ packet: [UInt8]) throws(RadioError) { throw RadioError(.closedByPeer(nil), during: "pipe") }
}
