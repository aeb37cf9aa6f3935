// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// A terminal over a serial service: received text is printed, and typed or piped text is sent.
struct SerialOperation: DeviceOperation {
    let options: SerialOptions
    /// Whether values are also taken that cannot be switched on.
    var listens = false
    let limits: StopLimits
    /// Standard input; `nil` to send nothing.
    let input: ByteSource?
    /// Whether a person types, so that the end of the input ends the command at once.
    let isInteractive: Bool
    /// Whether a terminal shows the results, so that they have to be escaped.
    let isForTerminal: Bool
    /// Whether a lost link is restored, so that unsent text is reported and skipped.
    let reconnects: Bool

    func action(on device: DeviceReference) -> String { "use the serial port of \(device.text)" }

    var readsInput: Bool { input != nil }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let action = action(on: device.reference)
        let line = try await context.withTimeout("find the serial port") { [options] in
            try await SerialLine(options, on: device, doing: action)
        }
        let tally = Tally()
        let unsent = UnsentLines()
        let printer = SerialPrinter(
            device: device.reference,
            isHex: options.isHex,
            isForTerminal: isForTerminal,
            results: context.results
        )
        var observation = TargetObservation(
            context: context,
            device: device,
            targets: [line.transmitter],
            limits: limits,
            counted: .value,
            tally: tally,
            listens: listens,
            ambiguity: nil
        )
        if let input {
            let sender = SerialSender(
                receiver: line.receiver,
                options: options,
                context: context,
                device: device,
                printer: printer,
                reconnects: reconnects,
                unsent: unsent
            )
            observation.companion = { _, _ in
                try await sender.run(input)
                // With --duration the device's answers have that long.
                if limits.duration == nil || isInteractive {
                    // A person has seen the answers before ending the input. A pipe has not.
                    if !isInteractive { try await silence(tally, context) }
                    throw TargetObservation.EndedByCompanion()
                }
            }
        }
        var missing: BlectlError?
        do {
            try await observation.run { value, _, number in
                try await printer.received(value.value, number, value.timestamp)
            }
        } catch is TargetObservation.EndedByCompanion {
            // The end of the input is a regular end, if `--count` is reached.
            let (reached, source) = (tally.count, device.reference.text)
            missing = limits.failure(after: .complete, reached: reached, of: .value, from: source)?
                .adding(": the input has ended")
        }
        try await printer.finish(Timestamp(context.time))
        if !isInteractive, let failure = unsent.failure(doing: action) {
            // The status is that of the error, so that too few values are only a remark.
            if let missing { context.notes.note(missing.message) }
            throw failure
        }
        if let missing { throw missing }
    }

    /// Waits until nothing has arrived for a time.
    private func silence(_ tally: Tally, _ context: OperationContext) async throws {
        var heard: Int
        repeat {
            heard = tally.eventCount
            try await context.time.sleep(for: options.quietTime)
        } while tally.eventCount != heard
    }
}

/// Sends the input in pieces that fit into a packet.
///
/// They are written without response where the device accepts that. The read of an attribute now and then, and at the
/// end, shows that the device has taken everything before it.
private struct SerialSender: Sendable {
    /// The number of pieces without response between two such reads.
    private static let piecesBetweenAnswers = 64

    let receiver: AttributeTarget
    let options: SerialOptions
    let context: OperationContext
    let device: ConnectedDevice
    let printer: SerialPrinter
    let reconnects: Bool
    let unsent: UnsentLines

    /// Sends everything to the end of the input.
    func run(_ input: ByteSource) async throws {
        var encoder = SerialEncoder(options)
        var progress = Progress()
        var taken = 0
        while true {
            let octets = try await input.next(after: taken)
            guard !octets.isEmpty else { break }
            taken += octets.count
            try await send(encoder.encode(octets), &progress)
        }
        try await send(encoder.finish(), &progress)
        try await awaitAnswer(&progress)
    }

    private struct Progress {
        /// The pieces that were sent without response since the device's last answer.
        var unanswered = 0
        var pieces = 0
    }

    /// Sends octets. With reconnection, a failure is only a note, because the next octets may go through on a new
    /// link.
    private func send(
        _ part: (octets: [UInt8], problems: [HexLines.Problem]),
        _ progress: inout Progress
    ) async throws {
        for problem in part.problems {
            context.notes.note(problem.message)
            unsent.add(problem.reason)
        }
        guard !part.octets.isEmpty else { return }
        do {
            try await write(part.octets, &progress)
        } catch let error as CancellationError {
            throw error
        } catch  where reconnects {
            let action = "send \(count: part.octets.count, "octet") to \(device.reference.text)"
            context.notes.note(BlectlError(describing: error, doing: action)?.message ?? "cannot \(action)")
        }
    }

    /// Writes octets in pieces that fit into packets. Each is printed before it is sent, so that it comes before the
    /// device's answer.
    private func write(_ octets: [UInt8], _ progress: inout Progress) async throws {
        // On a link that may still be replaced.
        if octets.count > WriteValue.maximumLength(mtu: MTUExchange.minimum) {
            try await context.withTimeout("exchange the MTU") { _ = try await device.peripheral.exchangeMTU() }
        }
        guard let characteristic = receiver.characteristic(of: device.peripheral) else {
            throw BlectlError(.usage, cannot: "write \(receiver)", "a serial port has no descriptor")
        }
        let definition = try await context.withTimeout("find the receiver") { try await characteristic.definition() }
        let isWithoutResponse = definition.properties.contains(.writeWithoutResponse)
        // After a reconnection this is the new link.
        let link = try await device.peripheral.connection()
        let size = WriteValue.maximumLength(mtu: await link.mtu)
        var rest = octets[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(min(size, GATTLimits.maximumValueLength)))
            rest = rest.dropFirst(piece.count)
            progress.pieces += 1
            if isWithoutResponse { progress.unanswered += 1 }
            // Before the write, because the answer may be here before it returns.
            try await printer.sent(piece, progress.pieces, Timestamp(context.time))
            try await context.withTimeout("send \(count: piece.count, "octet")") {
                if isWithoutResponse {
                    try await link.writeWithoutResponse(piece, to: definition.valueHandle)
                } else {
                    _ = try await link.write(piece, to: definition.valueHandle)
                }
            }
            if progress.unanswered >= Self.piecesBetweenAnswers { try await awaitAnswer(&progress) }
        }
    }

    /// Waits until the device has taken all pieces, by reading an attribute after them. The first attribute is the
    /// declaration of a service in every device; a refusal suffices.
    private func awaitAnswer(_ progress: inout Progress) async throws {
        guard progress.unanswered > 0 else { return }
        // Reset before the read, so that after a failure the count starts over.
        progress.unanswered = 0
        let peripheral = device.peripheral
        try await context.withTimeout("wait until everything is taken") {
            do {
                _ = try await peripheral.connection().read(at: Handle(0x0001))
            } catch is GATTError {}
        }
    }
}

/// Reports the octets of both directions.
private final class SerialPrinter: Sendable {
    private let device: DeviceReference
    private let text: OctetText
    private let results: any ResultSink

    init(device: DeviceReference, isHex: Bool, isForTerminal: Bool, results: any ResultSink) {
        self.device = device
        text = OctetText(isHex: isHex, isForTerminal: isForTerminal)
        self.results = results
    }

    func received(_ octets: [UInt8], _ number: Int, _ timestamp: Timestamp) async throws {
        try await emit(.received, octets, number, timestamp, shown: text.shown(octets))
    }

    func sent(_ octets: [UInt8], _ number: Int, _ timestamp: Timestamp) async throws {
        // Shows nothing, because the terminal has echoed the text while the user typed it.
        try await emit(.sent, octets, number, timestamp, shown: [])
    }

    /// Prints an incomplete character, and ends the last line, so that a prompt begins a new one.
    func finish(_ timestamp: Timestamp) async throws {
        let rest = text.finish()
        guard !rest.isEmpty else { return }
        try await emit(.received, [], 0, timestamp, shown: rest)
    }

    private func emit(
        _ direction: OctetsResult.Direction,
        _ octets: [UInt8],
        _ number: Int,
        _ timestamp: Timestamp,
        shown: [UInt8]
    ) async throws {
        try await results.emit(
            .other(
                OctetsResult(
                    kind: .serial,
                    device: device,
                    direction: direction,
                    octets: octets,
                    sequence: number,
                    timestamp: timestamp,
                    shown: shown
                )
            )
        )
    }
}
