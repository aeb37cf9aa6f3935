// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension LinkRequest.Setting {
    /// The setting as scripts read it.
    var word: String {
        switch self {
        case .phy: "phy"
        case .dataLength: "data-length"
        case .parameters: "interval"
        }
    }

    /// The setting in words, to follow "cannot change the".
    var words: String {
        switch self {
        case .phy: "PHY"
        case .dataLength: "data length"
        case .parameters: "connection parameters"
        }
    }
}

extension LinkRequest {
    /// The requested value of a setting, in words; `nil` if none was requested.
    func words(of setting: Setting) -> String? {
        switch setting {
        case .phy:
            return phy.map { phy in
                switch phy.coding {
                case .any: phy.phy.description
                case .s2: "\(phy.phy) S=2"
                case .s8: "\(phy.phy) S=8"
                }
            }
        case .dataLength: return dataLength.map { "\(count: $0, "octet")" }
        case .parameters:
            var parts: [String] = []
            if let interval {
                parts.append(
                    interval.lowerBound == interval.upperBound
                        ? "interval \(interval.lowerBound)"
                        : "interval \(interval.lowerBound) to \(interval.upperBound)"
                )
            }
            if let latency { parts.append("latency \(latency)") }
            if let supervisionTimeout { parts.append("supervision timeout \(supervisionTimeout)") }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
    }
}

extension LinkState {
    /// The present value of a setting, in words; `nil` if it is not known.
    func words(of setting: LinkRequest.Setting) -> String? {
        switch setting {
        case .phy:
            guard let transmitPHY, let receivePHY else { return nil }
            return transmitPHY == receivePHY ? "\(transmitPHY)" : "\(transmitPHY) sent, \(receivePHY) received"
        case .dataLength: return transmitLength.map { "\(count: $0.octets, "octet")" }
        case .parameters:
            guard let interval, let latency, let supervisionTimeout else { return nil }
            return "interval \(interval), latency \(latency), supervision timeout \(supervisionTimeout)"
        }
    }
}

extension LinkUpdate.Outcome {
    /// The outcome as scripts read it.
    var word: String {
        switch self {
        case .reached: "reached"
        case .different: "different"
        case .refused: "refused"
        case .rejected: "rejected"
        case .unanswered: "unanswered"
        case .ended: "link-ended"
        case .impossible: "impossible"
        }
    }

    /// The status of the controller; `nil` if it has none.
    var status: HCIStatus? {
        switch self {
        case .refused(let status), .rejected(let status), .ended(let status): status
        case .reached, .different, .unanswered, .impossible: nil
        }
    }
}

extension LinkChange {
    /// The results, one line for each setting: `interval 15 ms, as asked for`.
    var lines: [String] {
        results.map { result in
            let wanted = request.words(of: result.setting) ?? ""
            let present = after.words(of: result.setting) ?? "not known"
            return
                "\(result.setting.words): asked for \(wanted); \(result.outcome == .reached ? "reached" : "now") \(present)"
        }
    }
}

extension LinkReading.Unknown {
    /// The reason in words.
    var words: String {
        switch self {
        case .notHeard: "the link was there before blectl listened to the controller"
        case .notMeasured: "the controller does not know it"
        case .failed(let error): error.reason
        }
    }
}

extension LinkSecurity {
    /// The level as `--security` names it.
    var levelName: String {
        guard isEncrypted else { return "low" }
        guard isAuthenticated else { return "medium" }
        return isSecureConnections && keySize == 16 ? "fips" : "high"
    }
}
