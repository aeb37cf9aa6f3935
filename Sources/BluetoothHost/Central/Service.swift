// SPDX-License-Identifier: MIT

public import Bluetooth

/// A service of a device. No request is sent before an operation needs it.
public struct Service: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// The selection of one of the device's services, so that it is found again on each link.
    public let selector: ServiceSelector

    /// The UUID; `nil` if the service was chosen by its handle.
    public var uuid: BluetoothUUID? { selector.uuid }

    package func definition() async throws -> GATTService {
        let selector = selector
        return try await peripheral.answer { database throws(DiscoveryStep) in try database.service(selector) }.get()
    }

    package func includedServices() async throws -> [GATTIncludedService] {
        let service = try await definition()
        return try await peripheral.answer { database throws(DiscoveryStep) in
            try database.includedServices(of: service)
        }
    }

    /// A characteristic of the service.
    public func characteristic(_ uuid: BluetoothUUID, index: Int = 0) -> Characteristic {
        Characteristic(peripheral: peripheral, selector: .uuid(uuid, index: index, service: selector))
    }

    package func characteristics(_ uuid: BluetoothUUID? = nil) async throws -> [Characteristic] {
        guard let contents = try await definition().contents else { return [] }
        let found = try await peripheral.answer { database throws(DiscoveryStep) in
            try database.characteristics(in: contents)
        }
        return found.numbered(by: \.uuid).filter { uuid == nil || $0.uuid == uuid }
            .map { characteristic($0.uuid, index: $0.index) }
    }
}

extension Array {
    /// The UUID of each element, with its index among those of the same UUID.
    func numbered(by uuid: (Element) -> BluetoothUUID) -> [(uuid: BluetoothUUID, index: Int)] {
        var counts: [BluetoothUUID: Int] = [:]
        return map { element in
            let uuid = uuid(element)
            defer { counts[uuid, default: 0] += 1 }
            return (uuid, counts[uuid, default: 0])
        }
    }
}
