// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// What a device will do, in the order of time.
struct Agenda: Sendable {
    /// What an entry ends with.
    enum Origin: Hashable, Sendable {
        case start
        case connection(GATTServer.ClientID)
        case subscription(Handle)
        case action
    }

    struct Entry: Sendable {
        var due: Instant
        let origin: Origin
        let actions: [DeviceAction]
        /// The characteristic whose write ordered it.
        var handle: Handle?
        /// The value of that write.
        var written: [UInt8] = []
        /// The time after which it happens again.
        var every: Duration?
    }

    /// The most entries that actions may order; further ones are dropped, so that no client fills the memory.
    static let limit = 1_024

    /// In the order of their times; entries of the same time in the order in which they were added.
    private var entries: [Entry] = []

    /// The time of the first entry.
    var next: Instant? { entries.first?.due }

    mutating func add(_ entry: Entry) {
        guard entries.count < Self.limit || entry.origin != .action else { return }
        entries.insert(entry, at: entries.firstIndex { $0.due > entry.due } ?? entries.count)
    }

    mutating func cancel(_ origin: Origin) { entries.removeAll { $0.origin == origin } }

    /// Takes the first entry that is due. One that repeats is entered again for its next time in the future: a device
    /// that nobody was connected to does not make up for what it has missed.
    mutating func takeFirst(dueAt now: Instant) -> Entry? {
        guard let first = entries.first, first.due <= now else { return nil }
        entries.removeFirst()
        if let every = first.every, every >= .milliseconds(1) {
            var again = first
            let missed = (now - first.due).clampedNanoseconds / every.clampedNanoseconds
            again.due =
                first.due
                + .nanoseconds(every.clampedNanoseconds.multipliedReportingOverflow(by: missed + 1).partialValue)
            if again.due > now { add(again) }
        }
        return first
    }
}
