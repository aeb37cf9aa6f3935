// SPDX-License-Identifier: MIT

extension ADElement {
    /// The type of the element.
    public var type: ADType { structure.type }

    /// The element as type and octets, for sending.
    public var structure: ADStructure {
        switch self {
        case .flags(let flags): ADStructure(.flags, flags.encoded())
        case .services(let list): ADStructure(list.type, list.encoded())
        case .localName(let name):
            ADStructure(name.isComplete ? .completeLocalName : .shortenedLocalName, name.bytes)
        case .txPower(let power): ADStructure(.txPowerLevel, [UInt8(bitPattern: power)])
        case .classOfDevice(let number): ADStructure(.classOfDevice, octets { $0.uint24(number) })
        case .pairingValue(let value): ADStructure(value.kind.type, value.octets)
        case .deviceID(let record): ADStructure(.securityManagerTKValue, record.encoded())
        case .securityManagerOOBFlags(let flags): ADStructure(.securityManagerOOBFlags, [flags])
        case .connectionIntervalRange(let range): ADStructure(.peripheralConnectionIntervalRange, range.encoded())
        case .serviceData(let data): ADStructure(data.type, data.encoded())
        case .targetAddresses(let targets): ADStructure(targets.adType, targets.encoded())
        case .appearance(let appearance): ADStructure(.appearance, octets { $0.uint16(appearance) })
        case .advertisingInterval(let interval): ADStructure(.advertisingInterval, interval.encoded())
        case .advertisingIntervalLong(let interval) where interval.rawValue <= 0xFF_FFFF:
            ADStructure(.advertisingIntervalLong, octets { $0.uint24(interval.rawValue) })
        case .advertisingIntervalLong(let interval):
            ADStructure(.advertisingIntervalLong, octets { $0.uint32(interval.rawValue) })
        case .deviceAddress(let device):
            ADStructure(.leBluetoothDeviceAddress, device.address.encoded() + [device.type.connectionType.rawValue])
        case .leRole(let role): ADStructure(.leRole, [role.rawValue])
        case .uri(let uri): ADStructure(.uri, uri.encoded())
        case .indoorPositioning(let position): ADStructure(.indoorPositioning, position.encoded())
        case .transportDiscovery(let blocks): ADStructure(.transportDiscoveryData, blocks.encoded())
        case .leSupportedFeatures(let features): ADStructure(.leSupportedFeatures, features.advertisedOctets)
        case .channelMapUpdate(let update): ADStructure(.channelMapUpdateIndication, update.encoded())
        case .provisioningBearer(let bearer): ADStructure(.pbADV, bearer.encoded())
        case .meshMessage(let message): ADStructure(.meshMessage, message.encoded())
        case .meshBeacon(let beacon): ADStructure(.meshBeacon, beacon.encoded())
        case .bigInfo(let bytes): ADStructure(.bigInfo, bytes)
        case .broadcastCode(let bytes): ADStructure(.broadcastCode, bytes)
        case .resolvableSetIdentifier(let identifier): ADStructure(.resolvableSetIdentifier, identifier.encoded())
        case .broadcastName(let name): ADStructure(.broadcastName, Array(name.utf8))
        case .encryptedData(let data): ADStructure(.encryptedAdvertisingData, data.encoded())
        case .periodicResponseTiming(let timing):
            ADStructure(.periodicAdvertisingResponseTiming, timing.encoded())
        case .electronicShelfLabel(let bytes): ADStructure(.electronicShelfLabel, bytes)
        case .threeDInformation(let information): ADStructure(.threeDInformationData, information.encoded())
        case .manufacturerData(let data): ADStructure(.manufacturerSpecificData, data.encoded())
        case .malformed(let type, let bytes, _), .unknown(let type, let bytes): ADStructure(type, bytes)
        }
    }

    private func octets(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.bytes
    }
}
