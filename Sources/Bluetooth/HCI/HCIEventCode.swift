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

/// The first parameter of an LE Meta event, which identifies the LE event. Unknown values are kept.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65
package struct LESubeventCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x01: a connection was made.
    package static let connectionComplete = Self(rawValue: 0x01)
    /// 0x02: advertisements were received.
    package static let advertisingReport = Self(rawValue: 0x02)
    /// 0x03: the connection parameters have changed.
    package static let connectionUpdateComplete = Self(rawValue: 0x03)
    /// 0x04: the peer has reported its LE features.
    package static let readRemoteFeaturesComplete = Self(rawValue: 0x04)
    /// 0x05: the controller requests a key.
    package static let longTermKeyRequest = Self(rawValue: 0x05)
    /// 0x06: the peer requests other connection parameters.
    package static let remoteConnectionParameterRequest = Self(rawValue: 0x06)
    /// 0x07: the packet limits of a connection have changed.
    package static let dataLengthChange = Self(rawValue: 0x07)
    /// 0x0A: a connection was made; the event contains the private addresses.
    package static let enhancedConnectionComplete = Self(rawValue: 0x0A)
    /// 0x0B: directed advertisements to a private address were received.
    package static let directedAdvertisingReport = Self(rawValue: 0x0B)
    /// 0x0C: the PHY of a connection has changed.
    package static let phyUpdateComplete = Self(rawValue: 0x0C)
    /// 0x0D: advertisements of either kind were received.
    package static let extendedAdvertisingReport = Self(rawValue: 0x0D)
    /// 0x11: the duration of a scan has passed.
    package static let scanTimeout = Self(rawValue: 0x11)
    /// 0x12: an advertising set has ended.
    package static let advertisingSetTerminated = Self(rawValue: 0x12)
    /// 0x13: a scanner has requested the scan response.
    package static let scanRequestReceived = Self(rawValue: 0x13)
    /// 0x14: the channel selection algorithm of a connection.
    package static let channelSelectionAlgorithm = Self(rawValue: 0x14)
}
