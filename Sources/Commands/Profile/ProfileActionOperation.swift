// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Performs an action of a profile, and reports its outcome.
struct ProfileActionOperation: DeviceOperation {
    /// The longest time in which a control point answers. Spec: Core 5.4, Vol 3, Part F, 3.3.3
    private static let answerTimeout = Duration.seconds(30)

    let options: ProfileOptions
    /// The distance of the local time from UTC at a moment, in seconds.
    let zone: @Sendable (WallTime) -> Int

    func action(on device: DeviceReference) -> String { "do \(options.text) on \(device.text)" }

    private struct Outcome {
        let characteristic: BluetoothUUID
        var written: [UInt8]?
        var answer: [UInt8]?
        let words: String
    }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let action = options.action
        // A control point may take half a minute for its answer.
        context.notes.progress("waiting for \(device.reference.text) …")
        let outcome =
            switch action.work {
            case .write(let content, to: let uuid, in: _):
                try await write(content, to: uuid, on: device, in: context)
            case .request(let requests, at: let point):
                try await request(requests, at: point, on: device, in: context)
            case .records(let request, let access):
                try await records(request, access, on: device, in: context)
            case .setTime:
                try await setTime(on: device, in: context)
            case .read(let uuid, in: let service, after: let first):
                try await read(uuid, in: service, after: first, on: device, in: context)
            }
        context.notes.clearProgress()
        let result = ActionResult(
            device: device.reference,
            profile: action.profile,
            action: action.name,
            service: action.service,
            characteristic: outcome.characteristic,
            written: outcome.written,
            answer: outcome.answer,
            words: outcome.words,
            timestamp: Timestamp(context.time)
        )
        try await context.results.emit(.other(result))
    }

    // MARK: - Writes and reads

    /// Writes a value. Without a response only if the characteristic has no other way, because a response shows that
    /// the device has taken it.
    private func write(
        _ content: DecodedValue.Content,
        to uuid: BluetoothUUID,
        on device: ConnectedDevice,
        in context: OperationContext
    ) async throws -> Outcome {
        guard let format = CharacteristicFormat.of(uuid) else {
            throw BlectlError(.internalError, cannot: action(on: device.reference), "\(uuid) has no format")
        }
        let octets = try format.encode(content)
        let characteristic = device.peripheral.service(options.action.service).characteristic(uuid)
        try await context.withTimeout("write \(uuid)") {
            // Immediate Alert is only written without a response.
            // The definition is cached, so the write does not discover the characteristic again.
            let properties = try await characteristic.definition().properties
            if properties.contains(.writeWithoutResponse), !properties.contains(.write) {
                try await characteristic.writeWithoutResponse(octets)
            } else {
                _ = try await characteristic.write(octets)
            }
        }
        return Outcome(characteristic: uuid, written: octets, words: options.action.outcome)
    }

    private func read(
        _ uuid: BluetoothUUID,
        in service: BluetoothUUID,
        after first: ProfileSource.Write?,
        on device: ConnectedDevice,
        in context: OperationContext
    ) async throws -> Outcome {
        // A device may provide the value only after this write.
        if let first {
            let control = device.peripheral.service(service).characteristic(first.characteristic)
            try await context.withTimeout("write \(first.characteristic)") { _ = try await control.write(first.value) }
        }
        let value = try await context.withTimeout("read \(uuid)") {
            try await device.peripheral.service(service).characteristic(uuid).read()
        }
        let presentation = ValuePresentation(value.value, ofCharacteristic: uuid)
        return Outcome(
            characteristic: uuid,
            written: first?.value,
            answer: value.value,
            words: presentation.decoded?.fullText ?? ValuePresentation.text(ofOctets: value.value)
        )
    }

    // MARK: - Control points

    /// Sends requests to a control point, one after the other. An answer counts only if it names the request.
    private func request(
        _ requests: [[UInt8]],
        at point: ProfileAction.ControlPoint,
        on device: ConnectedDevice,
        in context: OperationContext
    ) async throws -> Outcome {
        let characteristic = device.peripheral.service(point.service).characteristic(point.characteristic)
        var last: (request: [UInt8], answer: [UInt8]) = ([], [])
        for request in requests {
            let answer = try await ask(characteristic, request, in: context) { answer in
                // The octets are the response code, the opcode of the request, and the result.
                answer.count >= 3 && answer[0] == point.answerCode && answer[1] == request.first
            }
            if let failure = point.failure(answer[2]) { throw refusal(failure, device.reference) }
            last = (request, answer)
        }
        return Outcome(
            characteristic: point.characteristic,
            written: last.request,
            answer: last.answer,
            words: options.action.outcome
        )
    }

    /// Asks for stored records. No matching record is a result and no error.
    private func records(
        _ request: RecordAccess.Request,
        _ access: RecordAccess,
        on device: ConnectedDevice,
        in context: OperationContext
    ) async throws -> Outcome {
        let uuid = RecordAccess.characteristic
        let octets = RecordAccess.encode(request, options.records)
        let characteristic = device.peripheral.service(access.service).characteristic(uuid)
        // Any other value, such as an answer to an earlier request, is skipped.
        let answer = try await ask(characteristic, octets, in: context) { RecordAccess.answer($0) != .unknown }
        let words: String
        switch RecordAccess.answer(answer) {
        case .count(let count): words = "\(count: count, "record")"
        case .outcome(of: _, .success): words = options.action.outcome
        case .outcome(of: _, .noRecords): words = "no such records"
        case .outcome(of: _, let outcome): throw refusal(outcome.name, device.reference)
        case .unknown: words = ValuePresentation.text(ofOctets: answer)
        }
        return Outcome(characteristic: uuid, written: octets, answer: answer, words: words)
    }

    private func refusal(_ reason: String, _ device: DeviceReference) -> BlectlError {
        BlectlError(.protocolError, cannot: action(on: device), "the device answered: \(reason)")
    }

    private func ask(
        _ characteristic: Characteristic,
        _ request: [UInt8],
        in context: OperationContext,
        where isAnswer: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws -> [UInt8] {
        // Subscribed before the write, so that the answer cannot be missed.
        let observation = try await context.withTimeout("subscribe to the control point") {
            try await characteristic.observe()
        }
        return try await withCleanup {
            try await context.withTimeout("write to the control point") { _ = try await characteristic.write(request) }
            return try await context.withTimeout("answer of the control point", within: Self.answerTimeout) {
                while true {
                    guard case .value(let value, of: _) = try await observation.next().kind else { continue }
                    if isAnswer(value.value) { return value.value }
                }
            }
        } cleanup: {
            await context.scope.cleanUp(context.time) { await observation.end() }
        }
    }

    // MARK: - Time

    /// Spec: Current Time Service 1.1, 3.1 and 3.2
    private func setTime(on device: ConnectedDevice, in context: OperationContext) async throws -> Outcome {
        let service = device.peripheral.service(0x1805)
        let now = context.time.wallClock
        let offset = zone(now)
        // Quarters of an hour, and no daylight saving.
        let quarters = Int8(clamping: offset / 900)
        do {
            try await context.withTimeout("write the time zone") {
                _ = try await service.characteristic(0x2A0F).write([UInt8(bitPattern: quarters), 0])
            }
        } catch is MissingAttribute {
            context.notes.detail("the device does not know its time zone")
        } catch let error as GATTError {
            let why = BlectlError(describing: error, doing: "set the time zone")?.message ?? "\(error)"
            context.notes.note(why)
        }
        // Taken again, because the write of the time zone may have taken seconds.
        let time = LocalTime(context.time.wallClock, offset: offset)
        try await context.withTimeout("write the time") {
            _ = try await service.characteristic(0x2A2B).write(time.octets)
        }
        return Outcome(
            characteristic: 0x2A2B,
            written: time.octets,
            words: "\(options.action.outcome): \(time.text), UTC\(Self.signed(minutes: offset / 60))"
        )
    }

    private static func signed(minutes: Int) -> String {
        let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        let digits = rest == 0 ? "\(hours)" : "\(hours):\(rest < 10 ? "0" : "")\(rest)"
        return (minutes < 0 ? "-" : "+") + digits
    }
}

/// A local time as Current Time has it.
private struct LocalTime {
    let octets: [UInt8]
    let text: String

    init(_ wall: WallTime, offset: Int) {
        let (seconds, nanoseconds) = floorDivision(wall.nanoseconds, 1_000_000_000)
        let (days, ofDay) = floorDivision(seconds + Int64(offset), 86_400)
        let date = CivilDate(daysSinceEpoch: Int(days))
        let time = DateTime(
            year: UInt16(clamping: date.year),
            month: UInt8(clamping: date.month),
            day: UInt8(clamping: date.day),
            hours: UInt8(clamping: ofDay / 3_600),
            minutes: UInt8(clamping: ofDay / 60 % 60),
            seconds: UInt8(clamping: ofDay % 60)
        )
        // 1970-01-01 was a Thursday, and Monday is 1. Parts of a second are 1/256; the reason is a manual update.
        let weekday = UInt8(clamping: floorDivision(days + 3, 7).remainder + 1)
        octets = time.encoded() + [weekday, UInt8(clamping: nanoseconds * 256 / 1_000_000_000), 1]
        text = time.description
    }
}
