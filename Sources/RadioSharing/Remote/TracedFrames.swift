// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The frames of credit-based channels that the process with the radio shows to another one, in their order.
final class TracedFrames: Sendable {
    /// The most frames that wait for a process that reads slowly: far more than credits allow at a time. Beyond them
    /// the oldest are left out.
    private static let limit = 4_096
    /// The most packets that are sent before the process has taken them.
    private static let batch = 64

    // Frames are dropped first, because the process waits for the end of a channel.
    private let queue = BoundedQueue<RemotePacket>(limit: limit, overflow: .dropOldest) { packet in
        if case .frame = packet { true } else { false }
    }

    /// Takes the frames of channels. Never waits.
    var observer: FrameObserver {
        { [queue] frame in queue.push(.frame(frame)) }
    }

    /// No more frames of a channel belong to it; 0 stands for one that the process has opened itself.
    func finish(_ number: UInt32) { queue.push(.finished(number)) }

    /// The machine is gone. The process gets the frames until now.
    func end() { queue.finish(RadioError(.closedLocally, during: "frames of a channel")) }

    /// Sends the packets until the machine or the connection is gone.
    func carry(to channel: any PacketChannel) async {
        do throws(RadioError) {
            var dropped = 0
            while true {
                let packets = try await queue.next(atMost: Self.batch)
                let now = queue.droppedCount
                if now != dropped {
                    dropped = now
                    try channel.send(RemotePacket.dropped(UInt32(clamping: now)).encoded())
                }
                for octets in packets.map({ $0.encoded() }) where octets.count <= RemotePacket.maximumLength {
                    try channel.send(octets)
                }
                try await channel.drained()
            }
        } catch {
            // The end of the connection has no reader for a reason.
        }
    }
}
