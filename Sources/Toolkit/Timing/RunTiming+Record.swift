// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
package import BluetoothProfiles
package import Records
import Terminal

extension RunTiming {
    /// Returns the member that a record has now.
    package var counting: @Sendable () -> JSONValue { { self.snapshot.tree } }

    /// One or two lines for people.
    package var text: String {
        let now = snapshot
        let link = now.link.isConnected ? ["link: \(now.link.text)"] : []
        return (["timing: \(now.phases)"] + link).joined(separator: "\n")
    }
}

extension RunTiming.Snapshot {
    /// The member's value.
    package var tree: JSONValue { Self.field.tree(self) }

    /// Whether there is nothing to report: no scan, no connection and no request.
    package var isEmpty: Bool { scan == nil && connect == nil && discovery.count == 0 && requests.count == 0 }

    /// The member that the records of a command that scans or connects have with `--timing`.
    package static let field = RecordField<Self>(
        RecordSchema.timingName,
        .object(record),
        "times of the command, of the step or of the line, until this record"
    ) { $0 }

    @FieldBuilder<RunTiming.Snapshot>
    private static var record: [RecordField<RunTiming.Snapshot>] {
        RecordField("scan_ms", orNull: .number, "scan, for the device or for all; null if none was needed") {
            $0.scan?.inMilliseconds
        }
        RecordField(
            "connect_ms",
            orNull: .number,
            "connection until it could be used, with its security and the wished properties; null if there was none"
        ) { $0.connect?.inMilliseconds }
        RecordField("connect_attempts", .integer, "attempts to connect") { $0.attempts }
        RecordField(
            "discovery_ms",
            .number,
            "requests that find attributes, with the exchange of the MTU, each until its answer"
        ) { $0.discovery.duration.inMilliseconds }
        RecordField("discovery_requests", .integer, "their number") { $0.discovery.count }
        RecordField("request_ms", .number, "all other requests, each until its answer") {
            $0.requests.duration.inMilliseconds
        }
        RecordField("requests", .integer, "their number") { $0.requests.count }
        RecordField(
            "link",
            .object(TimedLinks.Properties.record),
            "what the link that was used last has, or had at its end"
        ) { $0.link }
    }

    fileprivate var phases: String {
        var parts: [String] = []
        if let scan { parts.append("scan \(scan.inWords)") }
        if let connect {
            parts.append("connect \(connect.inWords)" + (attempts > 1 ? " in \(count: attempts, "attempt")" : ""))
        }
        if discovery.count > 0 {
            parts.append("discovery \(discovery.duration.inWords) in \(count: discovery.count, "request")")
        }
        if requests.count > 0 {
            parts.append("\(count: requests.count, "request") in \(requests.duration.inWords)")
        }
        return parts.isEmpty ? "nothing was sent" : parts.joined(separator: ", ")
    }
}

extension RecordSchema {
    /// The member that the records of a command that scans or connects have with `--timing`.
    package static let timing = RunTiming.Snapshot.field.key

    package func form(hasTiming: Bool) -> RecordSchema {
        hasTiming ? RecordSchema(type, summary, keys: keys + [Self.timing]) : self
    }
}

extension TimedLinks.Properties {
    /// The properties that a timing reports, or the reason why one is not known.
    private static let reported: [LinkReading.Property] = [.phy, .dataLength, .parameters]

    @FieldBuilder<TimedLinks.Properties>
    fileprivate static var record: [RecordField<TimedLinks.Properties>] {
        RecordField("mtu", orNull: .integer, "ATT MTU in octets") { $0.mtu }
        RecordField("phy_tx", orNull: .string, "PHY for sending: `1M`, `2M` or `coded`") {
            $0.state.transmitPHY?.description
        }
        RecordField("phy_rx", orNull: .string, "PHY for receiving") { $0.state.receivePHY?.description }
        RecordField("interval_ms", orNull: .number, "connection interval") {
            $0.state.interval?.duration.inMilliseconds
        }
        RecordField("latency", orNull: .integer, "connection events that the peripheral may skip") {
            $0.state.latency
        }
        RecordField("supervision_timeout_ms", orNull: .number, "silence after which the link is lost") {
            $0.state.supervisionTimeout?.duration.inMilliseconds
        }
        RecordField("data_length_tx_octets", orNull: .integer, "largest payload of a sent packet") {
            $0.state.transmitLength?.octets
        }
        RecordField("data_length_rx_octets", orNull: .integer, "largest payload of a received packet") {
            $0.state.receiveLength?.octets
        }
        RecordField("security", orNull: .security, "its security; null if there is no link, or none for attributes") {
            $0.security
        }
        RecordField("unknown", .array(of: .object(Unknown.record)), "what else is null, and why") { $0.reasons }
    }

    private struct Unknown {
        let property: String
        let reason: String

        @FieldBuilder<Unknown>
        static var record: [RecordField<Unknown>] {
            RecordField("property", .string, "`mtu`, `phy`, `data_length` or `interval_ms` (with the keys after it)") {
                $0.property
            }
            RecordField("reason", .string, "why it is not known, in words") { $0.reason }
        }
    }

    private var reasons: [Unknown] {
        let none = "there is no link"
        var reasons: [Unknown] = []
        if mtu == nil {
            reasons.append(Unknown(property: "mtu", reason: isConnected ? "the link carries no attributes" : none))
        }
        for property in Self.reported where !isKnown(property) {
            let unread = isConnected ? LinkReading.Unknown.notHeard.words : none
            reasons.append(Unknown(property: property.word, reason: unknown[property]?.words ?? unread))
        }
        return reasons
    }

    private func isKnown(_ property: LinkReading.Property) -> Bool {
        switch property {
        case .phy: state.transmitPHY != nil && state.receivePHY != nil
        case .dataLength: state.transmitLength != nil && state.receiveLength != nil
        case .parameters: state.interval != nil && state.latency != nil && state.supervisionTimeout != nil
        case .role, .signal, .power, .subrate, .channels, .peerVersion, .peerFeatures: true
        }
    }

    fileprivate var text: String {
        var parts: [String] = []
        if let mtu { parts.append("MTU \(mtu)") }
        if let phy = state.words(of: .phy) { parts.append("PHY \(phy)") }
        if let interval = state.interval { parts.append("interval \(interval)") }
        if let transmit = state.transmitLength?.octets, let receive = state.receiveLength?.octets {
            parts.append("data length \(transmit == receive ? "\(transmit)" : "\(transmit) sent, \(receive) received")")
        }
        if let security, security.isEncrypted { parts.append(security.text) }
        let missing = reasons.filter { $0.property != "mtu" }
        // Sorted, because the order of a set differs from run to run.
        for reason in Set(missing.map(\.reason)).sorted() {
            let names = missing.filter { $0.reason == reason }.map { missing in
                missing.property.replacing("interval_ms", with: "interval").replacing("_", with: " ")
            }
            parts.append("\(Prose.list(names, "and")) not known: \(reason)")
        }
        return parts.joined(separator: ", ")
    }
}

extension Duration {
    package var inMilliseconds: Double { Double(clampedNanoseconds / 1_000) / 1_000 }

    /// `12.3 ms`
    fileprivate var inWords: String {
        let tenths = clampedNanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
