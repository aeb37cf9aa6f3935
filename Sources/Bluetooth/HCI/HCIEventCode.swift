// SPDX-License-Identifier: MIT

/// An event code. Unknown values are kept, so that an unknown event can be traced.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
package struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let disconnectionComplete = Self(rawValue: 0x05)
    package static let encryptionChange = Self(rawValue: 0x08)
    package static let readRemoteVersionInformationComplete = Self(rawValue: 0x0C)
    package static let commandComplete = Self(rawValue: 0x0E)
    package static let commandStatus = Self(rawValue: 0x0F)
    package static let hardwareError = Self(rawValue: 0x10)
    package static let numberOfCompletedPackets = Self(rawValue: 0x13)
    package static let encryptionKeyRefreshComplete = Self(rawValue: 0x30)
    /// 0x3E: an LE event, identified by its subevent code.
    package static let leMeta = Self(rawValue: 0x3E)
}
