// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost
import Synchronization

/// The last packets between this program and its devices, for the report of a failure.
public final class PacketHistory: Sendable {
    /// The number of packets that are kept.
    private static let limit = 200

    /// The parameters of a connection, as the controller has told them.
    struct LinkParameters: Sendable, Equatable {
        var interval: LEInterval<1250>
        var latency: UInt16
        var supervisionTimeout: LEInterval<10_000>
    }

    private let start: Instant
    private let links = Mutex<[ConnectionHandle: LinkParameters]>([:])
    private let kept = Mutex<(packets: [TappedPacket], next: Int)>(([], 0))

    /// An empty history.
    ///
    /// - Parameter start: The moment from which the lines count.
    public init(since start: Instant) { self.start = start }

    /// Takes the ATT packets, and what the controller tells of connections.
    public var tap: PacketTap {
        { [self] packet in
            if case .hci = packet.channel { return heard(packet.bytes) }
            guard case .att = packet.channel else { return }
            kept.withLock { kept in
                if kept.packets.count < Self.limit {
                    kept.packets.append(packet)
                } else {
                    kept.packets[kept.next] = packet
                    kept.next = (kept.next + 1) % Self.limit
                }
            }
        }
    }

    /// The parameters of a connection; `nil` if nothing was heard of them.
    func parameters(of connection: ConnectionHandle) -> LinkParameters? { links.withLock { $0[connection] } }

    private func heard(_ bytes: [UInt8]) {
        // Indicator, event code, length, subevent: most packets are advertisements and answers.
        guard bytes.count > 3, bytes[0] == 0x04, bytes[1] == 0x3E || bytes[1] == 0x05,
            case .event(let packet)? = try? HCIPacket(decoding: bytes), let event = try? HCIEvent(packet)
        else { return }
        links.withLock { links in
            switch event {
            case .leConnectionComplete(let event): Self.note(event, in: &links)
            case .leEnhancedConnectionComplete(let event): Self.note(event.connection, in: &links)
            case .leConnectionUpdateComplete(let event) where event.status == .success:
                links[event.connection] = LinkParameters(
                    interval: event.interval,
                    latency: event.latency,
                    supervisionTimeout: event.supervisionTimeout
                )
            case .disconnectionComplete(let event): links[event.connection] = nil
            default: break
            }
            // A controller has fewer links; a hostile one is not believed.
            if links.count > 256 { links = [:] }
        }
    }

    private static func note(
        _ event: LEConnectionCompleteEvent,
        in links: inout [ConnectionHandle: LinkParameters]
    ) {
        guard event.status == .success else { return }
        links[event.connection] = LinkParameters(
            interval: event.interval,
            latency: event.latency,
            supervisionTimeout: event.supervisionTimeout
        )
    }

    /// The last packets of a device, decoded as `-v` has them, the latest at the end.
    ///
    /// - Parameters:
    ///   - device: The device; `nil` for all.
    ///   - count: The most lines.
    func lines(of device: DeviceAddress?, _ count: Int) -> [String] {
        let ordered = kept.withLock { kept in kept.packets[kept.next...] + kept.packets[..<kept.next] }
        let own = ordered.filter { packet in
            guard let device, case .att(let peer) = packet.channel else { return true }
            return peer.address == device.address
        }
        return own.suffix(count).map { PacketTrace.line($0, since: start) }
    }
}
