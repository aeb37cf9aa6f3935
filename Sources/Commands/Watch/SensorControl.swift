// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Synchronization
import Terminal
import Toolkit

/// Switches the sensors of a device on and off, and reads those that do not send.
struct SensorControl: Sendable {
    /// The time between two reads of a value that the device does not send.
    private static let usualPeriod = Duration.seconds(10)

    let options: WatchOptions
    let device: ConnectedDevice
    let context: OperationContext
    let reporter: MeasurementReporter
    let plan: WatchPlan

    private let started = Started()

    private final class Started: Sendable {
        let sources = Mutex<[ProfileSource]>([])
    }

    var hasSwitches: Bool {
        plan.sources.contains {
            !$0.source.start.isEmpty || $0.source.calibration != nil || $0.source.period != nil && options.period != nil
        }
    }

    /// Calibrates, times and switches on the sensors at some targets.
    func start(_ targets: [AttributeTarget]) async throws {
        // One target at a time, because an ATT bearer has one outstanding request.
        for target in targets {
            guard let watched = plan[target] else { continue }
            let source = watched.source
            context.notes.progress("switching on \(watched.label ?? "the sensor") …")
            // The calibration has to be known before the first value arrives.
            if let calibration = source.calibration {
                try await write([calibration.request], of: source)
                try await calibrate(source, at: calibration.characteristic)
            }
            if let period = source.period, let wanted = options.period {
                // An attosecond is 10^-18 s.
                let milliseconds =
                    Int(clamping: wanted.components.seconds) * 1_000
                    + Int(wanted.components.attoseconds / 1_000_000_000_000_000)
                let octet = period.octet(milliseconds: milliseconds)
                try await write([.init([octet], to: period.characteristic)], of: source)
            }
            // Recorded before the write: if its response is lost, the sensor may be on nevertheless, and
            // `stop` switches it off.
            started.sources.withLock { started in
                if !started.contains(source) { started.append(source) }
            }
            try await write(source.start, of: source)
        }
        context.notes.clearProgress()
    }

    /// Switches the sensors off again, if there is still a link, even in a cancelled task, with a short time limit.
    func stop() async {
        let sources = started.sources.withLock { $0.filter { !$0.stop.isEmpty } }
        guard !sources.isEmpty, await device.peripheral.isConnected else { return }
        await context.scope.cleanUp(context.time) {
            for source in sources {
                for write in source.stop {
                    // A sensor that cannot be switched off is not worth a message at the end.
                    _ = try? await characteristic(write.characteristic, of: source).write(write.value)
                }
            }
        }
    }

    /// Reads, again and again, values that the device does not send.
    func read(_ readable: [(AttributeTarget, Characteristic)], through observation: Observation) async throws {
        let reading = PeriodicReading(
            context: context,
            period: options.period ?? Self.usualPeriod,
            reconnects: options.reconnects
        )
        try await reading.run(readable, on: device, through: observation) {
            plan[$0]?.source.delivery == .readThenSent
        } name: {
            plan[$0]?.label
        }
    }

    private func characteristic(_ uuid: BluetoothUUID, of source: ProfileSource) -> Characteristic {
        device.peripheral.characteristic(uuid, in: source.service)
    }

    /// Writes to characteristics of the source's service. A device may lack one: then there is nothing to configure.
    private func write(_ writes: [ProfileSource.Write], of source: ProfileSource) async throws {
        for write in writes {
            do {
                try await context.withTimeout("configure \(source.name)") {
                    _ = try await characteristic(write.characteristic, of: source).write(write.value)
                }
            } catch is MissingAttribute {
                context.notes.detail("\(source.name) has no \(write.characteristic) to configure it")
            } catch let error as GATTError {
                let action = "configure \(source.name) of \(device.reference.text)"
                context.notes.note(BlectlError(describing: error, doing: action)?.message ?? "\(error)")
            }
        }
    }

    /// Reads the calibration of a source. Without one the raw numbers are shown, with a note.
    private func calibrate(_ source: ProfileSource, at uuid: BluetoothUUID) async throws {
        do {
            let value = try await context.withTimeout("read the calibration of \(source.name)") {
                try await characteristic(uuid, of: source).read()
            }
            try reporter.calibrated(source, value.value)
        } catch is MissingAttribute {
            context.notes.note("\(source.name) has no calibration: its numbers are shown as they are")
        } catch is DecodeError {
            context.notes.note("the calibration of \(source.name) is too short: its numbers are shown as they are")
        }
    }
}
