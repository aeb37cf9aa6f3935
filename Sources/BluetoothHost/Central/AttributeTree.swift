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

extension RemoteDatabase {
    /// How often a device is looked at anew that changes its database meanwhile.
    private static let treeAttempts = 4

    /// Discovers everything. All of it is of one database: where that changes meanwhile, what has changed is looked at again.
    public func tree(on link: ATTConnection) async throws -> AttributeTree {
        for _ in 1..<Self.treeAttempts {
            let changes = changeCount
            do {
                let tree = try await assembleTree(on: link)
                if changeCount == changes { return tree }
            } catch let error as GATTError {
                // Two databases together may look like none.
                guard changeCount != changes else { throw error }
            }
        }
        return try await assembleTree(on: link)
    }

    /// Puts together what the device has.
    ///
    /// Characteristics are asked for over the whole database, rather than service by service, and the types of the attributes
    /// behind them from one gap to the next: that saves a round trip or two for each service, and the handles say what
    /// belongs where.
    private func assembleTree(on link: ATTConnection) async throws -> AttributeTree {
        let services = try await answer(on: link) { database throws(DiscoveryStep) in try database.allServices() }
            .sorted { $0.range.start < $1.range.start }
        // The last to begin need not be the last to end, whatever the specification says.
        guard let start = services.first?.range.start, let end = services.map(\.range.end).max() else {
            return AttributeTree(services: [])
        }
        let whole = HandleRange(start, end)
        let characteristics = try await answer(on: link) { database throws(DiscoveryStep) in
            try database.characteristics(in: whole)
        }
        let horizon = characteristics.last?.end ?? end
        var children: [[AttributeTree.Characteristic]] = []
        for service in services {
            var own: [AttributeTree.Characteristic] = []
            for characteristic in characteristics.within(service.range, by: \.declaration) {
                let characteristic = characteristic.ending(at: min(characteristic.end, service.range.end))
                let descriptors = try await answer(on: link) { database throws(DiscoveryStep) in
                    try database.descriptors(of: characteristic, lookingTo: horizon)
                }
                own.append(AttributeTree.Characteristic(characteristic: characteristic, descriptors: descriptors))
            }
            children.append(own)
        }
        // Last, because by now it is known of most handles that no include declaration stands there.
        let includes = try await answer(on: link) { database throws(DiscoveryStep) in
            try database.includedServices(in: whole)
        }
        return AttributeTree(
            services: zip(services, children).map { service, characteristics in
                AttributeTree.Service(
                    service: service,
                    includes: Array(includes.within(service.range, by: \.handle)),
                    characteristics: characteristics
                )
            }
        )
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
