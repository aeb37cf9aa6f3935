// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Toolkit

/// The check that the target of a write is the only attribute that it can mean: a write that changes the wrong one
/// cannot be undone.
struct OnlyMatch {
    /// The number of attributes that the message lists.
    private static let listed = 8

    let target: AttributeTarget
    let device: ConnectedDevice

    /// Throws if the target fits several attributes. Takes one request, unless the answer is known.
    func check() async throws {
        guard try await hasTwin() else { return }
        // Only now the discovery of the whole database is worth its requests. It also returns the services.
        let matches = try await device.peripheral.tree().matches(for: target)
        guard matches.count > 1 else { return }
        throw refusal(matches)
    }

    /// Whether another attribute matches the target as well. A handle is unique.
    private func hasTwin() async throws -> Bool {
        switch target.kind {
        case .handle: return false
        case .characteristic(let uuid, let service):
            return try await device.peripheral.characteristic(uuid, in: service).hasTwin()
        case .descriptor(let uuid, let characteristic, let service):
            let parent = device.peripheral.characteristic(characteristic, in: service)
            if try await parent.hasTwin() { return true }
            return try await parent.descriptor(uuid).hasTwin()
        }
    }

    /// The error for several matches, with the words that name one of them. The service is suggested only if it is
    /// enough to tell them apart.
    private func refusal(_ matches: [AttributeMatch]) -> BlectlError {
        let shown = matches.prefix(Self.listed).map(\.text)
        let rest = matches.count - shown.count
        let list = shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        let services = Set(matches.map(\.service))
        let isServiceEnough = target.service == nil && services.count == matches.count
        // The first handle serves as an example of the notation.
        let handle = matches.first.map { "handle:\($0.handle)" } ?? ""
        return BlectlError(
            .notFound,
            "several attributes of \(device.reference.text) match \(target), and this would change one of them: \(list)",
            hint: "name the attribute: \(isServiceEnough ? "SERVICE/\(target) or " : "")\(handle)"
        )
    }
}

/// An attribute that a target can mean.
struct AttributeMatch: Equatable {
    let service: BluetoothUUID
    let handle: Handle

    fileprivate var text: String { "\(handle) in \(serviceText(service))" }
}

extension AttributeTree {
    /// The attributes that a target can mean, in the order of their handles; none for a handle.
    func matches(for target: AttributeTarget) -> [AttributeMatch] {
        var matches: [AttributeMatch] = []
        for service in services {
            // Targets name primary services. A secondary service is only reached through an include.
            if let wanted = target.service, !service.service.isPrimary || service.service.uuid != wanted { continue }
            for node in service.characteristics where node.characteristic.uuid == target.characteristic {
                let handles: [Handle]
                if case .descriptor(let uuid, _, _) = target.kind {
                    handles = node.descriptors.filter { $0.uuid == uuid }.map(\.handle)
                } else {
                    handles = [node.characteristic.valueHandle]
                }
                matches += handles.map { AttributeMatch(service: service.service.uuid, handle: $0) }
            }
        }
        return matches
    }
}
