// SPDX-License-Identifier: MIT

/// A decoded structure of advertising data.
///
/// Decoding is lenient if the meaning is clear, because devices in use break the rules: octets after a number, and an
/// incomplete last entry of a list, are ignored. Everything else is `malformed`, with its octets.
///
/// Spec: Core Specification Supplement 11, Part A, 1
public enum ADElement: Hashable, Sendable {
    /// The discoverability of the device, and its support of BR/EDR.
    case flags(ADFlags)
    /// Services that the device offers or looks for.
    case services(ADServiceList)
    /// The device's name.
    case localName(ADLocalName)
    /// The transmit power of the packet, in dBm.
    case txPower(Int8)
    /// The class of a BR/EDR device.
    case classOfDevice(UInt32)
    /// A value for pairing out of band.
    case pairingValue(ADPairingValue)
    /// The manufacturer, the product and its version; in extended inquiry responses.
    case deviceID(ADDeviceID)
    /// Flags for pairing out of band.
    case securityManagerOOBFlags(UInt8)
    /// The connection intervals that a peripheral prefers.
    case connectionIntervalRange(ADConnectionIntervalRange)
    /// Data of a service.
    case serviceData(ADServiceData)
    /// The devices that the advertisement is meant for.
    case targetAddresses(ADTargetAddresses)
    /// The appearance: the kind of device, for an icon.
    case appearance(UInt16)
    /// The advertising interval.
    case advertisingInterval(LEInterval<625>)
    /// The advertising interval, written in three or four octets.
    case advertisingIntervalLong(LEInterval<625>)
    /// The device's address.
    case deviceAddress(DeviceAddress)
    /// The roles that the device supports.
    case leRole(ADLERole)
    /// A URI.
    case uri(ADURI)
    /// The position of the device in a building.
    case indoorPositioning(ADIndoorPositioning)
    /// Other transports by which the device can be reached.
    case transportDiscovery(ADTransportDiscovery)
    /// The LE features of the device.
    case leSupportedFeatures(LEFeatures)
    /// A change of the channels of periodic advertising.
    case channelMapUpdate(ADChannelMapUpdate)
    /// Provisioning of a mesh device.
    case provisioningBearer(ADProvisioningBearer)
    /// A message of a mesh network.
    case meshMessage(ADMeshMessage)
    /// A beacon of a mesh network.
    case meshBeacon(ADMeshBeacon)
    /// The timing of a broadcast isochronous group: 33 octets, or 57 if it is encrypted.
    case bigInfo([UInt8])
    /// The code of an encrypted broadcast.
    case broadcastCode([UInt8])
    /// The coordinated set that the device belongs to.
    case resolvableSetIdentifier(ADResolvableSetIdentifier)
    /// The name of a broadcast.
    case broadcastName(String)
    /// Data that only holders of the key can read.
    case encryptedData(ADEncryptedData)
    /// The timing of periodic advertising with responses.
    case periodicResponseTiming(ADPeriodicResponseTiming)
    /// Synchronisation of electronic shelf labels, undecoded.
    case electronicShelfLabel([UInt8])
    /// Synchronisation of 3D glasses.
    case threeDInformation(ADThreeDInformation)
    /// Data in a format of the manufacturer's own.
    case manufacturerData(ADManufacturerData)
    /// A known type with invalid octets.
    case malformed(ADType, [UInt8], DecodeError)
    /// An unknown type.
    case unknown(ADType, [UInt8])
}

extension ADStructure {
    /// The decoded octets.
    public var element: ADElement {
        do {
            var reader = ByteReader(data)
            return try ADElement(type, from: &reader) ?? .unknown(type, data)
        } catch {
            return .malformed(type, data, error)
        }
    }
}

extension ADElement {
    /// Decodes the octets of a structure; `nil` for an unknown type.
    fileprivate init?(_ type: ADType, from reader: inout ByteReader) throws(DecodeError) {
        switch type {
        case .flags: self = .flags(ADFlags(from: &reader))
        case .incompleteServices16, .completeServices16, .incompleteServices32, .completeServices32,
            .incompleteServices128, .completeServices128, .solicitedServices16, .solicitedServices32,
            .solicitedServices128:
            guard let list = try ADServiceList(type, from: &reader) else { return nil }
            self = .services(list)
        case .shortenedLocalName, .completeLocalName:
            self = .localName(ADLocalName(reader.rest(), isComplete: type == .completeLocalName))
        case .txPowerLevel: self = .txPower(try reader.int8("Tx Power Level"))
        case .classOfDevice: self = .classOfDevice(try reader.uint24("Class of Device"))
        // A Device ID record has the same type as the TK value, and differs from it by its length of 8 octets.
        case .securityManagerTKValue where reader.remaining == 8: self = .deviceID(try ADDeviceID(from: &reader))
        case .simplePairingHashC192, .simplePairingRandomizerR192, .securityManagerTKValue, .simplePairingHashC256,
            .simplePairingRandomizerR256, .leSecureConnectionsConfirmationValue, .leSecureConnectionsRandomValue:
            self = .pairingValue(try ADPairingValue(type, from: &reader))
        case .securityManagerOOBFlags: self = .securityManagerOOBFlags(try reader.uint8("OOB flags"))
        case .peripheralConnectionIntervalRange:
            self = .connectionIntervalRange(try ADConnectionIntervalRange(from: &reader))
        case .serviceData16: self = .serviceData(try ADServiceData(.bits16, from: &reader))
        case .serviceData32: self = .serviceData(try ADServiceData(.bits32, from: &reader))
        case .serviceData128: self = .serviceData(try ADServiceData(.bits128, from: &reader))
        case .publicTargetAddress: self = .targetAddresses(try ADTargetAddresses(.public, from: &reader))
        case .randomTargetAddress: self = .targetAddresses(try ADTargetAddresses(.random, from: &reader))
        case .appearance: self = .appearance(try reader.uint16("Appearance"))
        default: try self.init(rare: type, from: &reader)
        }
    }

    /// Decodes the types that few devices send.
    private init?(rare type: ADType, from reader: inout ByteReader) throws(DecodeError) {
        switch type {
        case .advertisingInterval: self = .advertisingInterval(try LEInterval(from: &reader, "Advertising Interval"))
        case .advertisingIntervalLong:
            // The interval has 3 or 4 octets; the unit is the same.
            let units = reader.remaining == 3 ? try reader.uint24("interval") : try reader.uint32("interval")
            self = .advertisingIntervalLong(LEInterval(rawValue: units))
        case .leBluetoothDeviceAddress: self = .deviceAddress(try DeviceAddress(advertised: &reader))
        case .leRole: self = .leRole(ADLERole(rawValue: try reader.uint8("LE Role")))
        case .uri: self = .uri(try ADURI(from: &reader))
        case .indoorPositioning: self = .indoorPositioning(try ADIndoorPositioning(from: &reader))
        case .transportDiscoveryData: self = .transportDiscovery(try ADTransportDiscovery(from: &reader))
        case .leSupportedFeatures: self = .leSupportedFeatures(LEFeatures(advertised: reader.rest()))
        case .channelMapUpdateIndication: self = .channelMapUpdate(try ADChannelMapUpdate(from: &reader))
        case .pbADV: self = .provisioningBearer(try ADProvisioningBearer(from: &reader))
        case .meshMessage: self = .meshMessage(try ADMeshMessage(from: &reader))
        case .meshBeacon: self = .meshBeacon(try ADMeshBeacon(from: &reader))
        // 33 octets, or 57 for an encrypted group.
        case .bigInfo: self = .bigInfo(try reader.bytes(reader.remaining < 57 ? 33 : 57, "BIGInfo"))
        case .broadcastCode: self = .broadcastCode(reader.rest())
        case .resolvableSetIdentifier:
            self = .resolvableSetIdentifier(try ADResolvableSetIdentifier(from: &reader))
        case .broadcastName: self = .broadcastName(ADLocalName(reader.rest(), isComplete: true).text)
        case .encryptedAdvertisingData: self = .encryptedData(try ADEncryptedData(from: &reader))
        case .periodicAdvertisingResponseTiming:
            self = .periodicResponseTiming(try ADPeriodicResponseTiming(from: &reader))
        case .electronicShelfLabel: self = .electronicShelfLabel(reader.rest())
        case .threeDInformationData: self = .threeDInformation(try ADThreeDInformation(from: &reader))
        case .manufacturerSpecificData: self = .manufacturerData(try ADManufacturerData(from: &reader))
        default: return nil
        }
    }
}
