// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices
package import BluetoothHost

/// The values that a device sends, with their times after the subscription. The memory is bounded.
package actor ValueRecorder {
    /// The maximum number of values, and of octets in all of them.
    private enum Limit {
        /// Several hours of a device that sends once a second.
        static let values = 20_000
        /// 2 MiB, which a device file contains as 4 million hexadecimal digits.
        static let octets = 2 << 20
    }

    private var starts: [Handle: Instant] = [:]
    private var samples: [Handle: [ValueReplay.Sample]] = [:]
    private var octets = 0
    package private(set) var count = 0
    /// The number of values that were longer than a value can be.
    package private(set) var cutCount = 0

    package init() {}

    package func subscribed(to handle: Handle, at moment: Instant) { starts[handle] = starts[handle] ?? moment }

    /// Takes a value. Returns `false` if the recorder is full.
    package func add(_ event: ValueEvent) -> Bool {
        guard count < Limit.values, octets + event.value.count <= Limit.octets else { return false }
        let value = Array(event.value.prefix(GATTLimits.maximumValueLength))
        if event.isCut || value.count < event.value.count { cutCount += 1 }
        count += 1
        octets += value.count
        // A device may send the first value together with its answer to the subscription.
        let time = max(event.instant - (starts[event.handle] ?? event.instant), .milliseconds(1))
        samples[event.handle, default: []].append(ValueReplay.Sample(at: time, value))
        return true
    }

    /// The recordings until a moment. They begin again after the time for which they were listened to.
    package func recordings(until end: Instant) -> [Handle: ValueReplay] {
        samples.reduce(into: [:]) { recordings, entry in
            guard let start = starts[entry.key], let last = entry.value.last else { return }
            recordings[entry.key] = ValueReplay(entry.value, period: max(end - start, last.at))
        }
    }
}
