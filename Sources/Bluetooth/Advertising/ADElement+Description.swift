// SPDX-License-Identifier: MIT

extension ADElement: CustomStringConvertible {
    /// The element's name and value on one line. Must be escaped before a terminal sees it, because a device chose the
    /// text.
    public var description: String { "\(name): \(valueText)" }

    /// The name of the type. Device ID has its own, because it shares a type with another element.
    public var name: String {
        if case .deviceID = self { return "Device ID" }
        return type.description
    }

    /// The element's value on one line, without the type and without the names of UUIDs and companies.
    public var valueText: String {
        switch self {
        case .flags(let flags): "\(flags)"
        case .services(let list): list.uuids.map(\.description).joined(separator: ", ")
        case .localName(let name): name.text
        case .txPower(let power): "\(power) dBm"
        case .classOfDevice(let number): "0x" + Hex.string(number, minimumDigits: 6)
        case .pairingValue(let value): Hex.string(value.octets)
        case .deviceID(let record): record.text
        case .securityManagerOOBFlags(let flags): "0x" + Hex.string(flags, minimumDigits: 2)
        case .connectionIntervalRange(let range):
            "\(range.minimum.map { "\($0)" } ?? "any") to \(range.maximum.map { "\($0)" } ?? "any")"
        case .serviceData(let data): "\(data.uuid) \(Hex.string(data.data))"
        case .targetAddresses(let targets): targets.addresses.map(\.description).joined(separator: ", ")
        case .appearance(let appearance): "0x" + Hex.string(appearance, minimumDigits: 4)
        case .advertisingInterval(let interval), .advertisingIntervalLong(let interval): "\(interval)"
        case .deviceAddress(let device): "\(device)"
        case .leRole(let role): "\(role)"
        case .uri(let uri): "\(uri)"
        case .leSupportedFeatures(let features): features.names.joined(separator: ", ")
        case .channelMapUpdate(let update): "channels \(update.channels) from event \(update.instant)"
        case .meshBeacon(let beacon): beacon.text
        case .broadcastName(let name): name
        case .resolvableSetIdentifier(let identifier):
            "hash 0x\(Hex.string(identifier.hash, minimumDigits: 6)), "
                + "random 0x\(Hex.string(identifier.random, minimumDigits: 6))"
        case .manufacturerData(let data):
            "0x\(Hex.string(data.company, minimumDigits: 4)) \(Hex.string(data.data))"
        case .malformed(_, let bytes, let error): "malformed (\(error)): \(Hex.string(bytes))"
        case .indoorPositioning, .transportDiscovery, .provisioningBearer, .meshMessage, .bigInfo, .broadcastCode,
            .encryptedData, .periodicResponseTiming, .electronicShelfLabel, .threeDInformation, .unknown:
            Hex.string(structure.data)
        }
    }
}

extension ADDeviceID {
    fileprivate var text: String {
        let source =
            switch vendorSource {
            case 0x0001: "Bluetooth"
            case 0x0002: "USB"
            default: "source 0x\(Hex.string(vendorSource, minimumDigits: 4))"
            }
        let numbers = [vendor, product].map { Hex.string($0, minimumDigits: 4) }.joined(separator: ":")
        let parts = [version >> 8, version >> 4 & 0x0F, version & 0x0F].map { String($0, radix: 16) }
        return "\(source) \(numbers), version \(parts.joined(separator: "."))"
    }
}

extension ADMeshBeacon {
    fileprivate var text: String {
        switch self {
        case .unprovisioned(let uuid, let information, _):
            "unprovisioned device \(uuid.fullText), OOB information 0x\(Hex.string(information, minimumDigits: 4))"
        case .secureNetwork(let flags, let networkID, let ivIndex, _):
            "network 0x\(Hex.string(networkID, minimumDigits: 16)), IV index \(ivIndex), "
                + "flags 0x\(Hex.string(flags, minimumDigits: 2))"
        case .privateNetwork(let bytes): "private network \(Hex.string(bytes))"
        case .unknown(let kind, let bytes): "kind 0x\(Hex.string(kind, minimumDigits: 2)) \(Hex.string(bytes))"
        }
    }
}
