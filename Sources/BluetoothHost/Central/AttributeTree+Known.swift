// SPDX-License-Identifier: MIT

package import Bluetooth

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
