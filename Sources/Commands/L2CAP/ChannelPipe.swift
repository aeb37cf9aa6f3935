// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Synchronization
import Terminal
import Toolkit

/// Carries octets between standard streams and a credit-based channel, until one side ends.
///
/// Two tasks run beside each other: one prints the units that arrive, the other sends the input. The first of
/// them to end ends the pipe. Without records, only octets go to standard output, as in netcat.
struct ChannelPipe: Sendable {
    /// The time between two questions whether the kernel has sent everything, where no silence is waited for.
    private static let shortestQuietTime = Duration.milliseconds(20)
    /// The time between two questions while octets are known to wait: less than the shortest connection interval, so
    /// that the end of the last octet is noticed before the device can close the channel because of it.
    private static let sendingTime = Duration.milliseconds(5)
    /// The time in which this process notices that the kernel has closed the channel.
    private static let noticeTime = Duration.milliseconds(1)

    let options: L2CAPOptions
    let channel: any L2CAPChannel
    let device: DeviceReference
    let input: ByteSource
    let context: CommandContext

    private let progress = Progress()
    private let received = Tally()
    private let unsent = UnsentLines()
    /// Shows a person how much the channel has carried; `nil` if the octets themselves are on the terminal.
    private let line: PacedProgress?

    init(
        _ options: L2CAPOptions,
        over channel: any L2CAPChannel,
        to device: DeviceReference,
        _ input: ByteSource,
        _ context: CommandContext
    ) {
        self.options = options
        self.channel = channel
        self.device = device
        self.input = input
        self.context = context
        let isSeen = input.isTerminal || context.output.style.isTerminal
        line = isSeen ? nil : PacedProgress(context.diagnostics)
    }

    /// The octets that the channel has carried so far.
    private final class Progress: Sendable {
        /// The amounts of each direction, in octets and in service data units.
        struct Numbers {
            var sent = (octets: 0, units: 0)
            var received = (octets: 0, units: 0)
            var isInputDone = false
            /// The octets that are not known to be sent: those of the last unit until the channel is asked, and then
            /// what it has said last.
            var unsentOctets = 0
            // Overwritten when another reason ends the pipe.
            var reason = ChannelEndResult.Reason.peer
        }

        let numbers = Mutex(Numbers())
    }

    private var action: String { "use the channel \(channel.spsm) to \(device.text)" }

    /// Reports the channel, carries octets until a limit or an end, and reports the numbers of both directions.
    func run() async throws {
        // Otherwise the channel would stay open until the program ends.
        defer { channel.close() }
        try await context.output.emit(
            ChannelResult(
                device: device,
                spsm: channel.spsm,
                receiveMTU: channel.receiveMTU,
                sendMTU: channel.sendMTU,
                timestamp: Timestamp(context.time)
            )
        )
        context.diagnostics.remark("channel \(channel.spsm) to \(device.text) is open")
        let printer = OctetText(isHex: options.isHex, isForTerminal: context.output.style.isTerminal)
        let limits = options.limits
        let ending = try await limits.run(context.time, since: context.time.now, received) {
            try await carry(printer)
        }
        try await finish(printer, ending)
        let missing = limits.failure(after: ending, reached: received.count, of: .unit, from: device.text)
        if !input.isTerminal, let failure = unsent.failure(doing: action) {
            // The status is that of the error, so that too few units are only a remark.
            if let missing { context.diagnostics.note(missing.message) }
            throw failure
        }
        if let missing { throw missing }
        if let remark = ending.remark { context.diagnostics.note(remark) }
    }

    /// Receives and sends until one of both ends.
    private func carry(_ printer: OctetText) async throws {
        try await withThrowingTaskGroup(of: ChannelEndResult.Reason.self) { group in
            group.addTask { try await receive(printer) }
            group.addTask {
                try await send()
                // The answers to the last unit may still be on their way.
                try await awaitSilence()
                return .input
            }
            defer { group.cancelAll() }
            guard let reason = try await group.next() else { return }
            progress.numbers.withLock { $0.reason = reason }
        }
    }

    /// Prints an incomplete character, and reports how the channel has ended. `ending` overrides the reason if a limit
    /// has ended it.
    private func finish(_ printer: OctetText, _ ending: RunEnding) async throws {
        line?.end()
        let numbers = progress.numbers.withLock { numbers in
            switch ending {
            case .complete, .quit: break
            case .timeIsUp: numbers.reason = .duration
            case .worldAtRest, .nothingCame: numbers.reason = .simulation
            }
            return numbers
        }
        let rest = printer.finish()
        if !rest.isEmpty { try await emit(.received, [], 0, shown: rest) }
        guard context.output.writesRecords else { return }
        try await context.output.emit(
            ChannelEndResult(
                device: device,
                spsm: channel.spsm,
                reason: numbers.reason,
                received: numbers.received,
                sent: numbers.sent,
                timestamp: Timestamp(context.time)
            )
        )
    }

    // MARK: - Receiving

    /// Prints units until the peer closes the channel, or until `--count` of them have arrived.
    ///
    /// - Returns: The reason of the end.
    private func receive(_ printer: OctetText) async throws -> ChannelEndResult.Reason {
        while true {
            let unit: [UInt8]
            do throws(RadioError) {
                unit = try await channel.receive()
            } catch {
                return try end(error)
            }
            let number = progress.numbers.withLock { numbers in
                numbers.received.octets += unit.count
                numbers.received.units += 1
                return numbers.received.units
            }
            try await emit(.received, unit, number, shown: printer.shown(unit))
            showProgress()
            received.add()
            if options.limits.isReached(received) { return .count }
        }
    }

    /// The end of the channel by the peer, unless it is an error.
    private func end(_ error: RadioError) throws -> ChannelEndResult.Reason {
        guard case .closedByPeer = error.cause else { throw BlectlError(error, doing: action) }
        // Older kernels give credits without regard to the reader, and close a channel whose receive buffer is full.
        guard channel.droppedCount == 0 else {
            throw BlectlError(
                .temporaryFailure,
                cannot: action,
                "units came faster than they were read, and the kernel has closed the channel",
                hint: "read faster; kernels from 6.10 on hold the device back"
            )
        }
        let numbers = progress.numbers.withLock { $0 }
        // A person sees that the channel has ended, and --count has an error of its own for too few units.
        guard numbers.isInputDone || input.isTerminal || options.limits.count != nil else {
            throw closedEarly("the end of the input")
        }
        guard numbers.isInputDone else { return .peer }
        // The kernel drops what it has not sent when the device closes the channel, and then reports that nothing
        // waits. It counts memory, which is more than the octets.
        let unsent = min(max(numbers.unsentOctets, channel.unsentOctets), numbers.sent.octets)
        guard unsent == 0 else {
            throw closedEarly("\(count: unsent, "octet") \(unsent == 1 ? "was" : "were") sent")
        }
        return .peer
    }

    /// The error of a device that has closed the channel before something.
    private func closedEarly(_ event: String) -> BlectlError {
        BlectlError(
            .temporaryFailure,
            cannot: action,
            "the device closed the channel before \(event)",
            hint: "try again"
        )
    }

    // MARK: - Sending

    /// Sends everything to the end of the input.
    private func send() async throws {
        var lines = HexLines()
        var taken = 0
        while true {
            let octets = try await input.next(after: taken)
            // An empty array is the end of the input.
            guard !octets.isEmpty else { break }
            taken += octets.count
            if options.isHex {
                try await send(lines.take(octets))
            } else {
                // Each slice becomes a service data unit of at most the peer's MTU.
                for start in stride(from: 0, to: octets.count, by: Int(channel.sendMTU)) {
                    try await send(Array(octets[start..<min(octets.count, start + Int(channel.sendMTU))]))
                }
            }
        }
        if options.isHex { try await send(lines.finish()) }
        progress.numbers.withLock { $0.isInputDone = true }
    }

    /// Sends the units of complete lines. A line that cannot be sent is noted, and the others are sent.
    private func send(_ lines: [HexLines.Line]) async throws {
        for line in lines {
            switch line {
            case .octets(let unit) where unit.count <= Int(channel.sendMTU): try await send(unit)
            case .octets(let unit):
                let reason = "the device takes units of at most \(channel.sendMTU) octets"
                context.diagnostics.note("not sent, because \(reason): a line of \(unit.count)")
                unsent.add(reason)
            case .problem(let problem):
                context.diagnostics.note(problem.message)
                unsent.add(problem.reason)
            }
        }
    }

    /// Sends a unit, and waits until there is room for the next one.
    private func send(_ unit: [UInt8]) async throws {
        let number = progress.numbers.withLock { numbers in
            numbers.sent.octets += unit.count
            numbers.sent.units += 1
            numbers.unsentOctets = unit.count
            return numbers.sent.units
        }
        // Before the octets are sent, so that the record precedes those of the answer.
        if context.output.writesRecords { try await emit(.sent, unit, number, shown: []) }
        let timeout = context.options.timeout
        do {
            try channel.send(unit)
            try await withDeadline(context.time.now + timeout, context.time, operation: action) {
                try await channel.drained()
            }
        } catch is DeadlineExceeded {
            throw stalled(timeout)
        } catch let error as RadioError {
            try await leaveToReceiver(error)
        }
        // Progress in this direction also shows that the run is not stuck.
        received.recordEvent()
        showProgress()
    }

    /// Shows how many octets the channel has carried: `channel 0x0080: 4000 of 60000 octets sent, 3500 received`.
    private func showProgress() {
        line?.show(at: context.time.now) {
            let numbers = progress.numbers.withLock { $0 }
            let total = input.count.map { " of \($0)" } ?? ""
            let sent = "\(numbers.sent.octets)\(total) octets sent"
            return "channel \(channel.spsm): \(sent), \(numbers.received.octets) received"
        }
    }

    /// Leaves an end by the peer to the receiver of the channel, which explains it. Throws other errors.
    private func leaveToReceiver(_ error: RadioError) async throws {
        guard case .closedByPeer = error.cause else { throw BlectlError(error, doing: action) }
        // Sleeps until the task group cancels this task, which happens when the receiver returns.
        try await context.time.sleep(until: Instant(nanoseconds: .max))
    }

    /// The octets that wait in the channel. None only if the channel is still open: one that the device has closed
    /// reports none, too.
    private func askedUnsent() async throws -> Int {
        let unsent = channel.unsentOctets
        if unsent == 0, progress.numbers.withLock({ $0.unsentOctets }) > 0 {
            try await context.time.sleep(for: Self.noticeTime)
            do throws(RadioError) {
                try await channel.drained()
            } catch {
                try await leaveToReceiver(error)
            }
        }
        progress.numbers.withLock { $0.unsentOctets = unsent }
        return unsent
    }

    /// Waits until everything is sent and nothing has arrived for a time.
    private func awaitSilence() async throws {
        // A person at a terminal has seen the answers before ending the input. A pipe has not.
        let quietTime = max(input.isTerminal ? .zero : options.quietTime, Self.shortestQuietTime)
        var lastMove = context.time.now
        // -1 is no count of events, so that at least one quiet time passes.
        var state = (heard: -1, unsent: 0)
        while true {
            let unsent = try await askedUnsent()
            let now = (heard: received.eventCount, unsent: unsent)
            if now == state, now.unsent == 0 { return }
            if now != state { lastMove = context.time.now }
            // Unsent octets that do not become fewer mean that the device gives no credits.
            guard context.time.now - lastMove < max(context.options.timeout, quietTime) else {
                throw stalled(context.options.timeout)
            }
            state = now
            try await context.time.sleep(for: now.unsent > 0 ? Self.sendingTime : quietTime)
        }
    }

    /// The error of a device that takes nothing more.
    private func stalled(_ time: Duration) -> BlectlError {
        BlectlError(
            .timedOut,
            cannot: action,
            "the device has given no credits for \(time.text)",
            hint: "--timeout allows more time"
        )
    }

    private func emit(
        _ direction: OctetsResult.Direction,
        _ octets: [UInt8],
        _ number: Int,
        shown: [UInt8]
    ) async throws {
        if number == 0, context.output.writesRecords { return }
        try await context.output.emit(
            OctetsResult(
                kind: .channel,
                device: device,
                direction: direction,
                octets: octets,
                sequence: number,
                timestamp: Timestamp(context.time),
                shown: shown
            )
        )
    }
}
