// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Synchronization
package import Terminal

/// The trace of `-v`, and the lines of `trace`: each packet decoded on one line.
package enum PacketTrace {
    /// A tap that prints ATT PDUs (`-v`), and HCI and management packets (`-vv`); `nil` without `-v`.
    ///
    /// Lines name the adapter if there are several.
    ///
    /// - Parameters:
    ///   - start: The moment from which the lines count.
    ///   - adapters: The adapters that the command uses, as far as they are known.
    package static func tap(
        _ diagnostics: Diagnostics,
        since start: Instant,
        on adapters: AdapterSelection
    ) -> PacketTap? {
        guard diagnostics.verbosity > 0 else { return nil }
        let names = AdapterNames(areSeveral: adapters.isSeveral)
        return { packet in
            switch packet.channel {
            case .att, .l2cap, .bearer: break
            case .hci, .management: guard diagnostics.verbosity > 1 else { return }
            }
            let (isNamed, former) = names.saw(packet.adapter)
            // The lines until now have no name, because there was only one adapter.
            if let former { diagnostics.trace("the packets before this line are those of \(former)") }
            diagnostics.trace(
                line(packet, since: start, namesAdapter: isNamed, isRedacted: diagnostics.redactsPackets)
            )
        }
    }

    /// Whether the lines of a trace name the adapter.
    private final class AdapterNames: Sendable {
        private let state: Mutex<(areSeveral: Bool, first: ManagementIndex?)>

        init(areSeveral: Bool) { state = Mutex((areSeveral, nil)) }

        /// Whether the line of a packet names its adapter, and the adapter of the lines before if this is the first one
        /// to do so.
        func saw(_ adapter: ManagementIndex) -> (isNamed: Bool, former: ManagementIndex?) {
            guard adapter != .none else { return (false, nil) }
            return state.withLock { state in
                guard !state.areSeveral else { return (true, nil) }
                let first = state.first ?? adapter
                state.first = first
                state.areSeveral = first != adapter
                return (state.areSeveral, state.areSeveral ? first : nil)
            }
        }
    }

    /// `2026-11-20T06:42:11.883291Z    1.234567 > att F0:F1:F2:F3:F4:F5 Read Request 0x0003`: the time of day as values
    /// have it, and the seconds since the start.
    ///
    /// - Parameters:
    ///   - namesAdapter: Whether the adapter stands after the kind, too.
    ///   - isRedacted: Whether to leave out values, names and keys.
    package static func line(
        _ packet: TappedPacket,
        since start: Instant,
        namesAdapter: Bool = false,
        isRedacted: Bool = false
    ) -> String {
        let adapter = namesAdapter ? "\(packet.adapter) " : ""
        let bytes = packet.bytes
        let what =
            switch packet.channel {
            case .hci:
                "hci \(adapter)"
                    + text(of: bytes, isRedacted: isRedacted) { (hci: HCIPacket) in
                        isRedacted ? Redaction.text(of: hci) : HCIText.text(of: hci)
                    }
            case .management:
                "mgmt "
                    + text(of: bytes, isRedacted: isRedacted) { (command: ManagementPacket) in
                        let isSent = packet.direction == .sent
                        return isRedacted
                            ? Redaction.text(of: command, isSent: isSent) : HCIText.text(of: command, isSent: isSent)
                    }
            case .l2cap(let device):
                "l2cap \(adapter)\(device.address) "
                    + text(of: bytes, isRedacted: isRedacted) { (frame: L2CAPFrame) in
                        isRedacted ? Redaction.text(of: frame) : L2CAPText.text(of: frame)
                    }
            case .bearer(let device):
                "att \(adapter)\(device.address) "
                    + text(of: bytes, isRedacted: isRedacted) { (frame: L2CAPFrame) in
                        guard let pdu = frame.unit else {
                            return isRedacted ? Redaction.text(of: frame) : L2CAPText.text(of: frame)
                        }
                        let text = isRedacted ? Redaction.text(ofATT: pdu) : ATTPDU.describe(pdu)
                        return "\(text) on channel \(frame.channel)"
                    }
            case .att(let device):
                "att \(adapter)\(device.address) "
                    + (isRedacted ? Redaction.text(ofATT: bytes) : ATTPDU.describe(bytes))
            }
        return
            "\(packet.wall)  \(PacketText.seconds(packet.instant - start)) \(packet.direction == .sent ? ">" : "<") \(what)"
    }

    /// Decodes octets as a packet, and returns its text; for octets that are not such a packet, the reason.
    private static func text<Packet: WireDecodable>(
        of bytes: [UInt8],
        isRedacted: Bool,
        _ text: (Packet) -> String
    ) -> String {
        do throws(DecodeError) {
            return text(try Packet(decoding: bytes))
        } catch {
            return isRedacted ? Redaction.malformed(error, bytes) : PacketText.malformed(error, bytes)
        }
    }
}

/// Passes the packets of a radio on to one of several observers: the trace of a shell, or that of one of its lines.
package final class SwitchedTap: Sendable {
    /// A line of the shell that runs.
    private struct Line {
        let number: Int
        let verbosity: Int
        let tap: PacketTap?
    }

    private struct State {
        var shell: PacketTap?
        /// In the order in which they have begun.
        var lines: [Line] = []
        var next = 0

        /// One trace alone, because a packet belongs to no line, and would be shown by each of them: the first one of
        /// those that show the most.
        var present: PacketTap? {
            guard let line = lines.max(by: { $0.verbosity < $1.verbosity }) else { return shell }
            return line.tap
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var tap: PacketTap { { [self] packet in state.withLock { $0.present }?(packet) } }

    /// Passes the packets to another tap while no line runs; `nil` for none.
    package func set(_ tap: PacketTap?) { state.withLock { $0.shell = tap } }

    /// A line runs from now on. Returns the number with which it ends.
    ///
    /// - Parameters:
    ///   - verbosity: The level of its trace.
    ///   - tap: Its trace; `nil` if it shows no packets.
    package func begin(_ verbosity: Int, _ tap: PacketTap?) -> Int {
        state.withLock { state in
            defer { state.next += 1 }
            state.lines.append(Line(number: state.next, verbosity: verbosity, tap: tap))
            return state.next
        }
    }

    /// The line of a number has ended. The traces of other lines stay.
    package func end(_ number: Int) { state.withLock { $0.lines.removeAll { $0.number == number } } }
}
