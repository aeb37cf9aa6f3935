// SPDX-License-Identifier: GPL-2.0-or-later

/// What an adapter is set to, or can be set to: one bit each. Unknown bits survive.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Controller Information Command
public struct ManagementSettings: OptionSet, Hashable, Sendable {
    /// The bits on the wire.
    public let rawValue: UInt32

    /// Takes the bits as they are.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The controller is on.
    public static let powered = Self(rawValue: 1 << 0)
    /// The adapter takes connections.
    public static let connectable = Self(rawValue: 1 << 1)
    /// The kernel keeps keys of those that pair.
    public static let bondable = Self(rawValue: 1 << 4)
    /// Basic Rate and Enhanced Data Rate are on.
    public static let basicRate = Self(rawValue: 1 << 7)
    /// Low Energy is on.
    public static let lowEnergy = Self(rawValue: 1 << 9)
    /// The adapter advertises for the kernel.
    public static let advertising = Self(rawValue: 1 << 10)

    /// The name of each bit, at its own index.
    private static let allNames = [
        "powered", "connectable", "fast-connectable", "discoverable", "bondable", "link-security", "ssp", "br/edr",
        "hs",
        "le", "advertising", "secure-conn", "debug-keys", "privacy", "configuration", "static-addr",
        "phy-configuration",
        "wide-band-speech", "cis-central", "cis-peripheral",
    ]

    /// The names of the bits that are set, as `btmgmt` has them, lowest first; `bit 31` for one without a name.
    public var names: [String] {
        (0..<32).filter { rawValue >> UInt32($0) & 1 == 1 }.map { bit in
            bit < Self.allNames.count ? Self.allNames[bit] : "bit \(bit)"
        }
    }
}

extension ManagementSettings: CustomStringConvertible {
    /// The names, with blanks between them; `none` where there are none.
    public var description: String { isEmpty ? "none" : names.joined(separator: " ") }
}

extension ManagementSettings: ManagementReturnParameters {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.uint32("settings"))
    }

    public func encode(into writer: inout ByteWriter) { writer.uint32(rawValue) }

    public var details: String { description }
}
