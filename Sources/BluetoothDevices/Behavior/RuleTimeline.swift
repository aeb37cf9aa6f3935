// SPDX-License-Identifier: MIT

import Bluetooth

/// The future actions of a device, in the order of time.
struct RuleTimeline: Sendable {
    /// The event that an entry belongs to, by which it can be cancelled: a change of subscriptions cancels those of a
    /// subscription, for example.
    enum Origin: Hashable, Sendable {
        /// The start of the device. It is never cancelled, except by a restart that clears the agenda.
        case start
        /// A connection, with whose end its entries go.
        case connection(GATTServer.ClientID)
        /// The first subscription to the value with that handle.
        case subscription(Handle)
        /// An action that orders something for later. Nothing cancels it.
        case action
    }

    /// Actions at a time.
    struct Entry: Sendable {
        var due: Instant
        /// The event that cancels them.
        let origin: Origin
        let actions: [DeviceAction]
        /// The write that has ordered them, whose value they may use.
        var cause = Cause.timeline
        /// The time after which it happens again.
        var every: Duration?
    }

    /// The maximum number of entries while actions may order further ones. Those beyond it are dropped, so that no
    /// client fills the memory.
    static let limit = 1_024

    /// In the order of their times; entries of the same time in the order in which they were added.
    private var entries: [Entry] = []

    var next: Instant? { entries.first?.due }

    /// The time of the first entry that the radio has to carry out.
    var nextForRadio: Instant? { entries.first { $0.actions.contains(where: \.concernsRadio) }?.due }

    /// Adds an entry after those of the same time. An action is dropped if the agenda is full; the timeline of
    /// the definition is not.
    mutating func add(_ entry: Entry) {
        // Only actions can order entries without end; the timeline is as long as its definition.
        guard entries.count < Self.limit || entry.origin != .action else { return }
        // Searched from the end, where most entries belong. Those of the same time keep the order of the calls.
        let index = (entries.lastIndex { $0.due <= entry.due } ?? -1) + 1
        entries.insert(entry, at: index)
    }

    /// Adds entries of the timeline, whose times count from a moment.
    mutating func add(_ timeline: [TimelineEntry], as origin: Origin, from moment: Instant) {
        for entry in timeline {
            add(Entry(due: moment + entry.at, origin: origin, actions: entry.actions, every: entry.every))
        }
    }

    mutating func cancel(_ origin: Origin) { entries.removeAll { $0.origin == origin } }

    /// Takes the first entry that is due. One that repeats is entered again for its next time in the future: a device
    /// that was paused does not catch up on missed entries.
    mutating func takeFirst(dueAt now: Instant) -> Entry? {
        guard let first = entries.first, first.due <= now else { return nil }
        entries.removeFirst()
        if let every = first.every {
            // A period of zero would divide by zero below, and the entry would be due again at once.
            let period = max(every, StreamPlan.shortestPeriod).clampedNanoseconds
            // The next time keeps the rhythm of the first one, however late this call is.
            let missed = (now - first.due).clampedNanoseconds % period
            var again = first
            again.due = now + .nanoseconds(period - missed)
            // At the end of representable time, the sum is clamped; an entry that is due now again would never
            // end.
            if again.due > now { add(again) }
        }
        return first
    }
}

extension DeviceAction {
    /// Whether the radio has to carry it out, connected or not.
    fileprivate var concernsRadio: Bool {
        switch self {
        // A restart repeats the timeline of the start, which may contain actions for the radio.
        case .leave, .connectable, .restart: true
        case .after(_, let action): action.concernsRadio
        case .store, .refuse, .silence, .delay, .send, .set, .append, .run, .disconnect, .database: false
        }
    }
}
