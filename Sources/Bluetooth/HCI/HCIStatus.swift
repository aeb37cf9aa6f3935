// SPDX-License-Identifier: GPL-2.0-or-later

/// A controller error code, as Status and Reason parameters carry it. Unknown values survive.
///
/// Spec: Core 5.4, Vol 1, Part F, 1.3
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Takes the octet as it is.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x00: success.
    public static let success = Self(rawValue: 0x00)
    /// 0x0C: command disallowed.
    public static let commandDisallowed = Self(rawValue: 0x0C)
    /// 0x3E: connection failed to be established / synchronization timeout.
    public static let connectionFailedToBeEstablished = Self(rawValue: 0x3E)
}
