// SPDX-License-Identifier: MIT

import Bluetooth

/// Gives the controller the key by which it recognises a device. It gets none for addresses of this side.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.38
struct LEAddDeviceToResolvingList: HCICommand {
    static let form = HCIForm(.leController, 0x0027, "LE Add Device To Resolving List", bit: (34, 3))

    /// The device's identity, and the key of its private addresses.
    let device: DeviceIdentity

    init(_ device: DeviceIdentity) { self.device = device }

    init(from reader: inout ByteReader) throws(DecodeError) {
        device = DeviceIdentity(address: try .identity(from: &reader), key: try SecurityKey(from: &reader))
        _ = try SecurityKey(from: &reader)
    }

    func encode(into writer: inout ByteWriter) {
        device.address.encodeIdentity(into: &writer)
        writer.append(device.key)
        writer.append(SecurityKey.zero)
    }

    var details: String { "\(device.address)" }
}

/// Spec: Core 5.4, Vol 4, Part E, 7.8.40
struct LEClearResolvingList: HCIParameterlessCommand {
    static let form = HCIForm(.leController, 0x0029, "LE Clear Resolving List", bit: (34, 5))
}

/// Spec: Core 5.4, Vol 4, Part E, 7.8.41
struct LEReadResolvingListSize: HCIParameterlessCommand {
    static let form = HCIForm(.leController, 0x002A, "LE Read Resolving List Size", bit: (34, 6))
}

/// Lets the controller recognise devices by its list, or not.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.44
struct LESetAddressResolutionEnable: HCICommand, FieldCoded {
    static let form = HCIForm(.leController, 0x002D, "LE Set Address Resolution Enable", bit: (35, 1))

    let isEnabled: Bool

    init(isEnabled: Bool) { self.isEnabled = isEnabled }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isEnabled = try fields(\.isEnabled, "Address_Resolution_Enable")
    }

    var details: String { isEnabled ? "on" : "off" }
}

/// Lets the controller take a device of its list that uses its identity address, too (device privacy mode).
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.77
struct LESetPrivacyMode: HCICommand {
    static let form = HCIForm(.leController, 0x004E, "LE Set Privacy Mode", bit: (39, 2))

    let device: DeviceAddress

    init(_ device: DeviceAddress) { self.device = device }

    init(from reader: inout ByteReader) throws(DecodeError) {
        device = try .identity(from: &reader)
        _ = try reader.uint8("Privacy_Mode")
    }

    func encode(into writer: inout ByteWriter) {
        device.encodeIdentity(into: &writer)
        writer.uint8(0x01)
    }

    var details: String { "\(device)" }
}

extension DeviceAddress {
    fileprivate static func identity(from reader: inout ByteReader) throws(DecodeError) -> DeviceAddress {
        let type = AddressType(rawValue: try reader.uint8("Peer_Identity_Address_Type"))
        return DeviceAddress(try BluetoothAddress(from: &reader), type)
    }

    fileprivate func encodeIdentity(into writer: inout ByteWriter) {
        writer.uint8(type.rawValue)
        writer.append(address)
    }
}
