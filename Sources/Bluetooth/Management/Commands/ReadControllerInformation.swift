// SPDX-License-Identifier: MIT

/// Asks the kernel for an adapter's properties and settings. Needs no privilege.
///
/// It has a side effect: the first command that names an adapter makes the kernel treat the adapter as managed. If the
/// adapter was brought up without a manager, it is then no longer bondable.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Controller Information Command
public struct ReadControllerInformation: ManagementParameterlessCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0004)
    public static let name = "Read Controller Information"

    /// Creates the command.
    public init() {}

    /// The properties and settings.
    public struct ReturnParameters: ManagementReturnParameters {
        /// The public address; all zeros if there is none.
        public var address: BluetoothAddress
        /// The version of the host interface.
        public var version: BluetoothVersion
        /// The company identifier of the controller's manufacturer.
        public var manufacturer: UInt16
        /// The settings that the adapter supports.
        public var supportedSettings: ManagementSettings
        /// The settings that are on.
        public var currentSettings: ManagementSettings
        /// The class of device, 24 bits.
        public var deviceClass: UInt32
        /// The name: at most 248 octets, and a zero.
        public var name: [UInt8]
        /// The short name: at most 10 octets, and a zero.
        public var shortName: [UInt8]

        // The fields have these lengths, in octets, whatever the length of the name is.
        private static let nameLength = 249
        private static let shortNameLength = 11

        /// Creates the return parameters. Cuts names that are too long.
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
            // The fields are C strings: at least one zero ends each of them.
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
