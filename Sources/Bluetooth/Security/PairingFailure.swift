// SPDX-License-Identifier: MIT

/// The reason why a device ended a pairing. Unknown values are kept.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.5.5
public struct PairingFailure: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x01: the user did not enter the passkey.
    public static let passkeyEntryFailed = Self(rawValue: 0x01)
    /// 0x02: the out-of-band data is missing.
    public static let outOfBandNotAvailable = Self(rawValue: 0x02)
    /// 0x03: the two devices cannot meet the demands on the pairing.
    public static let authenticationRequirements = Self(rawValue: 0x03)
    /// 0x04: the confirm value is wrong, usually because the passkey was.
    public static let confirmValueFailed = Self(rawValue: 0x04)
    /// 0x05: the device does not pair.
    public static let pairingNotSupported = Self(rawValue: 0x05)
    /// 0x06: the encryption key would be too short.
    public static let encryptionKeySize = Self(rawValue: 0x06)
    /// 0x07: the device does not know the command.
    public static let commandNotSupported = Self(rawValue: 0x07)
    /// 0x08: no reason is given.
    public static let unspecifiedReason = Self(rawValue: 0x08)
    /// 0x09: too many pairings have failed in a short time.
    public static let repeatedAttempts = Self(rawValue: 0x09)
    /// 0x0A: a parameter is invalid.
    public static let invalidParameters = Self(rawValue: 0x0A)
    /// 0x0B: the two devices have computed different keys.
    public static let dhKeyCheckFailed = Self(rawValue: 0x0B)
    /// 0x0C: the user says that the two numbers differ.
    public static let numericComparisonFailed = Self(rawValue: 0x0C)
    /// 0x0D: a pairing over Basic Rate is running.
    public static let basicRatePairingInProgress = Self(rawValue: 0x0D)
    /// 0x0E: keys may not be derived for the other transport.
    public static let crossTransportNotAllowed = Self(rawValue: 0x0E)
    /// 0x0F: the device rejects a key that was sent to it.
    public static let keyRejected = Self(rawValue: 0x0F)
    /// 0x10: the device is busy.
    public static let busy = Self(rawValue: 0x10)

    private static let names = [
        "passkey entry failed", "OOB not available", "authentication requirements", "confirm value failed",
        "pairing not supported", "encryption key size", "command not supported", "unspecified reason",
        "repeated attempts", "invalid parameters", "DHKey check failed", "numeric comparison failed",
        "BR/EDR pairing in progress", "cross-transport key derivation or generation not allowed", "key rejected",
        "busy",
    ]

    private static let meanings = [
        "no passkey was entered, or the user cancelled", "the out-of-band data is missing",
        "the input and output of the two devices do not allow the protection that one of them demands",
        "the passkey or the out-of-band data is wrong", "the device does not pair",
        "the encryption key would be too short", "the device does not know the command", "the device gives no reason",
        "too many pairings have failed; the device wants to be left alone for a while",
        "the device considers the parameters invalid", "the two devices have computed different keys",
        "the other side has not confirmed the pairing, or the two numbers differ",
        "a pairing over BR/EDR is running",
        "keys may not be derived for the other transport", "the device rejects a key that was sent to it",
        "the device is busy",
    ]

    /// The reason for a user: `the passkey or the out-of-band data is wrong`.
    public var meaning: String { Self.meanings.text(of: self) ?? "the device gives an unknown reason" }
}

extension PairingFailure: CustomStringConvertible {
    /// The specification's name in lower case: `confirm value failed`; `unknown (0x42)` if it has none.
    public var description: String {
        Self.names.text(of: self) ?? "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))"
    }
}

extension [String] {
    fileprivate func text(of failure: PairingFailure) -> String? {
        let index = Int(failure.rawValue) - 1
        return indices.contains(index) ? self[index] : nil
    }
}
