// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Reads attributes. A failed one does not keep the others from being read.
struct ReadOperation: DeviceOperation {
    let options: ReadOptions

    init(_ options: ReadOptions) { self.options = options }

    func action(on device: DeviceReference) -> String { "read from \(device.text)" }

    /// Reads once, or again and again. What `SERVICE/*` stands for is found out first.
    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        var targets: [AttributeTarget] = []
        var firstFailure: ExitStatus?
        for target in options.targets {
            do {
                targets += try await context.withTimeout("find \(target.text)") {
                    try await target.attributes(of: device)
                }
            } catch  where options.targets.count > 1 && (error is MissingAttribute || error is BlectlError) {
                let action = "read \(target.text) from \(device.reference.text)"
                guard let failure = BlectlError(describing: error, doing: action, to: device.reference)
                else { throw error }
                try await context.report(failure.about(device: device.reference), &firstFailure)
            }
        }
        if let period = options.period, !targets.isEmpty {
            try await observe(targets, every: period, on: device, in: context)
        } else {
            firstFailure = try await read(targets, of: device, in: context) ?? firstFailure
        }
        if let firstFailure { throw PartialFailure(status: firstFailure) }
    }

    /// Reads the targets in order. A failure is reported in its place, and the others are read, unless the link or
    /// the device is gone. Returns the status of the first failure.
    private func read(
        _ targets: [AttributeTarget],
        of device: ConnectedDevice,
        in context: OperationContext
    ) async throws -> ExitStatus? {
        var firstFailure: ExitStatus?
        var silence = SilenceTracker(timeout: context.timeout)
        let ahead = await device.readAhead(targets, within: silence.timeLimit(isLast: false), in: context)
        for (index, target) in targets.enumerated() {
            // Only the last read may use the whole timeout.
            let limit = silence.timeLimit(isLast: index == targets.count - 1)
            let known = ahead.isEmpty ? nil : ahead[index]
            let result: ValueResult
            do {
                let isOneOfSeveral = targets.count > 1
                result = try await read(target, known, of: device, within: limit, isOneOfSeveral, in: context)
                silence.recordAnswer()
            } catch {
                let failure = try await describe(error, target, device)
                try await context.report(failure, &firstFailure)
                if error.isSilence {
                    silence.recordSilence()
                    // The unanswered request blocks the bearer: the next target needs a new one.
                    if silence.isDeviceGone || index == targets.count - 1 {
                        await device.peripheral.disconnect()
                    } else {
                        await device.peripheral.abandonLink()
                    }
                } else if (error as? SecurityFailure)?.refusal != nil {
                    // The device has answered. The link was closed, and the others are read from a new one.
                    silence.recordAnswer()
                    await device.peripheral.abandonLink()
                    continue
                } else if await device.peripheral.isConnected {
                    silence.recordAnswer()
                    continue
                }
                // Without a link the other targets would fail, too.
                if error.isSilence, !silence.isDeviceGone { continue }
                noteUntried(targets[(index + 1)...], context.notes)
                break
            }
            try await context.results.emit(.value(result))
        }
        return firstFailure
    }

    private func read(
        _ target: AttributeTarget,
        _ known: Result<AttributeValue, any Error>?,
        of device: ConnectedDevice,
        within limit: Duration,
        _ isLabelled: Bool,
        in context: OperationContext
    ) async throws -> ValueResult {
        context.notes.progress("reading \(target) …")
        defer { context.notes.clearProgress() }
        let value = if let known { try known.get() } else { try await device.read(target, within: limit, in: context) }
        await noteUnexpected(value, target, device, context.notes)
        let attribute = await reference(target, value.handle, of: device)
        return try result(value, attribute, .read, Timestamp(context.time), isLabelled)
    }

    /// How results refer to an attribute. A format on the command line wins over the one that the device describes.
    func reference(_ target: AttributeTarget, _ handle: Handle, of device: ConnectedDevice) async -> AttributeReference
    {
        await device.attribute(target, handle, lookingUp: options.format == nil ? .format : .place)
    }

    func result(
        _ value: AttributeValue,
        _ attribute: AttributeReference,
        _ origin: ValueResult.Origin,
        _ timestamp: Timestamp,
        _ isLabelled: Bool
    ) throws -> ValueResult {
        ValueResult(
            attribute: attribute,
            presentation: try ValuePresentation(value.value, of: attribute, format: options.format),
            origin: origin,
            timestamp: timestamp,
            isLabelled: isLabelled
        )
    }

    /// The error of one target in words. Rethrows an error that concerns all of them.
    func describe(
        _ error: any Error,
        _ target: AttributeTarget,
        _ device: ConnectedDevice
    ) async throws -> BlectlError {
        let action = "read \(target) from \(device.reference.text)"
        var subject = RequestSubject(target: target)
        if case .characteristic(let uuid, let service) = target.kind {
            subject.properties = await device.peripheral.database.known(uuid, in: service).first?.properties
        }
        guard !Task.isCancelled, let failure = await device.described(error, doing: action, about: subject)
        else { throw error }
        return failure.about(device: device.reference, target: target)
    }

    /// Reports what a user may not expect: further attributes that match, and a value that may be cut.
    func noteUnexpected(
        _ value: AttributeValue,
        _ target: AttributeTarget,
        _ device: ConnectedDevice,
        _ notes: any NoteSink
    ) async {
        let ambiguity = AmbiguityNotes(notes: notes)
        if value.others > 0 {
            ambiguity.noteOthers(of: target, count: value.others + 1, taken: value.handle)
        } else if case .characteristic(_, let service?) = target.kind {
            await ambiguity.noteOtherServices(service, taken: value.handle, on: device)
        }
        if value.isCut {
            notes.note("\(target) may be cut: the device gave only \(value.value.count) octets of it")
        }
    }

    private func noteUntried(_ targets: ArraySlice<AttributeTarget>, _ notes: any NoteSink) {
        guard !targets.isEmpty else { return }
        notes.note("not tried: \(Prose.list(targets.map(\.text), "and"))")
    }
}
