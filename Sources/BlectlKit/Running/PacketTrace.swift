// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost

/// The trace of `-v`: each packet decoded on one line.
public enum PacketTrace {
    /// A tap that prints ATT PDUs (`-v`), and HCI and management packets (`-vv`); `nil` without `-v`.
    ///
    /// - Parameter start: The moment from which the lines count.
    public static func tap(_ diagnostics: Diagnostics, since start: Instant) -> PacketTap? {
        guard diagnostics.verbosity > 0 else { return nil }
        return { packet in
            switch packet.channel {
            case .att: break
            case .hci, .management: guard diagnostics.verbosity > 1 else { return }
            }
            diagnostics.trace(line(packet, since: start))
        }
    }

    /// `2026-11-20T06:42:11.883291Z    1.234567 > att F0:F1:F2:F3:F4:F5 Read Request 0x0003`: the time of day as values have
    /// it, and the seconds since the start.
    static func line(_ packet: TappedPacket, since start: Instant) -> String {
        let arrow = packet.direction == .sent ? ">" : "<"
        let what =
            switch packet.channel {
            case .hci: "hci \(hciText(packet.bytes))"
            case .management: "mgmt \(managementText(packet))"
            case .att(let device): "att \(device.address) \(ATTPDU.describe(packet.bytes))"
            }
        return "\(packet.wall)  \(seconds(packet.instant - start)) \(arrow) \(what)"
    }

    private static func managementText(_ packet: TappedPacket) -> String {
        do throws(DecodeError) {
            let decoded = try ManagementPacket(decoding: packet.bytes)
            return packet.direction == .sent
                ? ManagementCommandCatalog.describe(sent: decoded)
                : ManagementCommandCatalog.describe(received: decoded)
        } catch {
            return "malformed (\(error)): \(Hex.string(packet.bytes))"
        }
    }

    private static func hciText(_ bytes: [UInt8]) -> String {
        do throws(DecodeError) {
            return switch try HCIPacket(decoding: bytes) {
            case .command(let command): command.description
            case .event(let event): event.description
            case .acl(let packet): "ACL data \(packet.connection) \(Hex.string(packet.data))"
            case .other(let indicator, let rest):
                "packet 0x\(Hex.string(indicator, minimumDigits: 2)) \(Hex.string(rest))"
            }
        } catch {
            return "malformed (\(error)): \(Hex.string(bytes))"
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let microseconds = duration.clampedNanoseconds / 1_000
        let fraction = String(microseconds % 1_000_000)
        let whole = String(microseconds / 1_000_000)
        return String(repeating: " ", count: max(0, 3 - whole.utf8.count)) + whole + "."
            + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
    }
}
