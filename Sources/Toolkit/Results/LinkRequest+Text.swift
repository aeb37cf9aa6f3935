// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

extension LinkRequest.Setting {
    /// The setting as scripts read it.
    package var word: String {
        switch self {
        case .phy: "phy"
        case .dataLength: "data-length"
        case .parameters: "interval"
        case .subrate: "subrate"
        }
    }

    /// The setting in words, to follow "cannot change the".
    package var words: String {
        switch self {
        case .phy: "PHY"
        case .dataLength: "data length"
        case .parameters: "connection parameters"
        case .subrate: "subrate factor"
        }
    }
}

extension LinkRequest {
    /// The requested value of a setting, in words; `nil` if none was requested.
    package func words(of setting: Setting) -> String? {
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
        case .subrate:
            return subrate.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
        }
    }
}
