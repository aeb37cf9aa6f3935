// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothDevices
import CommandLineInterface
package import Toolkit

extension CapturedGATT {
    /// The databases that the file of `--gatt` tells: a device file, or another capture.
    ///
    /// - Parameter devices: The devices that a device file is about; empty for all.
    package static func knowledge(
        in path: String,
        of devices: Set<BluetoothAddress>,
        _ context: CommandContext
    ) async throws -> Knowledge {
        guard try DeviceFiles.isText(path) else {
            var gatt = CapturedGATT()
            let failure = try await CaptureReading([path], in: context).forEach(&gatt) { _, _ in }
            if let failure { throw failure }
            return gatt.databases
        }
        let definition = try await context.reading(path) { try DeviceFiles.device(path) }
        let database: DiscoveredDatabase?
        do {
            database = try definition.image().database.discovered
        } catch {
            throw BlectlError(.badData, cannot: "use \(path)", "\(error)")
        }
        return { devices.isEmpty || devices.contains($0) ? database : nil }
    }
}

extension GATTDatabase {
    /// The database as a client knows it that has discovered everything except what is included.
    fileprivate var discovered: DiscoveredDatabase? {
        let all = HandleSet([.all])
        var coverage = DiscoveredDatabase.Coverage()
        (coverage.primaryServices, coverage.secondaryServices) = (all, all)
        (coverage.characteristics, coverage.attributes) = (all, all)
        return DiscoveredDatabase(
            services: services,
            includes: [],
            declarations: characteristics(),
            attributes: attributes.map { AttributeType(handle: $0.handle, uuid: $0.type) },
            coverage: coverage
        )
    }
}
