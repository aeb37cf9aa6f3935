// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Synchronization

/// The last packets between this program and its devices, for the report of a failure.
package final class PacketHistory: Sendable {
    private static let limit = 200

    private let start: Instant
    /// Whether the lines have no values, names and keys.
    private let isRedacted: Bool
    private let kept = Mutex<(packets: [TappedPacket], next: Int)>(([], 0))

    /// An empty history.
    ///
    /// - Parameters:
    ///   - start: The moment from which the lines count.
    ///   - isRedacted: Whether the lines have no values, names and keys.
    package init(since start: Instant, isRedacted: Bool = false) {
        self.start = start
        self.isRedacted = isRedacted
    }

    package var tap: PacketTap {
        { [self] packet in
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

    /// The last packets of a device, decoded as `-v` has them, the latest at the end.
    ///
    /// - Parameters:
    ///   - device: The device; `nil` for all.
    ///   - count: The most lines.
    package func lines(of device: DeviceAddress?, _ count: Int) -> [String] {
        // The ring begins at the place that the next packet takes.
        let ordered = kept.withLock { kept in kept.packets[kept.next...] + kept.packets[..<kept.next] }
        let own = ordered.filter { packet in
            guard let device, case .att(let peer) = packet.channel else { return true }
            return peer.address == device.address
        }
        let areSeveral = ordered.contains { $0.adapter != ordered.first?.adapter }
        return own.suffix(count).map {
            PacketTrace.line($0, since: start, namesAdapter: areSeveral, isRedacted: isRedacted)
        }
    }
}
