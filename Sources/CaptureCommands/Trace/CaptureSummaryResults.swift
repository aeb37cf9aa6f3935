// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Captures
import Records
import Terminal
import Toolkit

/// The first lines of `trace --summary`: what the capture has.
struct CaptureResult: RecordedResult {
    let summary: CaptureSummary

    static let record = RecordKind<Self>("capture", "what a capture has: `time` is that of its first packet") {
        RecordField("packets", .integer, "number of packets") { $0.summary.packets }
        RecordField("malformed", .integer, "how many of them are not valid") { $0.summary.malformed }
        RecordField("duration_ns", .integer("ns"), "time from the first to the last packet") {
            $0.summary.duration.clampedNanoseconds
        }
        RecordField("devices", .integer, "number of devices heard or connected to") {
            $0.summary.devices.count
        }
        RecordField("links", .integer, "number of links") { $0.summary.links.count }
        RecordField("complete", .boolean, "whether the other records have all devices, links and attributes") {
            !$0.summary.isCut
        }
    }

    var timestamp: Timestamp {
        Timestamp(wall: summary.start ?? WallTime(nanosecondsSince1970: 0), monotonic: .zero)
    }

    func text(_ style: TextStyle) -> String? {
        guard let start = summary.start else { return "no packets" }
        let seconds = PacketText.seconds(summary.duration).drop { $0 == " " }
        var parts = ["\(count: summary.packets, "packet")", "\(seconds) s from \(start)"]
        parts.append("\(count: summary.links.count, "link")")
        let heard = summary.devices.count { $0.links.isEmpty }
        if heard > 0 { parts.append("\(count: heard, "device") only heard") }
        if summary.malformed > 0 { parts.append("\(count: summary.malformed, "malformed packet")") }
        if summary.isCut { parts.append("more than can be kept") }
        return parts.joined(separator: ", ")
    }
}

/// A device in `trace --summary`.
struct CapturedDeviceResult: RecordedResult {
    let device: CaptureSummary.Device
    let timestamp: Timestamp

    static let record = RecordKind<Self>("captured-device", "a device of a capture") {
        RecordField.device { DeviceReference(address: $0.device.address, name: $0.device.name) }
        RecordField("reports", .integer, "number of advertising reports") { $0.device.reports }
        RecordField("links", .integer, "number of links to it") { $0.device.links.count }
    }

    /// A device that was only heard has no line, because there may be hundreds.
    func text(_ style: TextStyle) -> String? {
        guard !device.links.isEmpty else { return nil }
        let name = device.name.map { "'\(TerminalText.escaped($0))' " } ?? ""
        let reports = device.reports > 0 ? ", \(count: device.reports, "advertising report")" : ""
        let title = style.paint("\(name)\(device.address.address)", .cyan)
        return "\n\(title) \(device.address.type)\(reports)"
    }
}

/// A link in `trace --summary`.
struct CapturedLinkResult: RecordedResult {
    let link: CaptureSummary.Link
    let timestamp: Timestamp

    static let record = RecordKind<Self>("captured-link", "a link of a capture") {
        RecordField("connection", .integer, "handle of the connection") { $0.link.connection.rawValue }
        RecordField("adapter", orNull: .string, "adapter, such as `hci0`, if known") {
            $0.link.adapter.flatMap { $0 == .none ? nil : $0.description }
        }
        RecordField("address", orNull: .string, "address of the device, if known") {
            $0.link.device?.address.description
        }
        RecordField("private_address", orNull: .string, "its resolvable private address, if known") {
            $0.link.privateAddress?.description
        }
        RecordField("role", orNull: .string, "of the capturing host: `central` or `peripheral`") {
            $0.link.role.map { $0 == .central ? "central" : "peripheral" }
        }
        RecordField("begin_ns", orNull: .integer("ns"), "when it began, from the first packet; null if before") {
            $0.link.begin?.clampedNanoseconds
        }
        RecordField("end_ns", orNull: .integer("ns"), "when it ended; null if not captured") {
            $0.link.end?.clampedNanoseconds
        }
        RecordField("reason", orNull: .string, "why it ended") { $0.link.reason.map { "\($0)" } }
        RecordField("interval_ms", orNull: .number, "connection interval, if known") {
            $0.link.parameters?.interval.duration.inMillisecondsExactly
        }
        RecordField("latency", orNull: .integer, "peripheral latency, if known") {
            $0.link.parameters?.latency
        }
        RecordField("supervision_timeout_ms", orNull: .number, "supervision timeout, if known") {
            $0.link.parameters?.supervisionTimeout.duration.inMillisecondsExactly
        }
        RecordField("mtu", .integer("bytes"), "ATT MTU") { $0.link.mtu }
        RecordField("encrypted", .boolean, "whether an event has said that it is encrypted") { $0.link.isEncrypted }
        RecordField("packets", .integer, "number of its packets") { $0.link.packets }
    }

    func text(_ style: TextStyle) -> String? {
        func seconds(_ time: Duration) -> Substring { PacketText.seconds(time).drop { $0 == " " } }
        var parts = ["  link \(link.begin.map { "from \(seconds($0)) s" } ?? "from before the capture")"]
        parts[0] += link.end.map { " to \(seconds($0)) s" } ?? " to its end"
        if let role = link.role { parts.append(role == .central ? "as central" : "as peripheral") }
        if let parameters = link.parameters {
            parts.append("interval \(parameters.interval), latency \(parameters.latency)")
            parts.append("timeout \(parameters.supervisionTimeout)")
        }
        parts.append("MTU \(link.mtu)")
        if link.isEncrypted { parts.append("encrypted") }
        parts.append("\(count: link.packets, "packet")")
        if let reason = link.reason { parts.append("ended: \(reason)") }
        return parts.joined(separator: ", ")
    }
}

/// An attribute in `trace --summary`: how often it was used.
struct CapturedAttributeResult: RecordedResult {
    let attribute: CaptureSummary.Attribute
    let timestamp: Timestamp

    static let record = RecordKind<Self>("captured-attribute", "an attribute that a capture has operations of") {
        AttributeReference.record.of { $0.attribute.reference }
        RecordField("server", .string, "owner: `device`, or `host`, which captured") {
            $0.attribute.isOfHost ? "host" : "device"
        }
        RecordField("reads", .integer, "how often it was read") { $0.attribute.reads }
        RecordField("writes", .integer, "how often it was written") { $0.attribute.writes }
        RecordField("notifications", .integer, "number of notifications") { $0.attribute.notifications }
        RecordField("indications", .integer, "number of indications") { $0.attribute.indications }
        RecordField("refused", .integer, "how many of these the server has refused") {
            $0.attribute.refusals.values.reduce(0, +)
        }
        RecordField("unanswered", .integer, "how many have no answer") { $0.attribute.unanswered }
        RecordField("value", orNull: .hex, "value of the last one; null with `--redact`") {
            $0.attribute.last?.presentation?.bytes
        }
        ValuePresentation.meaning.of { $0.attribute.last?.presentation }
    }

    func text(_ style: TextStyle) -> String? {
        let reference = attribute.reference
        var counts: [String] = []
        if attribute.reads > 0 { counts.append("\(count: attribute.reads, "read")") }
        if attribute.writes > 0 { counts.append("\(count: attribute.writes, "write")") }
        if attribute.notifications > 0 { counts.append("\(count: attribute.notifications, "notification")") }
        if attribute.indications > 0 { counts.append("\(count: attribute.indications, "indication")") }
        for (code, count) in attribute.refusals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            counts.append("\(count) refused: \(reference.name(of: code))")
        }
        if attribute.unanswered > 0 { counts.append("\(attribute.unanswered) without an answer") }
        let name = reference.attributeName.map { TerminalText.escaped($0) } ?? "unknown"
        let value = attribute.last?.presentation.map { "; last \($0.text)" } ?? ""
        return
            "    \(style.paint(reference.handle.description, .faint)) \(name): \(counts.joined(separator: ", "))\(value)"
    }
}
