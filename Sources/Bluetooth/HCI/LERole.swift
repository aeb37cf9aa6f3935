// SPDX-License-Identifier: MIT

/// The role of a host in a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.1 (Role)
public enum LERole: UInt8, Hashable, Sendable {
    /// The host has made the connection.
    case central = 0x00
    /// The peer has made the connection.
    case peripheral = 0x01
}
