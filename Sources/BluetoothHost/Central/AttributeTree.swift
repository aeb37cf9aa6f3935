// SPDX-License-Identifier: MIT

public import Bluetooth

/// The whole database of a device: services with their included services, characteristics and descriptors.
public struct AttributeTree: Sendable, Hashable {
    /// A service and its contents.
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
    /// How often discovery is tried while the database changes. Limited, because a faulty device announces changes
    /// without end.
    private static let treeAttempts = 4

    /// Discovers everything. If the database changes meanwhile, the changed part is discovered again, so that the whole
    /// tree is of one database.
    public func tree(on link: ATTConnection) async throws -> AttributeTree {
        // All attempts but the last may be repeated; the last one's result or error counts.
        for _ in 1..<Self.treeAttempts {
            let changes = changeCount
            do {
                let tree = try await assembleTree(on: link)
                if changeCount == changes { return tree }
            } catch let error as GATTError {
                // Parts of two databases may not fit together.
                guard changeCount != changes else { throw error }
            }
        }
        return try await assembleTree(on: link)
    }

    /// Discovers the tree once.
    ///
    /// Characteristics are discovered over the whole database rather than service by service, and the types of the
    /// attributes after them from one gap to the next. That saves a round trip or two for each service, and the handles
    /// show which attribute belongs to which service.
    private func assembleTree(on link: ATTConnection) async throws -> AttributeTree {
        let services = try await answer(on: link) { database throws(DiscoveryStep) in try database.allServices() }
            .sorted { $0.range.start < $1.range.start }
        // On a hostile device the last service to begin need not be the last to end.
        guard let start = services.first?.range.start, let end = services.map(\.range.end).max() else {
            return AttributeTree(services: [])
        }
        let whole = HandleRange(start, end)
        let characteristics = try await answer(on: link) { database throws(DiscoveryStep) in
            try database.characteristics(in: whole)
        }
        // After the last characteristic only its own descriptors follow.
        let horizon = characteristics.last?.end ?? end
        var children: [[AttributeTree.Characteristic]] = []
        for service in services {
            var own: [AttributeTree.Characteristic] = []
            for characteristic in characteristics.within(service.range, by: \.declaration) {
                // A hostile device may let a characteristic end after its service.
                let characteristic = characteristic.ending(at: min(characteristic.end, service.range.end))
                let descriptors = try await answer(on: link) { database throws(DiscoveryStep) in
                    try database.descriptors(of: characteristic, lookingTo: horizon)
                }
                own.append(AttributeTree.Characteristic(characteristic: characteristic, descriptors: descriptors))
            }
            children.append(own)
        }
        // Last, because most handles are known by now to hold no include declaration.
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
    /// The elements in a range of handles, found by binary search in an array sorted by handle. A hostile device has as
    /// many services and characteristics as there are handles, so comparing all pairs would take too long.
    fileprivate func within(_ range: HandleRange, by handle: (Element) -> Handle) -> ArraySlice<Element> {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if handle(self[middle]) < range.start { low = middle + 1 } else { high = middle }
        }
        return self[low...].prefix { handle($0) <= range.end }
    }
}

extension AttributeTree {
    /// The tree of what is known of a database, without a request for the rest of it.
    package init(known database: DiscoveredDatabase) {
        var declarations = database.declarations[...]
        var attributes = database.attributes[...]
        var includes = database.includes[...]
        services = database.services.map { service in
            // All of these are in the order of their handles, so that each is looked at once.
            let range = service.range
            declarations = declarations.drop { $0.declaration < range.start }
            includes = includes.drop { $0.handle < range.start }
            let own = declarations.prefix { $0.declaration <= range.end }
            let characteristics = own.indices.map { index in
                let next = index + 1 < own.endIndex ? own[index + 1].declaration : nil
                let value = own[index].valueHandle
                attributes = attributes.drop { $0.handle <= value }
                let end = next?.previous ?? range.end
                let after = attributes.prefix { $0.handle <= min(end, range.end) }
                let descriptors = after.prefix { !$0.uuid.isDeclaration }
                    .map { GATTDescriptor(handle: $0.handle, uuid: $0.uuid) }
                return Characteristic(
                    characteristic: own[index].ending(at: next?.previous ?? max(range.end, value)),
                    descriptors: descriptors
                )
            }
            return Service(
                service: service,
                includes: Array(includes.prefix { $0.handle <= range.end }),
                characteristics: characteristics
            )
        }
    }
}
