// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

/// The mean of a signal at a moment.
struct SignalLevel: Hashable, Sendable {
    /// The mean strength in dBm.
    let mean: Double
    /// Whether the strength wanders around the mean.
    let wanders: Bool
}

/// The course of a signal, by the time since the start of its device.
extension DeviceSignal {
    /// The mean strength at a time. A path that returns takes its duration for each way.
    func level(at uptime: Duration) -> SignalLevel {
        switch movement {
        case .still: return SignalLevel(mean: Double(rssi), wanders: false)
        case .wandering: return SignalLevel(mean: Double(rssi), wanders: true)
        case .path(let end, let duration, let returns):
            // At least 1, because it is a divisor, and small enough for twice the time of a path that returns.
            let total = min(max(1, duration.clampedNanoseconds), .max / 4)
            let elapsed = max(0, uptime.clampedNanoseconds)
            // There and back again takes twice the time.
            let phase = returns ? elapsed % (2 * total) : min(elapsed, total)
            let part = Double(phase <= total ? phase : 2 * total - phase) / Double(total)
            return SignalLevel(mean: Double(rssi) + (Double(end) - Double(rssi)) * part, wanders: false)
        }
    }

    /// Whether the device is out of range, and until when: `.some(nil)` if it does not come back.
    func absence(at uptime: Duration) -> Duration?? {
        for absence in absences {
            if let end = absence.end(at: uptime) { return end }
        }
        return nil
    }

    /// The beginning of the next absence after a time; `nil` if there is none.
    func nextAbsence(after uptime: Duration) -> Duration? { absences.compactMap { $0.start(after: uptime) }.min() }
}

extension DeviceSignal.Absence {
    /// The end of the absence that is under way at a time; `nil` if there is none, `.some(nil)` if it does not end.
    fileprivate func end(at uptime: Duration) -> Duration?? {
        let elapsed = (uptime - from).clampedNanoseconds
        guard elapsed >= 0 else { return nil }
        guard let until else { return .some(nil) }
        let length = (until - from).clampedNanoseconds
        guard let period = every?.clampedNanoseconds, period > 0 else {
            return elapsed < length ? .some(until) : nil
        }
        // An absence as long as its period leaves no time in range, so that it never ends.
        guard length < period else { return .some(nil) }
        let phase = elapsed % period
        return phase < length ? .some(uptime + .nanoseconds(length - phase)) : nil
    }

    /// The beginning of the absence that follows a time; `nil` if there is none.
    fileprivate func start(after uptime: Duration) -> Duration? {
        let elapsed = (uptime - from).clampedNanoseconds
        if elapsed < 0 { return from }
        guard until != nil, let period = every?.clampedNanoseconds, period > 0 else { return nil }
        return uptime + .nanoseconds(period - elapsed % period)
    }
}
