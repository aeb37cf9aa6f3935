// SPDX-License-Identifier: MIT

/// The primary advertising channels to use, with one bit for each.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.5 (Advertising_Channel_Map)
package struct LEAdvertisingChannels: OptionSet, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Channels 37, 38 and 39.
    package static let all = Self(rawValue: 0x07)

    /// `37+38+39`
    package var description: String {
        (0..<3).filter { rawValue >> $0 & 1 == 1 }.map { "\(37 + $0)" }.joined(separator: "+")
    }
}

/// The devices whose scan and connection requests an advertiser answers.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.5 (Advertising_Filter_Policy)
package enum LEAdvertisingFilterPolicy: UInt8, Hashable, Sendable {
    case all = 0x00
    /// Scan requests of devices in the filter accept list, connection requests of all devices.
    case scanAcceptList = 0x01
    /// Scan requests of all devices, connection requests of devices in the filter accept list.
    case connectAcceptList = 0x02
    /// Only those of devices in the filter accept list.
    case acceptList = 0x03
}

/// An advertising set of the controller: 0x00…0xEF.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.53 (Advertising_Handle)
package struct LEAdvertisingHandle: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `0x01`
    package var description: String { "0x" + Hex.string(rawValue, minimumDigits: 2) }
}

extension LEAdvertisingHandle: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        rawValue = try fields(\.rawValue, "Advertising_Handle")
    }
}
