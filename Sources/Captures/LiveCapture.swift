// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import RadioSharing
import Synchronization

/// Shows the packets of this process to other processes, to each one from the moment at which it asks.
///
/// A packet is a record of btsnoop with the datalink of the Linux monitor. The first ones are the beginnings of the
/// links that are open.
package final class LiveCapture: Sendable {
    private struct State {
        /// The converter of this process, by `nil`, or of each machine.
        var machines: [ManagementIndex?: CaptureConverter] = [nil: CaptureConverter()]
        /// The packets that wait for each observer, by its number.
        var observers: [Int: PacketQueue] = [:]
        var last = 0

        /// Shows packets to all observers. One that is too long for a connection between processes is counted as dropped.
        func show(_ packets: [CaptureConverter.Packet], of machine: ManagementIndex?) {
            guard !observers.isEmpty else { return }
            for packet in packets {
                let record = LiveCapture.record(packet, of: machine)
                for queue in observers.values {
                    if record.count <= RemotePacket.maximumData { queue.push(record) } else { queue.countDropped(1) }
                }
            }
        }
    }

    /// What an observer reads. What it sends is ignored.
    private struct Channel: PacketChannel {
        let capture: LiveCapture
        let number: Int
        let packets: PacketQueue

        var droppedCount: Int { packets.droppedCount }

        func receive() async throws(RadioError) -> [UInt8] { try await packets.next() }

        func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await packets.next(atMost: .max) }

        func send(_ packet: [UInt8]) {}

        func drained() {}

        func close() {
            capture.state.withLock { $0.observers[number] = nil }
            packets.finish(RadioError(.closedLocally, during: "capture"))
        }
    }

    /// The number of packets that wait for a slow observer. Beyond it the oldest one is dropped.
    private static let limit = 4_096

    private let time: any TimeSource
    /// Whether the packets have zeros in place of values, names and keys.
    private let isRedacted: Bool
    private let state = Mutex(State())

    package init(time: any TimeSource, isRedacted: Bool = false) {
        self.time = time
        self.isRedacted = isRedacted
    }

    /// Shows the packets of this process's adapters.
    package var tap: PacketTap {
        { [self] packet in show(packet, of: nil) }
    }

    /// Shows the links of this process's adapters.
    package var linkTap: LinkTap {
        { [self] link in show(link, of: nil) }
    }

    /// Adds a machine of a shared world, whose adapter gets the lowest free number.
    ///
    /// - Returns: The machine with taps, and the number by which it is removed.
    package func adding(_ system: any RadioSystem) -> (system: any RadioSystem, number: ManagementIndex) {
        let number = state.withLock { state in
            var number = ManagementIndex(0)
            while state.machines[number] != nil { number = ManagementIndex(rawValue: number.rawValue &+ 1) }
            state.machines[number] = CaptureConverter()
            return number
        }
        let tapped = TappedRadioSystem(system, time: time) { [self] link in
            show(link, of: number)
        } tap: { [self] packet in
            show(packet, of: number)
        }
        return (tapped, number)
    }

    package func remove(_ number: ManagementIndex) { state.withLock { $0.machines[number] = nil } }

    /// Begins a capture for another process.
    package var begin: @Sendable () -> any PacketChannel {
        { [self] in observe() }
    }

    /// The packets from now on, until the channel is closed.
    private func observe() -> any PacketChannel {
        let packets = PacketQueue(limit: Self.limit, overflow: .dropOldest)
        let number = state.withLock { state in
            for (machine, converter) in state.machines {
                for packet in converter.openLinks(time.wallClock) { packets.push(Self.record(packet, of: machine)) }
            }
            state.last += 1
            state.observers[state.last] = packets
            return state.last
        }
        return Channel(capture: self, number: number, packets: packets)
    }

    private func show(_ packet: TappedPacket, of machine: ManagementIndex?) {
        state.withLock { state in
            // The events of the controllers tell which links are open, also while nobody watches.
            guard !state.observers.isEmpty || packet.channel == .hci else { return }
            let packets = state.machines[machine]?.packets(of: packet) ?? []
            state.show(isRedacted ? packets.map(\.redacted) : packets, of: machine)
        }
    }

    private func show(_ link: TappedLink, of machine: ManagementIndex?) {
        state.withLock { state in
            state.show(state.machines[machine]?.packets(of: link) ?? [], of: machine)
        }
    }

    fileprivate static func record(_ packet: CaptureConverter.Packet, of machine: ManagementIndex?) -> [UInt8] {
        let packet = CaptureConverter.Packet(
            octets: packet.octets,
            direction: packet.direction,
            adapter: machine ?? packet.adapter,
            timestamp: packet.timestamp
        )
        return packet.record(in: .linuxMonitor).encoded()
    }
}
