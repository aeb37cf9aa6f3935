// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

extension CommandRequest {
    /// Whether the command goes on until a person or a signal ends it, or until the device ends the connection.
    var isEndless: Bool { global.deadline == nil && command.isEndless }
}

extension Command {
    fileprivate var isEndless: Bool {
        switch self {
        case .scan(let options): options.limits.isEndless
        case .notify(let options, _): options.limits.isEndless
        case .watch(let options, _): options.goesOn && options.limits.isEndless
        case .link(let options, _): options.signal?.limits.isEndless ?? false
        case .serve(let options): options.limits.isEndless
        case .advertise(let options): options.limits.isEndless
        case .l2cap(let options): options.device == nil && options.limits.isEndless
        case .simulate(let options):
            if case .serve = options.action { true } else { false }
        case .session(let options):
            if case .start(let start, _) = options.action { start.isForeground && start.idle == nil } else { false }
        case .inspect, .read, .write, .profile, .bench, .device, .clone, .diff, .trace, .run, .pair, .unpair, .bonds,
            .devices, .forget, .decode, .encode, .lookup, .adapters, .adapter, .doctor, .shell, .version, .completion,
            .help:
            false
        }
    }
}

extension StopLimits {
    fileprivate var isEndless: Bool { count == nil && duration == nil }
}

extension WatchOptions {
    /// Whether measurements, presses of keys or octets of a serial port come without an end. What is read once or
    /// stored has an end.
    fileprivate var goesOn: Bool {
        profiles.contains { profile in
            switch profile.conduct {
            case .stream, .keys, .serialPort: true
            case .snapshot, .storedRecords: false
            }
        }
    }
}
