// SPDX-License-Identifier: MIT

/// The type of a structure of advertising data. Unknown values are kept.
///
/// Spec: Assigned Numbers, 2.3
public struct ADType: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x01: flags.
    public static let flags = Self(rawValue: 0x01)
    /// 0x02: some of the 16-bit service UUIDs.
    public static let incompleteServices16 = Self(rawValue: 0x02)
    /// 0x03: all 16-bit service UUIDs.
    public static let completeServices16 = Self(rawValue: 0x03)
    /// 0x04: some of the 32-bit service UUIDs.
    public static let incompleteServices32 = Self(rawValue: 0x04)
    /// 0x05: all 32-bit service UUIDs.
    public static let completeServices32 = Self(rawValue: 0x05)
    /// 0x06: some of the 128-bit service UUIDs.
    public static let incompleteServices128 = Self(rawValue: 0x06)
    /// 0x07: all 128-bit service UUIDs.
    public static let completeServices128 = Self(rawValue: 0x07)
    /// 0x08: the beginning of the name.
    public static let shortenedLocalName = Self(rawValue: 0x08)
    /// 0x09: the name.
    public static let completeLocalName = Self(rawValue: 0x09)
    /// 0x0A: the transmit power of the packet.
    public static let txPowerLevel = Self(rawValue: 0x0A)
    /// 0x0D: the class of a BR/EDR device.
    public static let classOfDevice = Self(rawValue: 0x0D)
    /// 0x0E: a hash for pairing (P-192).
    public static let simplePairingHashC192 = Self(rawValue: 0x0E)
    /// 0x0F: a random number for pairing (P-192).
    public static let simplePairingRandomizerR192 = Self(rawValue: 0x0F)
    /// 0x10: a temporary key for pairing; in an extended inquiry response, the Device ID record.
    public static let securityManagerTKValue = Self(rawValue: 0x10)
    /// 0x11: flags for pairing out of band.
    public static let securityManagerOOBFlags = Self(rawValue: 0x11)
    /// 0x12: the connection intervals that a peripheral prefers.
    public static let peripheralConnectionIntervalRange = Self(rawValue: 0x12)
    /// 0x14: 16-bit UUIDs of services that the device looks for.
    public static let solicitedServices16 = Self(rawValue: 0x14)
    /// 0x15: 128-bit UUIDs of services that the device looks for.
    public static let solicitedServices128 = Self(rawValue: 0x15)
    /// 0x16: data of a service with a 16-bit UUID.
    public static let serviceData16 = Self(rawValue: 0x16)
    /// 0x17: the public addresses of the devices that the advertisement is meant for.
    public static let publicTargetAddress = Self(rawValue: 0x17)
    /// 0x18: the random addresses of the devices that the advertisement is meant for.
    public static let randomTargetAddress = Self(rawValue: 0x18)
    /// 0x19: the appearance.
    public static let appearance = Self(rawValue: 0x19)
    /// 0x1A: the advertising interval.
    public static let advertisingInterval = Self(rawValue: 0x1A)
    /// 0x1B: the device's address.
    public static let leBluetoothDeviceAddress = Self(rawValue: 0x1B)
    /// 0x1C: the roles that the device supports.
    public static let leRole = Self(rawValue: 0x1C)
    /// 0x1D: a hash for pairing (P-256).
    public static let simplePairingHashC256 = Self(rawValue: 0x1D)
    /// 0x1E: a random number for pairing (P-256).
    public static let simplePairingRandomizerR256 = Self(rawValue: 0x1E)
    /// 0x1F: 32-bit UUIDs of services that the device looks for.
    public static let solicitedServices32 = Self(rawValue: 0x1F)
    /// 0x20: data of a service with a 32-bit UUID.
    public static let serviceData32 = Self(rawValue: 0x20)
    /// 0x21: data of a service with a 128-bit UUID.
    public static let serviceData128 = Self(rawValue: 0x21)
    /// 0x22: a confirmation value for pairing.
    public static let leSecureConnectionsConfirmationValue = Self(rawValue: 0x22)
    /// 0x23: a random value for pairing.
    public static let leSecureConnectionsRandomValue = Self(rawValue: 0x23)
    /// 0x24: a URI.
    public static let uri = Self(rawValue: 0x24)
    /// 0x25: the position of the device in a building.
    public static let indoorPositioning = Self(rawValue: 0x25)
    /// 0x26: other transports by which the device can be reached.
    public static let transportDiscoveryData = Self(rawValue: 0x26)
    /// 0x27: the LE features of the device.
    public static let leSupportedFeatures = Self(rawValue: 0x27)
    /// 0x28: a change of the channels of periodic advertising.
    public static let channelMapUpdateIndication = Self(rawValue: 0x28)
    /// 0x29: provisioning of a mesh device.
    public static let pbADV = Self(rawValue: 0x29)
    /// 0x2A: a message of a mesh network.
    public static let meshMessage = Self(rawValue: 0x2A)
    /// 0x2B: a beacon of a mesh network.
    public static let meshBeacon = Self(rawValue: 0x2B)
    /// 0x2C: the timing of a broadcast isochronous group.
    public static let bigInfo = Self(rawValue: 0x2C)
    /// 0x2D: the code of an encrypted broadcast.
    public static let broadcastCode = Self(rawValue: 0x2D)
    /// 0x2E: the coordinated set that the device belongs to.
    public static let resolvableSetIdentifier = Self(rawValue: 0x2E)
    /// 0x2F: the advertising interval if two octets do not suffice.
    public static let advertisingIntervalLong = Self(rawValue: 0x2F)
    /// 0x30: the name of a broadcast.
    public static let broadcastName = Self(rawValue: 0x30)
    /// 0x31: advertising data that only holders of the key can read.
    public static let encryptedAdvertisingData = Self(rawValue: 0x31)
    /// 0x32: the timing of periodic advertising with responses.
    public static let periodicAdvertisingResponseTiming = Self(rawValue: 0x32)
    /// 0x34: synchronisation of electronic shelf labels.
    public static let electronicShelfLabel = Self(rawValue: 0x34)
    /// 0x3D: synchronisation of 3D glasses.
    public static let threeDInformationData = Self(rawValue: 0x3D)
    /// 0xFF: data in a format of the manufacturer's own.
    public static let manufacturerSpecificData = Self(rawValue: 0xFF)
}

extension ADType: CustomStringConvertible {
    /// The name in the Assigned Numbers; `nil` if they do not list the type.
    public var name: String? {
        rawValue == 0xFF ? "Manufacturer Specific Data" : Self.names[rawValue]
    }

    /// `Complete Local Name`; `unknown (0x42)` for a type without a name.
    public var description: String { name ?? "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))" }
}
