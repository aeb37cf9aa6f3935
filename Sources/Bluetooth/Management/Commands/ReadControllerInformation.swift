// SPDX-License-Identifier: MIT

/// Asks the kernel for an adapter's properties and settings. Needs no privilege.
///
/// It has a side effect: the first command that names an adapter makes the kernel treat the adapter as managed. If the
/// adapter was brought up without a manager, it is then no longer bondable.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Controller Information Command
package struct ReadControllerInformation: ManagementParameterlessCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0004)
    package static let name = "Read Controller Information"

    package init() {}

    /// The properties and settings.
    package struct ReturnParameters: ManagementReturnParameters, FieldCoded {
        /// The public address; all zeros if there is none.
        package var address: BluetoothAddress
        /// The version of the host interface.
        package var version: BluetoothVersion
        /// The company identifier of the controller's manufacturer.
        package var manufacturer: UInt16
        /// The settings that the adapter supports.
        package var supportedSettings: ManagementSettings
        /// The settings that are on.
        package var currentSettings: ManagementSettings
        /// The class of device, 24 bits.
        package var deviceClass: UInt32
        /// The name: at most 248 octets, and a zero.
        package var name: [UInt8]
        /// The short name: at most 10 octets, and a zero.
        package var shortName: [UInt8]

        // The fields have these lengths, in octets, whatever the length of the name is.
        private static let nameLength = 249
        private static let shortNameLength = 11

        /// Creates the return parameters. Cuts names that are too long.
        package init(
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

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            address = try fields(\.address, "address")
            version = try fields(\.version, "Bluetooth version")
            manufacturer = try fields(\.manufacturer, "manufacturer")
            supportedSettings = try fields(\.supportedSettings)
            currentSettings = try fields(\.currentSettings)
            deviceClass = try fields(\.deviceClass, octets: 3, "class of device")
            name = try fields(\.name, count: Self.nameLength, "name")
            shortName = try fields(\.shortName, count: Self.shortNameLength, "short name")
        }

        package var details: String { "\(address), \(version), \(currentSettings)" }
    }
}
