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

extension ATTConnection {
    /// Discovers everything.
    ///
    /// Characteristics and included services are asked for once over the whole database, rather than service by service:
    /// that saves a round trip for each service, and the handles say what belongs where.
    public func discoverTree() async throws -> AttributeTree {
        let services = try await discoverServices().sorted { $0.range.start < $1.range.start }
        // The last to begin need not be the last to end, whatever the specification says.
        guard let start = services.first?.range.start, let end = services.map(\.range.end).max() else {
            return AttributeTree(services: [])
        }
        let includes = try await perform(DiscoverIncludedServices(in: HandleRange(start, end)))
        let characteristics = try await perform(DiscoverCharacteristics(in: HandleRange(start, end)))
        var tree: [AttributeTree.Service] = []
        for service in services {
            var children: [AttributeTree.Characteristic] = []
            for characteristic in characteristics.within(service.range, by: \.declaration) {
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
                    includes: Array(includes.within(service.range, by: \.handle)),
                    characteristics: children
                )
            )
        }
        return AttributeTree(services: tree)
    }
}

extension Array {
    /// Those in a range of handles, of elements that stand in the order of their handles: a hostile device has as many
    /// services and characteristics as there are handles, and not all pairs of them can be looked at.
    fileprivate func within(_ range: HandleRange, by handle: (Element) -> Handle) -> ArraySlice<Element> {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if handle(self[middle]) < range.start { low = middle + 1 } else { high = middle }
        }
        return self[low...].prefix { handle($0) <= range.end }
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
