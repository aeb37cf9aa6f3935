// SPDX-License-Identifier: MIT

package import Bluetooth

/// Asks for the adapter's out-of-band data, to give it to another device. Needs `CAP_NET_ADMIN`, and a powered adapter.
/// The data is valid until the adapter is powered off.
package struct ReadLocalOutOfBandData: ManagementParameterlessCommand {
    package static let form = ManagementForm(0x0020, "Read Local Out Of Band Data")

    package typealias ReturnParameters = OutOfBandData

    package init() {}
}

/// Gives the kernel the out-of-band data of a device, for its next pairing. Needs `CAP_NET_ADMIN`.
package struct AddRemoteOutOfBandData: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x0021, "Add Remote Out Of Band Data")

    package typealias ReturnParameters = ManagementAddress

    package var device: ManagementAddress
    package var data: OutOfBandData

    package init(_ device: ManagementAddress, _ data: OutOfBandData) {
        self.device = device
        self.data = data
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        data = try fields(\.data)
    }

    package var details: String { "\(device), \(data.details)" }
}

/// Removes the out-of-band data of a device from the kernel. Needs `CAP_NET_ADMIN`.
package struct RemoveRemoteOutOfBandData: ManagementDeviceCommand {
    package static let form = ManagementForm(0x0022, "Remove Remote Out Of Band Data")

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}

/// Asks for the adapter's out-of-band data for Low Energy, to give it to another device. Needs `CAP_NET_ADMIN`, and a
/// powered adapter without private addresses. The kernel makes a new pair of keys for it, so that the data of earlier
/// calls has no meaning any more.
package struct ReadLocalOutOfBandExtendedData: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x003B, "Read Local Out Of Band Extended Data")

    /// The data, as in an advertisement.
    package struct ReturnParameters: ManagementReturnParameters {
        /// The address types that the data is for, a bit each.
        package var transports: UInt8
        /// The octets of the structures.
        package var data: [UInt8]

        package init(transports: UInt8 = ReadLocalOutOfBandExtendedData.lowEnergy, data: [UInt8]) {
            self.transports = transports
            self.data = data
        }

        package init(from reader: inout ByteReader) throws(DecodeError) {
            transports = try reader.uint8("address types")
            let count = try reader.uint16("data length")
            data = try reader.bytes(Int(count), "data")
        }

        package func encode(into writer: inout ByteWriter) {
            writer.uint8(transports)
            writer.uint16(UInt16(clamping: data.count))
            writer.append(Array(data.prefix(Int(UInt16.max))))
        }

        package var details: String { "\(count: data.count, "octet") hidden" }

        /// The values for a pairing with Secure Connections; `nil` if one of them is missing, as without Secure
        /// Connections.
        package var pair: OutOfBandData.Pair? {
            var values: [ADPairingValue.Kind: UInt128] = [:]
            for structure in AdvertisingData(parsing: data).structures {
                guard case .pairingValue(let value) = structure.element else { continue }
                values[value.kind] = value.value
            }
            guard let hash = values[.leSecureConnectionsConfirmation], let random = values[.leSecureConnectionsRandom]
            else { return nil }
            return OutOfBandData.Pair(hash: SecurityKey(hash), randomizer: SecurityKey(random))
        }
    }

    /// The bits of both address types of Low Energy.
    package static let lowEnergy: UInt8 = 0x06

    /// The address types that the data is to be for, a bit each.
    package var transports: UInt8

    package init(transports: UInt8 = ReadLocalOutOfBandExtendedData.lowEnergy) { self.transports = transports }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        transports = try fields(\.transports, "address types")
    }

    package var details: String {
        transports == Self.lowEnergy ? "Low Energy" : "0x" + Hex.string(transports, minimumDigits: 2)
    }
}
