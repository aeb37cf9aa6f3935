// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// `blectl bench`: repeats an operation, and prints how fast it is.
struct BenchCommand {
    let options: BenchOptions
    let device: DeviceOptions
    let context: CommandContext

    init(_ options: BenchOptions, on device: DeviceOptions, _ context: CommandContext) {
        self.options = options
        self.device = device
        self.context = context
    }

    func run() async throws {
        let recorder = BenchRecorder()
        guard let file = options.chart else { return try await run(recorder) }
        try await file.draw(BenchChartSource(options: options, recorder: recorder)) { try await run(recorder) }
    }

    private func run(_ recorder: BenchRecorder) async throws {
        if let target = options.target {
            try await context.run(BenchOperation(options: options, target: target, recorder: recorder), on: device)
        } else if case .l2cap(let spsm) = options.action {
            try await measure(spsm, recorder)
        }
        guard let result = recorder.result(options, Timestamp(context.time)) else { return }
        try await context.output.emit(result)
    }

    private func measure(_ spsm: SPSM, _ recorder: BenchRecorder) async throws {
        let central = try await context.central()
        let reference = try await OneTimeConnection(device, on: central, context).reference()
        let mtu = UInt16(clamping: max(options.size, Int(CreditBasedLimits.least)))
        let request = L2CAPRequest(spsm: spsm, mtu: mtu, security: device.connection.security.level)
        let connector = ChannelConnector(device.connection, on: central.radio, context)
        try await connector.withChannel(request, to: reference) { channel in
            try await measure(channel, to: reference, recorder)
        }
    }

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
                "the device takes units of \(channel.sendMTU) octets",
                hint: "--size \(channel.sendMTU)"
            )
        }
        let unit = (0..<options.size).map { UInt8(truncatingIfNeeded: $0) }
        let (timeout, time) = (context.options.timeout, context.time)
        do {
            try await recorder.repeated(options, time) { [isOneWay = options.isOneWay] in
                try await withDeadline(time.now + timeout, time, operation: action) {
                    try channel.send(unit)
                    try await channel.drained()
                    guard !isOneWay else { return }
                    var missing = unit.count
                    while missing > 0 { missing -= try await channel.receive().count }
                }
                return unit.count
            } finally: {
                // What the kernel has accepted is not yet sent.
                try await withDeadline(time.now + timeout, time, operation: action) {
                    while channel.unsentOctets > 0 { try await time.sleep(for: .milliseconds(5)) }
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

/// The chart of a recorder's operations.
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
