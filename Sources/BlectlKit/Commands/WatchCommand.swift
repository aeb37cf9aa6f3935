// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// `blectl watch`: the measurements of a profile, decoded.
struct WatchCommand {
    let context: CommandContext

    private let references = AttributeReferences()

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        let profile = context.arguments[WatchSpec.profile]
        try await context.withDevice(service: profile.service, mayChange: false) { device in
            do {
                try await watch(profile, on: device)
            } catch {
                let action = "watch \(profile.name) on \(device.reference.text)"
                throw BlectlError(describing: error, doing: action, to: device.reference) ?? error
            }
        }
    }

    private func watch(_ profile: Profile, on device: ConnectedDevice) async throws {
        let limit = context.arguments[WatchSpec.count]
        var sequence = 0
        for uuid in profile.initialReads where limit.map({ sequence < $0 }) ?? true {
            guard let value = try await initialValue(uuid, of: profile, on: device) else { continue }
            sequence += 1
            try await emit(
                value.value,
                at: value.handle,
                of: uuid,
                profile,
                device,
                sequence: sequence,
                timestamp: Timestamp(context.time)
            )
        }
        let offset = sequence
        guard limit.map({ offset < $0 }) ?? true else { return }
        let targets = try profile.measurements.map { uuid in
            try AttributeTarget("\(profile.service)/\(uuid)")
        }
        let session = ValueSession(
            context: context,
            device: device,
            targets: targets,
            count: limit.map { $0 - offset },
            duration: context.arguments[WatchSpec.duration],
            // What was read at the beginning may have changed in a gap, and the device does not say so again.
            readAfterGaps: profile.initialReads
        )
        try await session.run { value, target, number in
            guard let uuid = target.characteristic else { return }
            try await emit(
                value.value,
                at: value.handle,
                of: uuid,
                profile,
                device,
                sequence: offset + number,
                timestamp: value.timestamp
            )
        }
    }

    /// A value that is read once at the beginning; a device may lack it.
    private func initialValue(
        _ uuid: BluetoothUUID,
        of profile: Profile,
        on device: ConnectedDevice
    ) async throws -> AttributeValue? {
        do {
            return try await context.withTimeout("read \(uuid)") {
                try await device.peripheral.service(profile.service).characteristic(uuid).read()
            }
        } catch MissingAttribute.characteristic {
            return nil
        }
    }

    private func emit(
        _ bytes: [UInt8],
        at handle: Handle,
        of uuid: BluetoothUUID,
        _ profile: Profile,
        _ device: ConnectedDevice,
        sequence: Int,
        timestamp: Timestamp
    ) async throws {
        let attribute = references.reference(uuid.description, handle) {
            AttributeReference(
                device: device.reference,
                target: profile.name,
                handle: handle,
                service: profile.service,
                characteristic: uuid,
                descriptor: nil
            )
        }
        try await context.output.emit(
            MeasurementResult(
                profile: profile.name,
                attribute: attribute,
                presentation: try ValuePresentation(bytes, of: attribute, format: nil),
                sequence: sequence,
                timestamp: timestamp
            )
        )
    }
}
