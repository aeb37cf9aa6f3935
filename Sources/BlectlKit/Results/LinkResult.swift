// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The properties of a link, and their changes.
struct LinkResult: RecordedResult {
    /// The device at the other end.
    let device: DeviceReference
    /// The ATT MTU in octets.
    let mtu: UInt16
    /// The properties of the link from the controller and its events, and the reasons for unknown ones.
    let reading: LinkReading
    /// The security level and the length of the key.
    let security: LinkSecurity
    /// The change; `nil` if none was requested.
    let change: LinkChange?
    /// When the link was looked at.
    let timestamp: Timestamp

    /// Has every property even if it is not known. `unknown` lists the reasons.
    ///
    /// Octets and microseconds of the data length are limits of the Link Layer for one packet in each
    /// direction.
    var record: Record {
        let state = reading.state
        var members: [String: JSONValue] = [
            "device": device.json,
            "role": .optional(state.role?.word),
            "mtu": .integer(Int64(mtu)),
            "phy_tx": .optional(state.transmitPHY?.description),
            "phy_rx": .optional(state.receivePHY?.description),
            "interval_ms": .milliseconds(state.interval?.duration),
            "latency": .optional(state.latency),
            "supervision_timeout_ms": .milliseconds(state.supervisionTimeout?.duration),
            "rssi_dbm": .optional(reading.rssi),
            "tx_power_dbm": .optional(reading.transmitPower),
            "security": .string(security.levelName),
            "encrypted": .bool(security.isEncrypted),
            "authenticated": .bool(security.isAuthenticated),
            "secure_connections": .bool(security.isSecureConnections),
            "key_size": .integer(Int64(security.isEncrypted ? security.keySize : 0)),
        ]
        let (transmit, receive) = (state.transmitLength, state.receiveLength)
        members["data_length_tx_octets"] = .optional(transmit?.octets)
        members["data_length_tx_us"] = .optional(transmit?.microseconds)
        members["data_length_rx_octets"] = .optional(receive?.octets)
        members["data_length_rx_us"] = .optional(receive?.microseconds)
        members["unknown"] = .array(
            LinkReading.Property.allCases.compactMap { property in
                reading.unknown[property].map {
                    .object(["property": .string(property.word), "reason": .string($0.words)])
                }
            }
        )
        members["changes"] = .array(change.map { change in change.results.map { Self.json($0, of: change) } } ?? [])
        return Record("link", at: timestamp, members)
    }

    /// One change: the requested value, the present value of the link, and the controller's status if it refused.
    private static func json(_ result: LinkUpdate.Result, of change: LinkChange) -> JSONValue {
        .object([
            "setting": .string(result.setting.word),
            "asked": .optional(change.request.words(of: result.setting)),
            "reached": .optional(change.after.words(of: result.setting)),
            "outcome": .string(result.outcome.word),
            "status": .optional(result.outcome.status?.rawValue),
            "status_name": .optional(result.outcome.status.flatMap(\.name)),
        ])
    }

    /// A line for each property, and one for each change that was asked for.
    func text(_ style: TextStyle) -> String? {
        let state = reading.state
        var rows: [(String, String, LinkReading.Property?)] = [
            ("role", state.role?.word ?? "", .role),
            ("MTU", "\(count: mtu, "octet")", nil),
            ("PHY", state.words(of: .phy) ?? "", .phy),
            ("data length", dataLength, .dataLength),
            ("connection interval", state.interval?.description ?? "", .parameters),
            ("peripheral latency", state.latency.map { "\(count: $0, "event")" } ?? "", .parameters),
            ("supervision timeout", state.supervisionTimeout?.description ?? "", .parameters),
            ("signal", reading.rssi.map { "\($0) dBm" } ?? "", .signal),
            ("transmit power", reading.transmitPower.map { "\($0) dBm" } ?? "", .power),
            ("security", securityText, nil),
        ]
        for result in change?.results ?? [] {
            guard let change, let wanted = change.request.words(of: result.setting) else { continue }
            let present = change.after.words(of: result.setting) ?? "not known"
            let verb = result.outcome == .reached ? "reached" : "not reached, now"
            rows.append(("asked for \(result.setting.words)", "\(wanted): \(verb) \(present)", nil))
        }
        let width = rows.map(\.0.utf8.count).max() ?? 0
        let lines = rows.map { name, value, property in
            let reason = property.flatMap { reading.unknown[$0] }.map { "not known: \($0.words)" }
            return TerminalText.padded(name, columns: width) + "  " + (value.isEmpty ? reason ?? "not known" : value)
        }
        return ([style.paint(device.text, .bold)] + lines.map { "  \($0)" }).joined(separator: "\n")
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
struct SignalResult: RecordedResult {
    /// The device whose signal was measured.
    let device: DeviceReference
    /// The strength in dBm; `nil` if the controller does not know it.
    let rssi: Int8?
    /// The number of the measurement, from 1.
    let sequence: Int
    /// When the controller answered.
    let timestamp: Timestamp

    var record: Record {
        Record(
            "signal",
            at: timestamp,
            ["device": device.json, "rssi_dbm": .optional(rssi), "sequence": .integer(Int64(sequence))]
        )
    }

    /// The strength with its unit. 127 on the wire means that it is not known.
    func text(_ style: TextStyle) -> String? { rssi.map { "\($0) dBm" } ?? "not known" }
}

extension LERole {
    /// The role in words.
    var word: String {
        switch self {
        case .central: "central"
        case .peripheral: "peripheral"
        }
    }
}

extension LinkReading.Property {
    /// The property as scripts read it: the key, or the beginning of the keys, of the record.
    var word: String {
        switch self {
        case .role: "role"
        case .phy: "phy"
        case .dataLength: "data_length"
        case .parameters: "interval_ms"
        case .signal: "rssi_dbm"
        case .power: "tx_power_dbm"
        }
    }
}

extension JSONValue {
    /// A duration in milliseconds, or `null`.
    fileprivate static func milliseconds(_ duration: Duration?) -> JSONValue {
        duration.map { .number(Double($0.clampedNanoseconds) / 1_000_000) } ?? .null
    }
}
