// SPDX-License-Identifier: GPL-2.0-or-later

/// Asks the kernel what an adapter is and what it is set to. Needs no privilege.
///
/// It has a side effect: as every command that names an adapter, the first one makes the kernel treat the adapter as managed from
/// then on, and an adapter that was brought up without a manager is not bondable any more.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Controller Information Command
public struct ReadControllerInformation: ManagementParameterlessCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0004)
    public static let name = "Read Controller Information"

    /// Makes the command.
    public init() {}

    /// What the kernel tells.
    public struct ReturnParameters: ManagementReturnParameters {
        /// The public address; all zeros where there is none.
        public var address: BluetoothAddress
        /// The version of the host interface.
        public var version: BluetoothVersion
        /// The maker of the controller as a company identifier.
        public var manufacturer: UInt16
        /// What can be set.
        public var supportedSettings: ManagementSettings
        /// What is set.
        public var currentSettings: ManagementSettings
        /// The class of device, 24 bits.
        public var deviceClass: UInt32
        /// The name, 248 octets at most, and a zero.
        public var name: [UInt8]
        /// The short name, 10 octets at most, and a zero.
        public var shortName: [UInt8]

        private static let nameLength = 249
        private static let shortNameLength = 11

        /// Puts them together; a name that is too long is cut.
        public init(
            address: BluetoothAddress,
            version: BluetoothVersion,
            manufacturer: UInt16,
            supportedSettings: ManagementSettings,
            currentSettings: ManagementSettings,
            deviceClass: UInt32 = 0,
            name: [UInt8] = [],
            shortName: [UInt8] = []
        ) {
            self.address = address
            self.version = version
            self.manufacturer = manufacturer
            self.supportedSettings = supportedSettings
            self.currentSettings = currentSettings
            self.deviceClass = deviceClass & 0xFF_FFFF
            self.name = Self.padded(name, to: Self.nameLength)
            self.shortName = Self.padded(shortName, to: Self.shortNameLength)
        }

        private static func padded(_ name: [UInt8], to length: Int) -> [UInt8] {
            let name = name.prefix(length - 1)
            return Array(name) + [UInt8](repeating: 0, count: length - name.count)
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            address = BluetoothAddress(rawValue: try reader.uint48("address"))
            version = BluetoothVersion(rawValue: try reader.uint8("Bluetooth version"))
            manufacturer = try reader.uint16("manufacturer")
            supportedSettings = try ManagementSettings(from: &reader)
            currentSettings = try ManagementSettings(from: &reader)
            deviceClass = try reader.uint24("class of device")
            name = try reader.bytes(Self.nameLength, "name")
            shortName = try reader.bytes(Self.shortNameLength, "short name")
        }

        public func encode(into writer: inout ByteWriter) {
            writer.append(address)
            writer.uint8(version.rawValue)
            writer.uint16(manufacturer)
            writer.append(supportedSettings)
            writer.append(currentSettings)
            writer.uint24(deviceClass)
            writer.append(name)
            writer.append(shortName)
        }

        public var details: String { "\(address), \(version), \(currentSettings)" }
    }
}
