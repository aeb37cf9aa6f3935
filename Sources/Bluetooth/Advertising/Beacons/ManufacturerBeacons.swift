// SPDX-License-Identifier: MIT

/// Apple's iBeacon.
///
/// Spec: Proximity Beacon Specification, R1
public struct IBeacon: Hashable, Sendable {
    /// The company identifier of Apple, Inc.
    public static let company: UInt16 = 0x004C

    /// The identifier of the owner.
    public let uuid: BluetoothUUID
    /// The owner's number for a group of beacons, 0 to 65,535.
    public let major: UInt16
    /// The beacon's number in the group, 0 to 65,535.
    public let minor: UInt16
    /// The signal strength at a distance of 1 m, in dBm.
    public let measuredPower: Int8

    /// Creates a beacon.
    public init(uuid: BluetoothUUID, major: UInt16, minor: UInt16, measuredPower: Int8) {
        self.uuid = BluetoothUUID(bits128: uuid.value)
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// Decodes manufacturer data; `nil` if they are not an iBeacon. Octets after the beacon are ignored.
    public init?(_ data: ADManufacturerData) {
        guard data.company == Self.company else { return nil }
        var reader = ByteReader(data.data)
        guard let type = try? reader.uint8("type"), type == 0x02,
            let length = try? reader.uint8("length"), length == 0x15,
            let uuid = try? reader.uint128("UUID"),
            let major = try? reader.uint16BigEndian("major"),
            let minor = try? reader.uint16BigEndian("minor"),
            let power = try? reader.int8("measured power")
        else { return nil }
        // An iBeacon sends its numbers most significant octet first, unlike Bluetooth.
        self.init(uuid: BluetoothUUID(bits128: uuid.byteSwapped), major: major, minor: minor, measuredPower: power)
    }

    /// The beacon as manufacturer data.
    public var manufacturerData: ADManufacturerData {
        var writer = ByteWriter()
        writer.uint8(0x02)
        writer.uint8(0x15)
        writer.uint128(uuid.value.byteSwapped)
        writer.uint16BigEndian(major)
        writer.uint16BigEndian(minor)
        writer.int8(measuredPower)
        return ADManufacturerData(company: Self.company, writer.bytes)
    }
}

/// AltBeacon, an open format for all manufacturers.
///
/// Spec: AltBeacon Protocol Specification 1.0
public struct AltBeacon: Hashable, Sendable {
    /// The manufacturer's company identifier.
    public let company: UInt16
    /// The identifier: 20 octets, of which the first 16 identify the owner.
    public let identifier: [UInt8]
    /// The signal strength at a distance of 1 m, in dBm.
    public let referenceRSSI: Int8
    /// An octet for the manufacturer's use.
    public let reserved: UInt8

    /// Creates a beacon; `nil` unless the identifier has 20 octets.
    public init?(company: UInt16, identifier: [UInt8], referenceRSSI: Int8, reserved: UInt8 = 0) {
        guard identifier.count == 20 else { return nil }
        self.company = company
        self.identifier = identifier
        self.referenceRSSI = referenceRSSI
        self.reserved = reserved
    }

    /// Decodes manufacturer data; `nil` if they are not an AltBeacon. Octets after the beacon are ignored.
    public init?(_ data: ADManufacturerData) {
        // Of the data of all companies, which are tried, few begin so.
        guard data.data.first == 0xBE else { return nil }
        var reader = ByteReader(data.data)
        guard let code = try? reader.uint16BigEndian("beacon code"), code == 0xBEAC,
            let identifier = try? reader.bytes(20, "beacon ID"),
            let rssi = try? reader.int8("reference RSSI"),
            let reserved = try? reader.uint8("manufacturer reserved")
        else { return nil }
        self.init(company: data.company, identifier: identifier, referenceRSSI: rssi, reserved: reserved)
    }

    /// The beacon as manufacturer data.
    public var manufacturerData: ADManufacturerData {
        var writer = ByteWriter()
        writer.uint16BigEndian(0xBEAC)
        writer.append(identifier)
        writer.int8(referenceRSSI)
        writer.uint8(reserved)
        return ADManufacturerData(company: company, writer.bytes)
    }
}
