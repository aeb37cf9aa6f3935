// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Terminal
import Toolkit

/// Changes the properties of a link, and reports them; or reports the strength of its signal again and again.
struct LinkOperation: DeviceOperation {
    let options: LinkOptions

    init(_ options: LinkOptions) { self.options = options }

    func action(on device: DeviceReference) -> String {
        options.request.isEmpty ? "look at the link to \(device.text)" : "change the link to \(device.text)"
    }

    var namesDevice: Bool { options.signal == nil }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        let change = try await change(device, context)
        let failure = change?.failure
        // Thrown before the result, because no link is left to report.
        if let change, let failure, !failure.outcome.leavesLink {
            throw LinkChangeFailure(change: change, result: failure, limit: context.timeout)
        }
        // A failed change is not followed by a stream of signal strengths.
        if let signal = options.signal, failure == nil {
            return try await report(signal, of: device, context)
        }
        // A device that has just left a request unanswered may leave this one unanswered, too.
        if failure == nil {
            _ = try await context.withTimeout("MTU exchange") { try await device.peripheral.exchangeUsualMTU() }
        }
        let connection = try await device.peripheral.connection()
        let bearers = await connection.bearers
        var reading = try await device.peripheral.linkReading(asksPeer: failure == nil)
        if failure != nil { reading.peerWasNotAsked() }
        let result = LinkResult(
            device: device.reference,
            mtu: bearers.mtu,
            bearers: bearers,
            reading: reading,
            security: connection.security,
            change: change,
            timestamp: Timestamp(context.time)
        )
        // The result shows the link as it is now, and the error names the properties that were not reached.
        try await context.results.emit(.other(result))
        if let change, let failure {
            throw LinkChangeFailure(change: change, result: failure, limit: context.timeout)
        }
    }

    /// Changes the link; `nil` if nothing was asked for.
    private func change(_ device: ConnectedDevice, _ context: OperationContext) async throws -> LinkChange? {
        guard !options.request.isEmpty else { return nil }
        context.notes.progress("changing the link to \(device.reference.text) …")
        defer { context.notes.clearProgress() }
        return try await device.peripheral.changeLink(to: options.request, within: context.timeout)
    }

    /// Reports the signal strength each period, in dBm, until a limit is reached or the link ends.
    private func report(
        _ signal: LinkOptions.Signal,
        of device: ConnectedDevice,
        _ context: OperationContext
    ) async throws {
        let peripheral = device.peripheral
        let connection = try await peripheral.connection()
        let (time, tally) = (context.time, Tally())
        context.onReady?()
        let start = time.now
        let ending: RunEnding
        do {
            ending = try await signal.limits.run(time, since: start, tally) {
                while true {
                    // A read of the RSSI would fail with a less helpful reason.
                    if let end = connection.end { throw end }
                    let rssi = try await peripheral.signalStrength()
                    let result = SignalResult(
                        device: device.reference,
                        rssi: rssi,
                        sequence: tally.count + 1,
                        timestamp: Timestamp(time)
                    )
                    try await context.results.emit(.other(result))
                    tally.add()
                    guard !signal.limits.isReached(tally) else { return }
                    // Counted from the beginning, so that the time of the question does not add up.
                    try await time.sleep(until: start + signal.period * tally.count)
                }
            }
        } catch {
            context.noteShortfall(of: signal.limits, tally.count, .value, from: device.reference, endedBy: error)
            throw error
        }
        let missing = signal.limits.failure(
            after: ending,
            reached: tally.count,
            of: .value,
            from: device.reference.text
        )
        if let missing { throw missing }
        if let remark = ending.remark { context.notes.note(remark) }
    }
}

extension LinkUpdate.Outcome {
    /// Whether there is still a link to be shown.
    fileprivate var leavesLink: Bool {
        switch self {
        case .reached, .different, .refused, .rejected, .unanswered: true
        case .ended, .impossible: false
        }
    }
}
