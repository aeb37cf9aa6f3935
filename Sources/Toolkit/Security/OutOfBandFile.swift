// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Records

/// The JSON form of out-of-band data, in both directions. Values are hexadecimal, most significant octet first, as the
/// specification prints them.
package struct OutOfBandFile: Codable, Equatable {
    private static let schema = "blectl-oob/1"
    /// The size limit of a file, in octets.
    private static let limit = 4_096

    package var schema = OutOfBandFile.schema
    /// The address of the device that the data is of. Without it, the data is for any device.
    package var address: String?
    /// `public` or `random`
    var addressType: String?
    package var confirm: String
    package var random: String

    enum CodingKeys: String, CodingKey {
        case schema, address, confirm, random
        case addressType = "address_type"
    }

    package init(_ pair: OutOfBandData.Pair, of device: DeviceAddress) {
        address = device.address.description
        addressType = device.type.connectionType.description
        confirm = Hex.string(pair.hash.octets)
        random = Hex.string(pair.randomizer.octets)
    }

    /// The values in a file, and whose they are. Throws a `BlectlError` that repeats nothing of the file.
    package static func read(_ path: String) throws(BlectlError) -> (pair: OutOfBandData.Pair, device: DeviceAddress?) {
        let bytes = try StandardStreams.read(path, limit: limit)
        func damage(_ reason: String) -> BlectlError {
            BlectlError(
                .badData,
                cannot: "use the out-of-band data in \(path)",
                reason,
                hint: "'blectl pair --help' shows what such a file has"
            )
        }
        guard bytes.count <= limit else { throw damage("it is longer than \(limit) octets") }
        guard let file = try? JSONCoding.decode(OutOfBandFile.self, from: bytes) else {
            throw damage("it is not JSON with the members schema, confirm and random")
        }
        guard file.schema == schema else { throw damage("its schema is not \(schema)") }
        guard let hash = SecurityKey(hex: file.confirm), let random = SecurityKey(hex: file.random) else {
            throw damage("confirm and random have to be 32 hexadecimal digits each")
        }
        // The kernel treats zeros as missing data.
        guard hash != .zero, random != .zero else { throw damage("confirm and random must not be all zeros") }
        let pair = OutOfBandData.Pair(hash: hash, randomizer: random)
        guard file.address != nil || file.addressType != nil else { return (pair, nil) }
        guard let address = file.address.flatMap({ BluetoothAddress($0) }),
            let type = file.addressType.flatMap({ AddressType(name: $0) }), type == type.connectionType
        else { throw damage("its address is not valid, or has not the address_type public or random") }
        return (pair, DeviceAddress(address, type))
    }

    package func encoded() throws -> [UInt8] {
        try JSONCoding.encodeForPeople(self)
    }
}

extension PairingSetup {
    /// Writes the out-of-band data of the prepared adapter to a file, for other devices. The adapter makes new data each
    /// time, so that the data of an earlier file become invalid. Throws a `BlectlError`.
    package func writeOutOfBandData(
        of adapter: AdapterDescription,
        to output: OutputFile,
        doing action: String
    ) async throws {
        let pair: OutOfBandData.Pair?
        do throws(RadioError) {
            pair = try await outOfBandData()
        } catch {
            guard error.cause == .unsupported else {
                throw BlectlError(error, doing: action).about(adapter: adapter.name)
            }
            throw BlectlError(
                .bluetoothUnavailable,
                cannot: action,
                "Linux makes such data only for adapters with Secure Simple Pairing, which those without BR/EDR lack",
                hint: "take the data of the device instead: 'blectl pair --help' explains --oob"
            )
            .about(adapter: adapter.name)
        }
        guard let pair else {
            throw BlectlError(.bluetoothUnavailable, cannot: action, "it has no Secure Connections")
        }
        try output.write(try OutOfBandFile(pair, of: adapter.identityAddress).encoded())
    }
}
