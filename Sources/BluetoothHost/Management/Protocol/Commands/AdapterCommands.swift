// SPDX-License-Identifier: MIT

package import Bluetooth

/// Asks the kernel for the version of its management interface. Sent without an adapter; needs no privilege.
package struct ReadManagementVersion: ManagementParameterlessCommand {
    package static let form = ManagementForm(0x0001, "Read Management Version Information")

    package init() {}

    package struct ReturnParameters: ManagementReturnParameters, FieldCoded {
        /// The version, which has always been 1.
        package var version: UInt8
        /// The revision, which grows with each addition.
        package var revision: UInt16

        package init(version: UInt8, revision: UInt16) {
            self.version = version
            self.revision = revision
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            version = try fields(\.version, "version")
            revision = try fields(\.revision, "revision")
        }

        package var details: String { "\(version).\(revision)" }
    }
}

/// Asks the kernel for its adapters. It lists those that are set up and that no program uses exclusively. Sent without
/// an adapter; needs no privilege.
package struct ReadControllerIndexList: ManagementParameterlessCommand {
    package static let form = ManagementForm(0x0003, "Read Controller Index List")

    package init() {}

    package struct ReturnParameters: ManagementReturnParameters {
        /// The indices, in no particular order.
        package var adapters: [ManagementIndex]

        package init(_ adapters: [ManagementIndex]) { self.adapters = adapters }

        package init(from reader: inout ByteReader) throws(DecodeError) {
            let count = try reader.uint16("number of controllers")
            var list = try reader.slice(Int(count) * 2, "controller indices")
            adapters = []
            while !list.isAtEnd { adapters.append(ManagementIndex(rawValue: try list.uint16("controller index"))) }
        }

        package func encode(into writer: inout ByteWriter) {
            let listed = adapters.prefix(32_766)
            writer.uint16(UInt16(listed.count))
            for adapter in listed { writer.uint16(adapter.rawValue) }
        }

        package var details: String {
            adapters.isEmpty ? "none" : adapters.map(\.description).joined(separator: " ")
        }
    }
}

/// Asks the kernel for an adapter's properties and settings. Needs no privilege.
///
/// It has a side effect: the first command that names an adapter makes the kernel treat the adapter as managed. If the
/// adapter was brought up without a manager, it is then no longer bondable.
package struct ReadControllerInformation: ManagementParameterlessCommand {
    package static let form = ManagementForm(0x0004, "Read Controller Information")

    package init() {}

    package struct ReturnParameters: ManagementReturnParameters, FieldCoded {
        /// The public address; all zeros if there is none.
        package var address: BluetoothAddress
        package var version: BluetoothVersion
        /// The company identifier of the controller's manufacturer.
        package var manufacturer: UInt16
        package var supportedSettings: ManagementSettings
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

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
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

/// Asks the kernel for the devices to which an adapter has links, of any program. Needs `CAP_NET_ADMIN`.
package struct GetConnections: ManagementParameterlessCommand {
    package static let form = ManagementForm(0x0015, "Get Connections")

    package init() {}

    package struct ReturnParameters: ManagementReturnParameters {
        /// The length of an entry in octets: six of the address, one of its type.
        private static let entryLength = 7

        /// The devices, on every transport.
        package var devices: [ManagementAddress]

        package init(_ devices: [ManagementAddress]) { self.devices = devices }

        package init(from reader: inout ByteReader) throws(DecodeError) {
            let count = try reader.uint16("connection count")
            var list = try reader.slice(Int(count) * Self.entryLength, "connections")
            devices = []
            while !list.isAtEnd { devices.append(try ManagementAddress(from: &list)) }
        }

        package func encode(into writer: inout ByteWriter) {
            // The length field of a packet has 16 bits: 9,000 entries of 7 octets fit.
            let listed = devices.prefix(9_000)
            writer.uint16(UInt16(listed.count))
            for device in listed { writer.append(device) }
        }

        package var details: String {
            devices.isEmpty ? "none" : devices.map(\.description).joined(separator: " ")
        }
    }
}
