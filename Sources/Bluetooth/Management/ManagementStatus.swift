// SPDX-License-Identifier: MIT

/// The status of a management command. Unknown values are kept.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Status codes
public struct ManagementStatus: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x00
    public static let success = Self(rawValue: 0x00)
    /// 0x01: the kernel does not support the command.
    public static let unknownCommand = Self(rawValue: 0x01)
    /// 0x02: there is no link to the device.
    public static let notConnected = Self(rawValue: 0x02)
    /// 0x03
    public static let failed = Self(rawValue: 0x03)
    /// 0x04: the device could not be connected.
    public static let connectFailed = Self(rawValue: 0x04)
    /// 0x05: the pairing or the encryption failed.
    public static let authenticationFailed = Self(rawValue: 0x05)
    /// 0x06: the kernel has no keys of the device.
    public static let notPaired = Self(rawValue: 0x06)
    /// 0x08: the controller did not answer in time.
    public static let timeout = Self(rawValue: 0x08)
    /// 0x0A: the kernel performs the same command for another program.
    public static let busy = Self(rawValue: 0x0A)
    /// 0x0B: not possible in the adapter's present state.
    public static let rejected = Self(rawValue: 0x0B)
    /// 0x0C: the controller does not support it.
    public static let notSupported = Self(rawValue: 0x0C)
    /// 0x0D
    public static let invalidParameters = Self(rawValue: 0x0D)
    /// 0x0E: the link ended.
    public static let disconnected = Self(rawValue: 0x0E)
    /// 0x0F
    public static let notPowered = Self(rawValue: 0x0F)
    /// 0x10
    public static let cancelled = Self(rawValue: 0x10)
    /// 0x11: the adapter does not exist, or a program uses it exclusively.
    public static let invalidIndex = Self(rawValue: 0x11)
    /// 0x12: the radio is blocked (rfkill).
    public static let radioBlocked = Self(rawValue: 0x12)
    /// 0x13: the kernel has keys of the device already.
    public static let alreadyPaired = Self(rawValue: 0x13)
    /// 0x14: the process lacks CAP_NET_ADMIN.
    public static let permissionDenied = Self(rawValue: 0x14)

    private static let names = [
        "Success", "Unknown Command", "Not Connected", "Failed", "Connect Failed", "Authentication Failed",
        "Not Paired", "No Resources", "Timeout", "Already Connected", "Busy", "Rejected", "Not Supported",
        "Invalid Parameters", "Disconnected", "Not Powered", "Cancelled", "Invalid Index", "RFKilled",
        "Already Paired", "Permission Denied",
    ]
}

extension ManagementStatus: CustomStringConvertible {
    /// The name in the documentation; `status 0x42` if it has none.
    public var description: String {
        let index = Int(rawValue)
        return index < Self.names.count ? Self.names[index] : "status 0x" + Hex.string(rawValue, minimumDigits: 2)
    }
}
