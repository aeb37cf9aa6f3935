// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl bench`: repeats an operation, and prints how fast it is.
///
/// Operations on attributes run as a `BenchOperation` on the usual connection. A credit-based channel is
/// measured here, because it needs no ATT bearer.
struct BenchRun {
    let options: BenchOptions
    let device: DeviceOptions
    let context: CommandContext

    /// Runs the measurement, and draws its chart if one is wanted.
    func run() async throws {
        let recorder = BenchRecorder(options, context.diagnostics)
        guard let file = options.chart else { return try await run(recorder) }
        let source = BenchChartSource(options: options, recorder: recorder)
        try await file.draw(source, context) { try await run(recorder) }
    }

    /// Measures, and emits the result. A measurement without a result has thrown before. Throws after the result if
    /// `--count` was not reached.
    private func run(_ recorder: BenchRecorder) async throws {
        if let target = options.target {
            try await context.run(BenchOperation(options: options, target: target, recorder: recorder), on: device)
        } else if case .l2cap(let spsm) = options.action {
            try await measure(spsm, recorder)
        }
        guard let result = recorder.result(options, Timestamp(context.time)) else { return }
        try await context.output.emit(result)
        if let shortfall = recorder.shortfall {
            let action = "measure \(options.text) of \(result.device.text)"
            throw shortfall.about(action, device: result.device, target: options.target)
        }
    }

    /// Measures a credit-based channel.
    private func measure(_ spsm: SPSM, _ recorder: BenchRecorder) async throws {
        let connection = try await context.channelConnection(for: device)
        let reference = try await connection.reference()
        // The channel has to take units as large as those that are sent, because an echo has their size. No MTU
        // may be smaller than 23 octets.
        let mtu = UInt16(clamping: max(options.size, Int(CreditBasedLimits.least)))
        let request = L2CAPRequest(spsm: spsm, mtu: mtu, security: device.connection.security.level)
        let connector = ChannelConnector(connection, scope: context.scope)
        try await connector.withChannel(request, to: reference) { channel in
            try await measure(channel, to: reference, recorder)
        }
    }

    /// Sends units over an open channel, and waits for the echo of each unless `--one-way` is given.
    ///
    /// Throws before the first unit if the device takes no units of the wanted size.
    private func measure(
        _ channel: any L2CAPChannel,
        to reference: DeviceReference,
        _ recorder: BenchRecorder
    ) async throws {
        let action = "measure the channel \(channel.spsm) to \(reference.text)"
        guard options.size <= Int(channel.sendMTU) else {
            throw BlectlError(
                .badData,
                cannot: action,
                "the device accepts units of at most \(channel.sendMTU) octets",
                hint: "--size \(channel.sendMTU)"
            )
        }
        let unit = (0..<options.size).map { UInt8(truncatingIfNeeded: $0) }
        // Captured as values, so that the closures below capture no command.
        let (timeout, time) = (context.options.timeout, context.time)
        do {
            try await recorder.repeated(options, time) { [isOneWay = options.isOneWay] in
                try await withDeadline(time.now + timeout, time, operation: action) {
                    try channel.send(unit)
                    try await channel.drained()
                    guard !isOneWay else { return }
                    // The device may echo in other units than those that it got: only the number of octets counts.
                    var missing = unit.count
                    while missing > 0 { missing -= try await channel.receive().count }
                }
                return unit.count
            } finally: {
                // The kernel has accepted the packets, but not sent all of them yet.
                try await withDeadline(time.now + timeout, time, operation: action) {
                    // The kernel does not report that its queue is empty, so the queue is polled.
                    guard channel.unsentOctets > 0 else { return }
                    while channel.unsentOctets > 0 { try await time.sleep(for: .milliseconds(5)) }
                    // Nothing waits in a channel that the device has closed either. Throws then.
                    try await channel.drained()
                }
            }
        } catch is DeadlineExceeded {
            throw BlectlError(
                .timedOut,
                cannot: action,
                options.isOneWay ? "the device gives no credits" : "the device does not echo",
                hint: options.isOneWay ? nil : "--one-way does not wait for an echo"
            )
        } catch let error as RadioError {
            throw BlectlError(error, doing: action)
        }
        recorder.finish(recorder.elapsed, reference)
    }
}

/// The chart of the operations that a recorder has counted. It is drawn after the measurement, when they are complete.
private struct BenchChartSource: ChartSource {
    let options: BenchOptions
    let recorder: BenchRecorder

    var chart: LineChart {
        let isStream = if case .notify = options.action { true } else { false }
        return recorder.chart.chart(
            options.text,
            latency: isStream ? "time between two notifications" : "time of an operation"
        )
    }
}
