// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension RunTiming {
    static let key = "timing"

    /// A record with the timing of this moment, as one more member of its object.
    ///
    /// - Parameter record: A line of JSON with sorted keys, with or without a line feed at its end.
    func added(to record: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.value(snapshot.json)
        return RecordMember.inserting(json.bytes, as: Self.key, into: record)
    }

    /// One or two lines for people.
    var text: String {
        let now = snapshot
        let link = now.link.isConnected ? ["link: \(now.link.text)"] : []
        return (["timing: \(now.phases)"] + link).joined(separator: "\n")
    }
}

extension RunTiming.Snapshot {
    /// Whether there is nothing to report: no scan, no connection and no request.
    var isEmpty: Bool { scan == nil && connect == nil && discovery.count == 0 && requests.count == 0 }

    /// The member of records.
    var json: JSONValue {
        .object([
            "scan_ms": scan.map { .number($0.inMilliseconds) } ?? .null,
            "connect_ms": connect.map { .number($0.inMilliseconds) } ?? .null,
            "connect_attempts": .integer(Int64(attempts)),
            "discovery_ms": .number(discovery.duration.inMilliseconds),
            "discovery_requests": .integer(Int64(discovery.count)),
            "request_ms": .number(requests.duration.inMilliseconds),
            "requests": .integer(Int64(requests.count)),
            "link": link.json,
        ])
    }

    /// The phases in words.
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

extension TimedLinks.Properties {
    /// The properties that a timing reports, or the reason why one is not known.
    private static let reported: [LinkReading.Property] = [.phy, .dataLength, .parameters]

    /// The member of the timing.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "mtu": .optional(mtu),
            "phy_tx": .optional(state.transmitPHY?.description),
            "phy_rx": .optional(state.receivePHY?.description),
            "interval_ms": state.interval.map { .number($0.duration.inMilliseconds) } ?? .null,
            "latency": .optional(state.latency),
            "supervision_timeout_ms": state.supervisionTimeout.map { .number($0.duration.inMilliseconds) } ?? .null,
            "data_length_tx_octets": .optional(state.transmitLength?.octets),
            "data_length_rx_octets": .optional(state.receiveLength?.octets),
            "security": security?.json ?? .null,
        ]
        members["unknown"] = .array(
            reasons.map { .object(["property": .string($0.property), "reason": .string($0.reason)]) }
        )
        return .object(members)
    }

    /// The unknown properties, with the reasons.
    private var reasons: [(property: String, reason: String)] {
        let none = "there is no link"
        var reasons: [(String, String)] = []
        if mtu == nil { reasons.append(("mtu", isConnected ? "the link carries no attributes" : none)) }
        for property in Self.reported where !isKnown(property) {
            let unread = isConnected ? LinkReading.Unknown.notHeard.words : none
            reasons.append((property.word, unknown[property]?.words ?? unread))
        }
        return reasons
    }

    private func isKnown(_ property: LinkReading.Property) -> Bool {
        switch property {
        case .phy: state.transmitPHY != nil && state.receivePHY != nil
        case .dataLength: state.transmitLength != nil && state.receiveLength != nil
        case .parameters: state.interval != nil && state.latency != nil && state.supervisionTimeout != nil
        case .role, .signal, .power: true
        }
    }

    // MARK: - Text

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
    /// Milliseconds with microseconds.
    fileprivate var inMilliseconds: Double { Double(clampedNanoseconds / 1_000) / 1_000 }

    /// `12.3 ms`
    fileprivate var inWords: String {
        let tenths = clampedNanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}

/// Puts a member into an object that is JSON already.
enum RecordMember {
    /// The record with the member at the sorted place of its key.
    ///
    /// - Parameters:
    ///   - value: The JSON of the member.
    ///   - key: Its key, which needs no escaping.
    ///   - record: An object with sorted keys.
    static func inserting(_ value: [UInt8], as key: String, into record: [UInt8]) -> [UInt8] {
        let name = Array(key.utf8)
        let member = Array("\"\(key)\":".utf8) + value
        var depth = 0
        var position = 0
        while position < record.count {
            switch record[position] {
            case UInt8(ascii: "\""):
                // Braces and brackets in a string are text, so the whole string is skipped.
                let start = position + 1
                position = end(ofString: start, in: record)
                let isKey = depth == 1 && position + 1 < record.count && record[position + 1] == UInt8(ascii: ":")
                if isKey, name.lexicographicallyPrecedes(record[start..<position]) {
                    return record[..<(start - 1)] + member + [UInt8(ascii: ",")] + record[(start - 1)...]
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                guard depth == 0 else { break }
                let isEmpty = position > 0 && record[position - 1] == UInt8(ascii: "{")
                return record[..<position] + (isEmpty ? [] : [UInt8(ascii: ",")]) + member + record[position...]
            default: break
            }
            position += 1
        }
        return record
    }

    /// The position of the quotation mark at the end of a string.
    private static func end(ofString start: Int, in record: [UInt8]) -> Int {
        var position = start
        while position < record.count, record[position] != UInt8(ascii: "\"") {
            position += record[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        // A backslash at the very end leads one octet too far.
        return min(position, record.count)
    }
}
