// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceBuilder {
    /// Reports why a definition cannot run, at the place of the cause in the file.
    mutating func checkImage(of definition: DeviceDefinition, _ root: JSONCursor) {
        do {
            _ = try definition.image(programs: names.programs)
        } catch {
            switch error {
            case .database(let name, let error):
                let services = name.flatMap { root["databases"]?[$0] } ?? root["services"] ?? root
                check(error, services)
            case .invalidFault(let fault):
                faults.add(root["faults"] ?? root, fault.problem ?? "a fault makes no sense")
            case .nothingToFollow(let reference):
                faults.add(
                    root["services"] ?? root,
                    "a number cannot follow '\(reference.text)', which is not one number that somebody sets; with 'field' it follows one of several"
                )
            case .unknownCharacteristic, .unknownDatabase, .unknownProgram:
                faults.add(root, "a rule refers to something that the device does not have")
            }
        }
    }

    /// Reports a fault of a database at the handle or at the services that cause it.
    private mutating func check(_ error: GATTDatabaseError, _ services: JSONCursor) {
        switch error {
        case .handlesExhausted: faults.add(services, "the attributes need more handles than there are")
        case .handleOutOfOrder(let wrong):
            let cursor = Self.handles(in: services).first { handle($0) == wrong } ?? services
            faults.add(cursor, "the handle \(wrong) is not greater than the one before it")
        case .unknownService(let label): faults.add(services, "no service has the label '\(label.shortened)'")
        case .valueTooLong(let handle, let length):
            faults.add(services, "the value at \(handle) has \(length) octets, but at most 512 fit")
        }
    }

    /// The stated handles of services, characteristics and descriptors, in their order.
    private static func handles(in services: JSONCursor) -> [JSONCursor] {
        services.list.flatMap { service in
            [service["handle"]]
                + (service["characteristics"]?.list ?? []).flatMap { characteristic in
                    [characteristic["declaration_handle"] ?? characteristic["handle"], characteristic["value_handle"]]
                        + (characteristic["descriptors"]?.list ?? []).map { $0["handle"] }
                }
        }.compactMap { $0 }
    }
}
