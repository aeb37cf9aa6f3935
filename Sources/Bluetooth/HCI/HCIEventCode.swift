// SPDX-License-Identifier: GPL-2.0-or-later

/// An event code. Unknown values survive.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
public struct HCIEventCode: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Takes the octet as it is.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x05: a connection ended.
    public static let disconnectionComplete = Self(rawValue: 0x05)
    /// 0x08: encryption was switched on or off.
    public static let encryptionChange = Self(rawValue: 0x08)
    /// 0x0C: the peer told its version.
    public static let readRemoteVersionInformationComplete = Self(rawValue: 0x0C)
    /// 0x0E: a command is done.
    public static let commandComplete = Self(rawValue: 0x0E)
    /// 0x0F: a command was accepted or refused.
    public static let commandStatus = Self(rawValue: 0x0F)
    /// 0x10: the controller failed.
    public static let hardwareError = Self(rawValue: 0x10)
    /// 0x13: data packets were sent.
    public static let numberOfCompletedPackets = Self(rawValue: 0x13)
    /// 0x30: the link's encryption key was renewed.
    public static let encryptionKeyRefreshComplete = Self(rawValue: 0x30)
    /// 0x3E: an LE event; its subevent code tells which.
    public static let leMeta = Self(rawValue: 0x3E)
}

/// The first parameter of an LE Meta event: which LE event it is. Unknown values survive.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65
public struct LESubeventCode: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Takes the octet as it is.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x01: a connection was made.
    public static let connectionComplete = Self(rawValue: 0x01)
    /// 0x02: advertisements were received.
    public static let advertisingReport = Self(rawValue: 0x02)
    /// 0x03: the connection parameters changed.
    public static let connectionUpdateComplete = Self(rawValue: 0x03)
    /// 0x04: the peer told its LE features.
    public static let readRemoteFeaturesComplete = Self(rawValue: 0x04)
    /// 0x05: the controller asks for a key.
    public static let longTermKeyRequest = Self(rawValue: 0x05)
    /// 0x06: the peer asks for other connection parameters.
    public static let remoteConnectionParameterRequest = Self(rawValue: 0x06)
    /// 0x07: the largest packet of a connection changed.
    public static let dataLengthChange = Self(rawValue: 0x07)
    /// 0x0A: a connection was made; with the private addresses.
    public static let enhancedConnectionComplete = Self(rawValue: 0x0A)
    /// 0x0B: directed advertisements to a private address were received.
    public static let directedAdvertisingReport = Self(rawValue: 0x0B)
    /// 0x0C: the PHY of a connection changed.
    public static let phyUpdateComplete = Self(rawValue: 0x0C)
    /// 0x0D: advertisements of either kind were received.
    public static let extendedAdvertisingReport = Self(rawValue: 0x0D)
    /// 0x11: a scan's time is up.
    public static let scanTimeout = Self(rawValue: 0x11)
    /// 0x12: an advertising set ended.
    public static let advertisingSetTerminated = Self(rawValue: 0x12)
    /// 0x13: somebody asked for the scan response.
    public static let scanRequestReceived = Self(rawValue: 0x13)
    /// 0x14: how a connection hops.
    public static let channelSelectionAlgorithm = Self(rawValue: 0x14)
}
