// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

struct WatchedSource: Sendable {
    let profile: Profile
    let source: ProfileSource
    let target: AttributeTarget
    /// The name in front of its values; `nil` if it is the only one.
    let label: String?
}

/// The sources of a device, in the order in which they are subscribed to.
struct WatchPlan: Sendable {
    private(set) var sources: [WatchedSource] = []

    /// Finds the sources of the wanted profiles.
    ///
    /// The sources of a profile are known in advance, so that nothing is asked of the device. Only profiles with
    /// variants, and those that cover all characteristics of a service, need a look at the services.
    init(_ options: WatchOptions, on device: ConnectedDevice, in context: OperationContext) async throws {
        let isLabelled = options.profiles.count > 1
        for profile in options.profiles {
            let found: [(source: ProfileSource, handle: Handle?)]
            if let service = profile.wholeService {
                found = try await context.withTimeout("find the sensors") {
                    try await Self.contents(of: service, on: device)
                }
            } else {
                let sources = try await context.withTimeout("find the sensors") {
                    try await Self.variant(of: profile, on: device)
                }
                found = sources.map { ($0, nil) }
            }
            // `--sensors` chooses by name; without it, all sources are watched.
            for (source, handle) in found where options.sensors?.contains(source.name) ?? true {
                let name = isLabelled && (profile.isForOneTarget || found.count == 1) ? profile.name : source.name
                sources.append(
                    WatchedSource(
                        profile: profile,
                        source: source,
                        target: try Self.target(source, handle),
                        label: isLabelled || found.count > 1 || profile.wholeService != nil ? name : nil
                    )
                )
            }
        }
        guard sources.isEmpty else { return }
        let wanted = options.sensors.map { ": \(Prose.list($0, "and"))" } ?? ""
        throw BlectlError(
            .notFound,
            cannot: "watch \(options.text) on \(device.reference.text)",
            "the device has none of the sensors\(wanted)",
            hint: "what it has: blectl inspect\(device.reference.option)"
        )
    }

    /// The source of a target; `nil` if the target belongs to no source, as the control point of stored
    /// records.
    subscript(target: AttributeTarget) -> WatchedSource? { sources.first { $0.target == target } }

    /// The target of a source. A handle is exact where a service has several characteristics of one UUID.
    private static func target(_ source: ProfileSource, _ handle: Handle?) throws -> AttributeTarget {
        if let handle { return try AttributeTarget("handle:\(handle)") }
        guard let service = source.service else { return try AttributeTarget("\(source.characteristic)") }
        return try AttributeTarget("\(service)/\(source.characteristic)")
    }

    /// The sources of the first variant that fits the device.
    private static func variant(of profile: Profile, on device: ConnectedDevice) async throws -> [ProfileSource] {
        // The first service that the device has decides.
        for variant in profile.variants {
            do {
                _ = try await device.peripheral.service(variant.service).definition()
                return variant.sources
            } catch is MissingAttribute {}
        }
        return profile.sources
    }

    /// The characteristics of a service with known formats. Several of one kind are numbered.
    private static func contents(
        of service: BluetoothUUID,
        on device: ConnectedDevice
    ) async throws -> [(source: ProfileSource, handle: Handle?)] {
        var found: [(ProfileSource, Handle?)] = []
        for characteristic in try await device.peripheral.service(service).characteristics() {
            let definition = try await characteristic.definition()
            let uuid = definition.uuid
            guard CharacteristicValue.isKnown(uuid),
                !definition.properties.isDisjoint(with: [.read, .notify, .indicate])
            else { continue }
            let name = AssignedNumbers.name(ofCharacteristic: uuid).map { AssignedNumber.slug($0) } ?? "\(uuid)"
            let count = found.count { $0.0.characteristic == uuid }
            let label = count == 0 ? name : "\(name)-\(count + 1)"
            found.append((ProfileSource(uuid, in: service, as: label, .sentOrRead), definition.valueHandle))
        }
        return found
    }
}
