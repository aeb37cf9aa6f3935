// SPDX-License-Identifier: MIT

import Bluetooth

struct DeviceCode: Sendable {
    private var code: [DeviceHooks.Place: CharacteristicCode] = [:]

    init() {}

    /// The closures of all databases of a definition. Two characteristics of one UUID in one service share theirs.
    init(_ definition: DeviceDefinition) {
        for service in definition.services + definition.databases.values.flatMap(\.self) {
            for characteristic in service.characteristics {
                guard let closures = characteristic.closures else { continue }
                code[.characteristic(characteristic.uuid, service: service.uuid)] = closures
            }
        }
    }

    var isEmpty: Bool { code.isEmpty }

    /// The requests about which closures decide.
    var hooks: DeviceHooks {
        DeviceHooks(
            code.compactMapValues { code in
                let operations: DeviceHooks.Operations = [
                    code.read == nil ? [] : .read, code.write == nil ? [] : .write,
                ]
                return operations.isEmpty ? nil : operations
            }
        )
    }

    func handles(in database: GATTDatabase) -> [Handle: CharacteristicCode] {
        var found: [Handle: CharacteristicCode] = [:]
        for (place, code) in code {
            for handle in DeviceHooks.handles(of: place, in: database) { found[handle] = code }
        }
        return found
    }
}
