// SPDX-License-Identifier: MIT

/// The security that a program asks of a link, in the words of the kernel's socket option.
///
/// Spec: BlueZ, doc/l2cap.rst, BT_SECURITY; Core 5.4, Vol 3, Part C, 10.2.1 (LE security mode 1)
public enum SecurityLevel: UInt8, Hashable, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// No encryption (level 1).
    case low = 1
    /// Encryption, with any key (level 2).
    case medium = 2
    /// Encryption with a key that is protected against a man in the middle (level 3).
    case high = 3
    /// As `high`, with a key of 16 octets from Secure Connections (level 4).
    case fips = 4

    /// `low`, `medium`, `high` or `fips`.
    public var description: String {
        switch self {
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        case .fips: "fips"
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
