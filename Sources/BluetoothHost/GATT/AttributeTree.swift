// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// All that a device has, as a tree: services with what they include, their characteristics and the descriptors of those.
public struct AttributeTree: Sendable, Hashable {
    /// A service and what is in it.
    public struct Service: Sendable, Hashable {
        /// The service.
        public let service: GATTService
        /// The services that it includes.
        public let includes: [GATTIncludedService]
        /// Its characteristics, in the order of their handles.
        public let characteristics: [Characteristic]
    }

    /// A characteristic and its descriptors.
    public struct Characteristic: Sendable, Hashable {
        /// The characteristic.
        public let characteristic: GATTCharacteristic
        /// Its descriptors, in the order of their handles.
        public let descriptors: [GATTDescriptor]
    }

    /// The services in the order of their handles.
    public let services: [Service]
}

extension Peripheral {
    /// Discovers everything.
    ///
    /// Characteristics and included services are asked for once over the whole database, rather than service by service:
    /// that saves a round trip for each service, and the handles say what belongs where.
    public func discoverTree() async throws -> AttributeTree {
        let services = try await discoverServices().sorted { $0.range.start < $1.range.start }
        guard let first = services.first, let last = services.last else { return AttributeTree(services: []) }
        let range = HandleRange(first.range.start, last.range.end)
        let includes = try await perform(DiscoverIncludedServices(in: range))
        let characteristics = try await perform(DiscoverCharacteristics(in: range))
        var tree: [AttributeTree.Service] = []
        for service in services {
            var children: [AttributeTree.Characteristic] = []
            for characteristic in characteristics where service.range.contains(characteristic.declaration) {
                let characteristic = characteristic.limited(to: service.range)
                var descriptors: [GATTDescriptor] = []
                if let range = characteristic.descriptorRange {
                    descriptors = try await perform(DiscoverDescriptors(in: range))
                }
                children.append(AttributeTree.Characteristic(characteristic: characteristic, descriptors: descriptors))
            }
            tree.append(
                AttributeTree.Service(
                    service: service,
                    includes: includes.filter { service.range.contains($0.handle) },
                    characteristics: children
                )
            )
        }
        return AttributeTree(services: tree)
    }
}

extension GATTCharacteristic {
    /// The characteristic, ending where its service ends at the latest.
    fileprivate func limited(to service: HandleRange) -> GATTCharacteristic {
        guard end > service.end else { return self }
        return GATTCharacteristic(
            declaration: declaration,
            valueHandle: valueHandle,
            properties: properties,
            uuid: uuid,
            end: service.end
        )
    }
}
