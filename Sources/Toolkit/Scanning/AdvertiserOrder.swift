// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import CommandLineInterface

package enum ScanOrder: String, OptionChoice {
    case seen
    case rssi
    case name
    case address

    package var summary: String {
        switch self {
        case .seen: "first heard first"
        case .rssi: "strongest first"
        case .name: "by name"
        case .address: "by address"
        }
    }
}

extension [AdvertiserInfo] {
    /// The devices in an order. Devices that are equal in it are ordered by their first reports.
    package func sorted(by order: ScanOrder) -> [AdvertiserInfo] {
        sorted { left, right in
            switch order {
            case .seen: break
            case .rssi:
                let (first, second) = (left.rssi ?? .min, right.rssi ?? .min)
                if first != second { return first > second }
            case .name:
                // Devices without a name come last.
                let (first, second) = (left.name?.text ?? "\u{10FFFF}", right.name?.text ?? "\u{10FFFF}")
                if first != second { return first < second }
            case .address: break
            }
            if order != .address, left.firstSeen != right.firstSeen { return left.firstSeen < right.firstSeen }
            return (left.address.address, left.address.type.rawValue) < (
                right.address.address, right.address.type.rawValue
            )
        }
    }
}
