// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import BluetoothProfiles
package import Records
package import Terminal

/// The properties of a link, and their changes.
package struct LinkResult: RecordedResult {
    package let device: DeviceReference
    /// The ATT MTU in octets.
    package let mtu: UInt16
    package let bearers: BearerOutcome?
    /// The properties of the link from the controller and its events, and the reasons for unknown ones.
    package let reading: LinkReading
    /// The security level and the length of the key.
    package let security: LinkSecurity
    /// The change; `nil` if none was requested.
    package let change: LinkChange?
    /// When the link was looked at.
    package let timestamp: Timestamp

    package init(
        device: DeviceReference,
        mtu: UInt16,
        bearers: BearerOutcome?,
        reading: LinkReading,
        security: LinkSecurity,
        change: LinkChange?,
        timestamp: Timestamp
    ) {
        self.device = device
        self.mtu = mtu
        self.bearers = bearers
        self.reading = reading
        self.security = security
        self.change = change
        self.timestamp = timestamp
    }

    /// Has every property even if it is not known. `unknown` lists the reasons.
    ///
    /// Octets and microseconds of the data length are limits of the Link Layer for one packet in each
    /// direction.
    package static let record = RecordKind<Self>("link", "the properties of a link") {
        RecordField.device { $0.device }
        RecordField("role", orNull: .string, "role of this machine: `central` or `peripheral`") {
            $0.reading.state.role?.word
        }
        RecordField("mtu", .integer("bytes"), "ATT MTU") { $0.mtu }
        RecordField("bearers", .array(of: .integer("bytes")), "ATT MTU of each enhanced bearer") {
            $0.bearers?.enhanced ?? []
        }
        RecordField(
            "bearers_lack",
            orNull: .string,
            "why there are none: `not-offered`, `refused`, `unusable` or `not-encrypted`"
        ) { $0.bearers?.lack?.word }
        RecordField("phy_tx", orNull: .string, "PHY for sending: `1M`, `2M` or `coded`") {
            $0.reading.state.transmitPHY?.description
        }
        RecordField("phy_rx", orNull: .string, "PHY for receiving") { $0.reading.state.receivePHY?.description }
        RecordField(
            "data_length_tx_octets",
            orNull: .integer("bytes"),
            "largest payload of a sent packet"
        ) { $0.reading.state.transmitLength?.octets }
        RecordField("data_length_tx_us", orNull: .integer("us"), "longest time of such a packet") {
            $0.reading.state.transmitLength?.microseconds
        }
        RecordField(
            "data_length_rx_octets",
            orNull: .integer("bytes"),
            "largest payload of a received packet"
        ) { $0.reading.state.receiveLength?.octets }
        RecordField("data_length_rx_us", orNull: .integer("us"), "longest time of such a packet") {
            $0.reading.state.receiveLength?.microseconds
        }
        RecordField("interval_ms", orNull: .number, "connection interval") {
            $0.reading.state.interval?.duration.inMillisecondsExactly
        }
        RecordField(
            "latency",
            orNull: .integer,
            "connection events that the peripheral may skip"
        ) { $0.reading.state.latency }
        RecordField("supervision_timeout_ms", orNull: .number, "silence after which the link is lost") {
            $0.reading.state.supervisionTimeout?.duration.inMillisecondsExactly
        }
        RecordField("subrate_factor", orNull: .integer, "one of so many connection events is used") {
            $0.reading.state.subrateFactor
        }
        RecordField("continuation_number", orNull: .integer, "further events that are used after one with data") {
            $0.reading.state.continuationNumber
        }
        RecordField("channels", orNull: .array(of: .integer), "data channels in use, of 0 to 36") {
            $0.reading.channels?.channels
        }
        RecordField("peer_version", orNull: .string, "version of the device's controller, such as `5.4`") {
            $0.reading.state.peerVersion?.version.description
        }
        RecordField("peer_company", orNull: .integer, "company identifier of its maker") {
            $0.reading.state.peerVersion?.company
        }
        RecordField("peer_features", orNull: .array(of: .string), "features of its link layer, by name") {
            $0.reading.state.peerFeatures?.names
        }
        RecordField("rssi_dbm", orNull: .integer("dBm"), "strength of the device's signal") { $0.reading.rssi }
        RecordField("tx_power_dbm", orNull: .integer("dBm"), "power with which this machine sends") {
            $0.reading.transmitPower
        }
        RecordField("security", .string, "level: `low`, `medium`, `high` or `fips`") { $0.security.levelName }
        RecordField("encrypted", .boolean, "whether the link is encrypted") { $0.security.isEncrypted }
        RecordField("authenticated", .boolean, "whether its key protects against a man in the middle") {
            $0.security.isAuthenticated
        }
        RecordField("secure_connections", .boolean, "whether its key comes from Secure Connections") {
            $0.security.isSecureConnections
        }
        RecordField("key_size", .integer("bytes"), "length of its key; 0 if it is not encrypted") {
            $0.security.isEncrypted ? $0.security.keySize : 0
        }
        RecordField("unknown", .array(of: .object(Unknown.record)), "what is null because it is not known") {
            $0.unknown
        }
        RecordField("changes", .array(of: .object(Change.record)), "what was asked for, in the order of the procedures")
        {
            $0.changes
        }
    }

    private struct Unknown {
        let property: LinkReading.Property
        let reason: LinkReading.Unknown

        @FieldBuilder<Unknown>
        static var record: [RecordField<Unknown>] {
            RecordField(
                "property",
                .string,
                """
                `role`, `phy`, `data_length`, `interval_ms` (with latency and supervision timeout), `rssi_dbm`, \
                `tx_power_dbm`, `subrate_factor`, `channels`, `peer_version` (with its maker), `peer_features`
                """
            ) { $0.property.word }
            RecordField("reason", .string, "why it is not known, in words") { $0.reason.words }
        }
    }

    private var unknown: [Unknown] {
        LinkReading.Property.allCases.compactMap { property in
            reading.unknown[property].map { Unknown(property: property, reason: $0) }
        }
    }

    /// One change: the requested value, the present value of the link, and the controller's status if it refused.
    private struct Change {
        let result: LinkUpdate.Result
        let change: LinkChange

        @FieldBuilder<Change>
        static var record: [RecordField<Change>] {
            RecordField(
                "setting",
                .string,
                "`phy`, `data-length`, `interval` (with latency and supervision timeout) or `subrate`"
            ) {
                $0.result.setting.word
            }
            RecordField("asked", orNull: .string, "what was asked for, in words") {
                $0.change.request.words(of: $0.result.setting)
            }
            RecordField("reached", orNull: .string, "what the link has now, in words; null if not known") {
                $0.change.after.words(of: $0.result.setting)
            }
            RecordField(
                "outcome",
                .string,
                "`reached`, `different`, `refused` by the device, `rejected` by the controller, or `unanswered`"
            ) { $0.result.outcome.word }
            RecordField("status", orNull: .integer, "error code of the controller, if there was one") {
                $0.result.outcome.status?.rawValue
            }
            RecordField("status_name", orNull: .string, "its name") {
                $0.result.outcome.status.flatMap(\.name)
            }
        }
    }

    private var changes: [Change] {
        change.map { change in change.results.map { Change(result: $0, change: change) } } ?? []
    }

    /// A line for each property, and one for each change that was asked for.
    package func text(_ style: TextStyle) -> String? {
        let state = reading.state
        var rows: [(String, String, LinkReading.Property?)] = [
            ("role", state.role?.word ?? "", .role),
            ("MTU", "\(count: mtu, "octet")", nil),
            ("PHY", state.words(of: .phy) ?? "", .phy),
            ("data length", dataLength, .dataLength),
            ("connection interval", state.interval?.description ?? "", .parameters),
            ("peripheral latency", state.latency.map { "\(count: $0, "event")" } ?? "", .parameters),
            ("supervision timeout", state.supervisionTimeout?.description ?? "", .parameters),
            ("subrate factor", subrate, .subrate),
            ("channels", reading.channels?.description ?? "", .channels),
            ("device version", version, .peerVersion),
            ("device features", state.peerFeatures.map { $0.names.joined(separator: "\n") } ?? "", .peerFeatures),
            ("signal", reading.rssi.map { "\($0) dBm" } ?? "", .signal),
            ("transmit power", reading.transmitPower.map { "\($0) dBm" } ?? "", .power),
            ("security", securityText, nil),
        ]
        if let bearers, bearers.request.enhanced > 0 { rows.insert(("enhanced bearers", bearers.words, nil), at: 2) }
        for result in change?.results ?? [] {
            guard let change, let wanted = change.request.words(of: result.setting) else { continue }
            let present = change.after.words(of: result.setting) ?? "not known"
            let verb = result.outcome == .reached ? "reached" : "not reached, now"
            rows.append(("asked for \(result.setting.words)", "\(wanted): \(verb) \(present)", nil))
        }
        let width = rows.map(\.0.utf8.count).max() ?? 0
        let lines = rows.map { name, value, property in
            let reason = property.flatMap { reading.unknown[$0] }.map { "not known: \($0.words)" }
            let text = value.isEmpty ? reason ?? "not known" : value
            let indentation = "\n" + String(repeating: " ", count: width + 4)
            return TerminalText.padded(name, columns: width) + "  "
                + text.split(separator: "\n").joined(separator: indentation)
        }
        return ([style.paint(device.text, .bold)] + lines.map { "  \($0)" }).joined(separator: "\n")
    }

    private var subrate: String {
        guard let factor = reading.state.subrateFactor, let further = reading.state.continuationNumber else {
            return ""
        }
        return further == 0 ? "\(factor)" : "\(factor), and \(count: further, "event") more after data"
    }

    /// The version of the device's controller, with its maker.
    private var version: String {
        reading.state.peerVersion.map { version in
            let company = AssignedNumbers.companyName(version.company)
            return "\(version.version), \(company ?? "company 0x\(Hex.string(version.company, minimumDigits: 4))")"
        } ?? ""
    }

    /// The data length in words, once if both directions have the same.
    private var dataLength: String {
        guard let transmit = reading.state.transmitLength, let receive = reading.state.receiveLength else { return "" }
        if transmit == receive { return "\(transmit) in both directions" }
        return "\(transmit) sent; \(receive) received"
    }

    /// The level with the reasons for it. An unencrypted link has no key.
    private var securityText: String {
        guard security.isEncrypted else { return "low: not encrypted" }
        let words =
            ["encrypted"] + (security.isAuthenticated ? ["authenticated"] : [])
            + (security.isSecureConnections ? ["Secure Connections"] : [])
        return "\(security.levelName): \(words.joined(separator: ", ")), key of \(count: security.keySize, "octet")"
    }
}

/// The strength of a link's signal at one moment.
package struct SignalResult: RecordedResult {
    package let device: DeviceReference
    /// The strength in dBm; `nil` if the controller does not know it.
    package let rssi: Int8?
    /// The number of the measurement, from 1.
    package let sequence: Int
    /// When the controller answered.
    package let timestamp: Timestamp

    package init(device: DeviceReference, rssi: Int8?, sequence: Int, timestamp: Timestamp) {
        self.device = device
        self.rssi = rssi
        self.sequence = sequence
        self.timestamp = timestamp
    }

    package static let record = RecordKind<Self>("signal", "the strength of a link's signal") {
        RecordField.device { $0.device }
        RecordField(
            "rssi_dbm",
            orNull: .integer("dBm"),
            "strength; null if the controller does not know it"
        ) { $0.rssi }
        RecordField("sequence", .integer, "its number, from 1") { $0.sequence }
    }

    /// The strength with its unit. 127 on the wire means that it is not known.
    package func text(_ style: TextStyle) -> String? { rssi.map { "\($0) dBm" } ?? "not known" }
}

extension LERole {
    package var word: String {
        switch self {
        case .central: "central"
        case .peripheral: "peripheral"
        }
    }
}

extension LinkReading.Property {
    /// The property as scripts read it: the key, or the beginning of the keys, of the record.
    package var word: String {
        switch self {
        case .role: "role"
        case .phy: "phy"
        case .dataLength: "data_length"
        case .parameters: "interval_ms"
        case .signal: "rssi_dbm"
        case .power: "tx_power_dbm"
        case .subrate: "subrate_factor"
        case .channels: "channels"
        case .peerVersion: "peer_version"
        case .peerFeatures: "peer_features"
        }
    }
}

extension Duration {
    package var inMillisecondsExactly: Double { Double(clampedNanoseconds) / 1_000_000 }
}
