// SPDX-License-Identifier: MIT

/// A version of the Core specification, as controllers report it. Unknown values are kept.
///
/// Spec: Assigned Numbers, 2.1
public struct BluetoothVersion: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Takes the octet as it is.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    private static let names = [
        "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0", "6.1",
        "6.2",
    ]

    /// Core 5.4.
    public static let core5_4 = Self(rawValue: 0x0D)

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// `5.4`; `unknown (0x42)` for a version that is not known here.
    public var description: String {
        let index = Int(rawValue)
        return index < Self.names.count ? Self.names[index] : "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))"
    }
}
