// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Toolkit

/// The addresses of controllers that are not the kernel's, in a file of the user: `addresses` in the state folder.
///
/// Devices know such a controller by its address, and their bonds belong to it. One without a public address has the same
/// static random one the next time.
struct ControllerAddresses: Sendable {
    private struct File: Codable {
        var schema = ControllerAddresses.schema
        /// The addresses by the names of controllers: `serial:/dev/ttyACM0,1000000`.
        var addresses: [String: String] = [:]
    }

    private static let schema = "blectl-addresses/1"
    private static let name = "addresses"
    private static let sizeLimit = 1 << 16
    /// The number of controllers that are remembered.
    private static let limit = 256

    private let folder: StateFolder
    private let time: any TimeSource

    /// `nil` if the user has no such folder.
    init?(_ time: any TimeSource) {
        guard let folder = StateFolder.state(environment: environment) else { return nil }
        self.folder = folder
        self.time = time
    }

    /// The names of the controllers by their addresses. The kernel's own (`user:hci0`) are none of them.
    var names: [BluetoothAddress: String] {
        let known = Self.file(in: folder.contents(of: Self.name, limit: Self.sizeLimit))?.addresses ?? [:]
        var names: [BluetoothAddress: String] = [:]
        for (name, text) in known.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("user:") {
            if let address = BluetoothAddress(text) { names[address] = name }
        }
        return names
    }

    /// The static random address that a controller had before; `nil` if it had none.
    func address(of controller: String) -> BluetoothAddress? {
        let file = Self.file(in: folder.contents(of: Self.name, limit: Self.sizeLimit))
        let address = file?.addresses[controller].flatMap { BluetoothAddress($0) }
        return address.flatMap { DeviceAddress($0, .random).kind == .randomStatic ? $0 : nil }
    }

    func keep(_ address: BluetoothAddress, of controller: String) async {
        guard address.rawValue != 0, names[address] != controller else { return }
        await folder.update(Self.name, limit: Self.sizeLimit, time: time) { old in
            var file = Self.file(in: old) ?? File()
            if file.addresses.count >= Self.limit { file.addresses = [:] }
            file.addresses[controller] = address.description
            return try? JSONCoding.encodeForPeople(file)
        }
    }

    private static func file(in contents: StateFolder.Contents) -> File? {
        guard let bytes = contents.bytes, let file = try? JSONCoding.decode(File.self, from: bytes),
            file.schema == schema
        else { return nil }
        return file
    }
}
