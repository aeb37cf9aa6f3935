// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Synchronization
import Terminal
import Toolkit

/// The times and the octets of a measurement.
///
/// It is shared by the operation, which adds, and by the command, which takes the result and the chart
/// afterwards.
final class BenchRecorder: Sendable {
    /// The maximum number of times that are kept; the later ones count for the throughput only. A million durations
    /// take 16 MB.
    private static let limit = 1_000_000

    private struct State {
        var octets = 0
        /// The operations and the octets before the measured time.
        var unmeasured = (count: 0, octets: 0)
        var latencies: [Duration] = []
        var elapsed = Duration.zero
        var device: DeviceReference?
        var chart = BenchChart()
        var shortfall: BlectlError?
    }

    // A lock and not an actor: a change of executor would add to the times that are measured.
    private let state = Mutex(State())
    let tally: Tally
    let progress: BenchProgress

    init(_ options: BenchOptions, _ notes: any NoteSink) {
        let tally = Tally()
        self.tally = tally
        progress = BenchProgress(options, tally, notes)
    }

    /// Counts an operation.
    ///
    /// - Parameters:
    ///   - octets: The octets that it has carried.
    ///   - latency: Its duration; `nil` if nothing waited for its end.
    ///   - now: The time of its end.
    func add(octets: Int, latency: Duration?, now: Instant) {
        state.withLock { state in
            state.octets += octets
            state.chart.add(octets: octets, latency: latency, now: now)
            if let latency, state.latencies.count < Self.limit { state.latencies.append(latency) }
        }
        tally.add()
        progress.show(at: now)
    }

    /// Counts an operation with which the measured time begins, so that the throughput is without it.
    func addFirst(octets: Int, now: Instant) {
        state.withLock { $0.unmeasured = (1, octets) }
        add(octets: octets, latency: nil, now: now)
    }

    /// Sets the time of the whole measurement, and the device.
    func finish(_ elapsed: Duration, _ device: DeviceReference) {
        state.withLock { state in
            state.elapsed = elapsed
            state.device = device
        }
    }

    /// Takes the error for too few operations. It is kept for the time after the result, which is printed nevertheless.
    func record(shortfall: BlectlError?) { state.withLock { $0.shortfall = shortfall } }

    /// The error for too few operations; `nil` if there were as many as wanted.
    var shortfall: BlectlError? { state.withLock { $0.shortfall } }

    var chart: BenchChart { state.withLock { $0.chart } }

    /// The result; `nil` before the end.
    func result(_ options: BenchOptions, _ timestamp: Timestamp) -> BenchResult? {
        // The text of the options is the action, followed by its target if there is one.
        let words = options.text.split(separator: " ", maxSplits: 1).map(String.init)
        return state.withLock { state in
            guard let device = state.device else { return nil }
            return BenchResult(
                device: device,
                action: words[0],
                target: words.count > 1 ? words[1] : "",
                count: tally.count,
                octets: state.octets,
                measured: (tally.count - state.unmeasured.count, state.octets - state.unmeasured.octets),
                elapsed: state.elapsed,
                isQueued: options.isQueued,
                latency: LatencySummary(state.latencies),
                timestamp: timestamp
            )
        }
    }
}

/// Repeats an operation on an attribute, and takes the times.
struct BenchOperation: DeviceOperation {
    let options: BenchOptions
    let target: AttributeTarget
    let recorder: BenchRecorder

    func action(on device: DeviceReference) -> String { "measure \(device.text)" }

    var subject: RequestSubject? { RequestSubject(target: target) }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        do {
            try await measure(device, context)
        } catch {
            let action = action(on: device.reference)
            let described = BlectlError(describing: error, doing: action, to: await device.subjectOfError)
            guard options.isUsualTarget, described?.status == .notFound else { throw error }
            // The user has never seen the UUID of the bench device's characteristic.
            throw BlectlError(
                .notFound,
                cannot: action,
                "no characteristic is named, and it is not the bench device",
                hint: "name one: blectl bench \(options.word) CHARACTERISTIC\(device.reference.option)"
            )
        }
    }

    private func measure(_ device: ConnectedDevice, _ context: OperationContext) async throws {
        switch options.action {
        case .read: try await read(device, context)
        case .write: try await write(device, context)
        case .notify: try await listen(device, context)
        // `BenchCommand` measures channels, because they have no ATT bearer.
        case .l2cap: break
        }
    }

    /// Measures reads of one attribute. The first read is not counted, because it may include discovery.
    private func read(_ device: ConnectedDevice, _ context: OperationContext) async throws {
        recorder.progress.begin(at: context.time.now)
        // The handle of the first answer is read afterwards, so that each operation is one request.
        let attribute = target.attribute(of: device.peripheral)
        let handle = try await context.withTimeout("read \(target)") { try await attribute.read() }.handle
        let link = try await device.peripheral.connection()
        try await repeated(device, context) {
            let value = try await context.withTimeout("read \(target)") { try await link.read(at: handle) }
            return value.value.count
        }
    }

    /// Measures writes of a value whose octets count up from 0, so that a sniffer shows where it was cut.
    private func write(_ device: ConnectedDevice, _ context: OperationContext) async throws {
        recorder.progress.begin(at: context.time.now)
        let handle = try await valueHandle(device, context)
        let value = (0..<options.size).map { UInt8(truncatingIfNeeded: $0) }
        // The MTU is exchanged before the clock starts.
        if value.count > WriteValue.maximumLength(mtu: try await device.peripheral.connection().mtu) {
            try await context.withTimeout("exchange the MTU") { _ = try await device.peripheral.exchangeMTU() }
        }
        let link = try await device.peripheral.connection()
        let isOneWay = options.isOneWay
        try await repeated(device, context) {
            try await context.withTimeout("write \(target)") {
                if isOneWay {
                    try await link.writeWithoutResponse(value, to: handle)
                } else {
                    _ = try await link.write(value, to: handle)
                }
            }
            return value.count
        } finally: {
            guard isOneWay else { return }
            // An answer shows that the device has received all earlier PDUs, because a server processes the PDUs of a
            // bearer in order. Spec: Core 5.4, Vol 3, Part F, 3.3.2
            try await context.withTimeout("wait until everything is taken") {
                do { _ = try await link.read(at: Handle(0x0001)) } catch is GATTError {}
            }
        }
    }

    /// The handle that is written to. A handle on the command line needs no discovery.
    private func valueHandle(_ device: ConnectedDevice, _ context: OperationContext) async throws -> Handle {
        switch target.kind {
        case .handle(let handle): return handle
        case .characteristic(let uuid, let service), .descriptor(_, let uuid, let service):
            let characteristic = device.peripheral.characteristic(uuid, in: service)
            return try await context.withTimeout("find \(target)") { try await characteristic.definition() }.valueHandle
        }
    }

    /// Measures notifications: the time between two of them counts as the latency of the second.
    private func listen(_ device: ConnectedDevice, _ context: OperationContext) async throws {
        // This tally counts received values. The recorder has a separate tally for the result.
        let tally = Tally()
        // A stream of short values would not show the capacity of the link.
        try await context.withTimeout("exchange the MTU") { _ = try await device.peripheral.exchangeMTU() }
        let observation = TargetObservation(
            context: context,
            device: device,
            targets: [target],
            limits: options.limits,
            counted: .value,
            tally: tally,
            ambiguity: nil,
            // The companion begins when the line of the subscription is gone.
            companion: { [progress = recorder.progress, time = context.time] _, _ in progress.begin(at: time.now) }
        )
        // The clock starts with the first value, so that the subscription is not measured.
        let first = Mutex<Instant?>(nil)
        let last = Mutex<Instant?>(nil)
        defer {
            recorder.progress.end()
            let (begin, end) = (first.withLock { $0 }, last.withLock { $0 })
            recorder.finish(begin.flatMap { begin in end.map { $0 - begin } } ?? .zero, device.reference)
        }
        do {
            try await observation.run { value, _, _ in
                let moment = value.timestamp.monotonic
                let previous = last.withLock { last in
                    defer { last = moment }
                    return last
                }
                first.withLock { $0 = $0 ?? moment }
                if let previous {
                    recorder.add(octets: value.value.count, latency: moment - previous, now: moment)
                } else {
                    recorder.addFirst(octets: value.value.count, now: moment)
                }
            }
        } catch let error as BlectlError where error.status == .expectationFailed {
            recorder.record(shortfall: error)
        }
    }

    private func repeated(
        _ device: ConnectedDevice,
        _ context: OperationContext,
        _ step: @escaping @Sendable () async throws -> Int,
        finally: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        try await recorder.repeated(options, context.time, step, finally: finally)
        recorder.finish(recorder.elapsed, device.reference)
    }
}

extension BenchRecorder {
    /// The time of the last `repeated`.
    var elapsed: Duration { state.withLock { $0.elapsed } }

    /// Repeats a step until a limit is reached, and measures its times.
    ///
    /// - Parameters:
    ///   - step: The step; returns the octets that it has carried.
    ///   - finally: The final work, which counts in the total time, but not in a step.
    func repeated(
        _ options: BenchOptions,
        _ time: any TimeSource,
        _ step: @escaping @Sendable () async throws -> Int,
        finally: @escaping @Sendable () async throws -> Void
    ) async throws {
        progress.begin(at: time.now)
        // After the total time was taken.
        defer { progress.end() }
        let start = time.now
        state.withLock { $0.chart.begin(start) }
        // `--duration` cancels the loop in the middle of a step. That step is not counted.
        let ending = try await options.limits.run(time, since: start, tally) { [self] in
            while !options.limits.isReached(tally) {
                let begin = time.now
                let octets = try await step()
                let end = time.now
                add(octets: octets, latency: options.isOneWay ? nil : end - begin, now: end)
            }
        }
        try await finally()
        state.withLock { $0.elapsed = time.now - start }
        record(shortfall: options.limits.failure(after: ending, reached: tally.count, of: options.counted))
    }
}
