// SPDX-License-Identifier: MIT

package import Bluetooth

/// The current or the supported settings of an adapter, with one bit for each. Unknown bits are kept.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Controller Information Command
package struct ManagementSettings: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let powered = Self(rawValue: 1 << 0)
    /// The adapter accepts connections.
    package static let connectable = Self(rawValue: 1 << 1)
    /// The kernel keeps the keys of paired devices.
    package static let bondable = Self(rawValue: 1 << 4)
    /// Basic Rate pairs with Secure Simple Pairing.
    package static let secureSimplePairing = Self(rawValue: 1 << 6)
    /// Basic Rate and Enhanced Data Rate are on.
    package static let basicRate = Self(rawValue: 1 << 7)
    package static let lowEnergy = Self(rawValue: 1 << 9)
    package static let advertising = Self(rawValue: 1 << 10)
    package static let secureConnections = Self(rawValue: 1 << 11)
    /// The adapter uses private addresses that change.
    package static let privacy = Self(rawValue: 1 << 13)

    /// The names of the bits, by bit number.
    private static let allNames = [
        "powered", "connectable", "fast-connectable", "discoverable", "bondable", "link-security", "ssp", "br/edr",
        "hs",
        "le", "advertising", "secure-conn", "debug-keys", "privacy", "configuration", "static-addr",
        "phy-configuration",
        "wide-band-speech", "cis-central", "cis-peripheral", "iso-broadcaster", "sync-receiver", "ll-privacy",
        "past-sender", "past-receiver",
    ]

    /// The names of the bits that are set, as `btmgmt` prints them, lowest bit first; `bit 31` for a bit without a
    /// name.
    package var names: [String] {
        (0..<32).filter { rawValue >> UInt32($0) & 1 == 1 }.map { bit in
            bit < Self.allNames.count ? Self.allNames[bit] : "bit \(bit)"
        }
    }
}

extension ManagementSettings: CustomStringConvertible {
    /// The names, separated by spaces; `none` if no bit is set.
    package var description: String { isEmpty ? "none" : names.joined(separator: " ") }
}

extension ManagementSettings: ManagementReturnParameters {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.uint32("settings"))
    }

    package func encode(into writer: inout ByteWriter) { writer.uint32(rawValue) }

    package var details: String { description }
}
