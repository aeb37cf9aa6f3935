// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// Reports the decoded measurements of a profile. Some are read once before the subscription.
struct WatchOperation: DeviceOperation {
    let options: WatchOptions

    init(_ options: WatchOptions) { self.options = options }

    func action(on device: DeviceReference) -> String { "watch \(options.profile.name) on \(device.text)" }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let profile = options.profile
        let reporter = MeasurementReporter(profile: profile, device: device.reference, results: context.results)
        let limits = options.limits
        let tally = Tally()
        for uuid in profile.initialReads where !limits.isReached(tally) {
            guard let value = try await initialValue(uuid, on: device, in: context) else { continue }
            tally.add()
            try await reporter.report(value.value, at: value.handle, of: uuid, tally.count, Timestamp(context.time))
        }
        guard !limits.isReached(tally) else { return }
        let readCount = tally.count
        let observation = TargetObservation(
            context: context,
            device: device,
            targets: try profile.measurements.map { try AttributeTarget("\(profile.service)/\($0)") },
            limits: limits,
            counted: .measurement,
            tally: tally,
            // The device does not repeat changes that happened in a gap.
            readAfterGaps: profile.initialReads,
            // `watch` takes no handle, but `notify` does.
            ambiguity: AmbiguityNotes(notes: context.notes, handlePrefix: "blectl notify handle:")
        )
        try await observation.run { value, target, number in
            guard let uuid = target.characteristic else { return }
            try await reporter.report(value.value, at: value.handle, of: uuid, readCount + number, value.timestamp)
        }
    }

    /// Reads an initial value; `nil` if the device lacks the characteristic.
    private func initialValue(
        _ uuid: BluetoothUUID,
        on device: ConnectedDevice,
        in context: OperationContext
    ) async throws -> AttributeValue? {
        let characteristic = device.peripheral.service(options.profile.service).characteristic(uuid)
        do {
            return try await context.withTimeout("read \(uuid)") { try await characteristic.read() }
        } catch MissingAttribute.characteristic {
            return nil
        }
    }
}

/// Reports values of characteristics as measurements of the profile.
private struct MeasurementReporter: Sendable {
    let profile: Profile
    let device: DeviceReference
    let results: any ResultSink

    private let references = AttributeReferences()

    init(profile: Profile, device: DeviceReference, results: any ResultSink) {
        self.profile = profile
        self.device = device
        self.results = results
    }

    func report(
        _ bytes: [UInt8],
        at handle: Handle,
        of uuid: BluetoothUUID,
        _ sequence: Int,
        _ timestamp: Timestamp
    ) async throws {
        let attribute = references.reference(uuid.description, handle) {
            AttributeReference(
                device: device,
                target: profile.name,
                handle: handle,
                service: profile.service,
                characteristic: uuid,
                descriptor: nil
            )
        }
        let result = MeasurementResult(
            profile: profile.name,
            attribute: attribute,
            presentation: try ValuePresentation(bytes, of: attribute, format: nil),
            sequence: sequence,
            timestamp: timestamp
        )
        try await results.emit(.measurement(result))
    }
}
