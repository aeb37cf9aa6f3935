// SPDX-License-Identifier: MIT

/// An event code. Unknown values are kept, so that an unknown event can be traced.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
package struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x05: a connection has ended.
    package static let disconnectionComplete = Self(rawValue: 0x05)
    /// 0x08: encryption was switched on or off.
    package static let encryptionChange = Self(rawValue: 0x08)
    /// 0x0C: the peer has reported its version.
    package static let readRemoteVersionInformationComplete = Self(rawValue: 0x0C)
    /// 0x0E: a command has completed.
    package static let commandComplete = Self(rawValue: 0x0E)
    /// 0x0F: a command was accepted or refused.
    package static let commandStatus = Self(rawValue: 0x0F)
    /// 0x10: the controller has failed.
    package static let hardwareError = Self(rawValue: 0x10)
    /// 0x13: data packets were sent.
    package static let numberOfCompletedPackets = Self(rawValue: 0x13)
    /// 0x30: the link's encryption key was renewed.
    package static let encryptionKeyRefreshComplete = Self(rawValue: 0x30)
    /// 0x3E: an LE event, identified by its subevent code.
    package static let leMeta = Self(rawValue: 0x3E)
}
