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

    /// Reads the targets in order. A failure is reported in its place, and the others are read, unless the link or
    /// the device is gone.
    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let targets = options.targets
        var firstFailure: ExitStatus?
        var silence = SilenceTracker(timeout: context.timeout)
        for (index, target) in targets.enumerated() {
            // Only the last read may use the whole timeout.
            let limit = silence.timeLimit(isLast: index == targets.count - 1)
            let result: ValueResult
            do {
                result = try await read(target, of: device, within: limit, in: context)
                silence.recordAnswer()
            } catch {
                let failure = try await describe(error, target, device)
                let failed = ErrorResult(error: failure, timestamp: Timestamp(context.time))
                try await context.results.emit(.failed(failed))
                firstFailure = firstFailure ?? failure.status
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
        if let firstFailure { throw PartialFailure(status: firstFailure) }
    }

    private func read(
        _ target: AttributeTarget,
        of device: ConnectedDevice,
        within limit: Duration,
        in context: OperationContext
    ) async throws -> ValueResult {
        context.notes.progress("reading \(target) …")
        defer { context.notes.clearProgress() }
        let attribute = target.attribute(of: device.peripheral)
        let value = try await context.withTimeout("read \(target)", within: limit) { try await attribute.read() }
        await noteUnexpected(value, target, device, context.notes)
        // A format on the command line wins over the one that the device describes.
        let lookUp: ConnectedDevice.LookUp = options.format == nil ? .format : .place
        let reference = await device.attribute(target, value.handle, lookingUp: lookUp)
        return ValueResult(
            attribute: reference,
            presentation: try ValuePresentation(value.value, of: reference, format: options.format),
            origin: .read,
            timestamp: Timestamp(context.time),
            isLabelled: options.targets.count > 1
        )
    }

    /// The error of one target in words. Rethrows an error that concerns all of them.
    private func describe(
        _ error: any Error,
        _ target: AttributeTarget,
        _ device: ConnectedDevice
    ) async throws -> BlectlError {
        let reference = await device.subjectOfError
        let action = "read \(target) from \(reference.text)"
        var subject = RequestSubject(target: target)
        if case .characteristic(let uuid, let service) = target.kind {
            subject.properties = await device.peripheral.database.known(uuid, in: service).first?.properties
        }
        guard !Task.isCancelled,
            let failure = BlectlError(
                describing: error,
                doing: action,
                to: reference,
                about: await device.completed(subject, by: error)
            )
        else { throw error }
        return failure.about(device: reference, target: target)
    }

    /// Reports what a user may not expect: further attributes that match, and a value that may be cut.
    private func noteUnexpected(
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
