// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import Records
package import Terminal

/// An event between the values of a device: a gap, or a changed database.
package struct InterruptionResult: CommandResult {
    /// An event between two values.
    package enum Kind: Sendable, Hashable {
        /// A gap begins.
        case lost(String)
        /// A gap has ended.
        case restored(after: Duration, attempts: Int, LinkSecurity?)
        case databaseChanged(HandleRange)
        /// Values at this point are missing, from that number on.
        case dropped(Int, first: Int)
    }

    package let device: DeviceReference
    package let kind: Kind
    /// When it was noticed. The loss of a link is noticed when its supervision timeout has passed.
    package let timestamp: Timestamp

    /// Each kind has its own record type. Times are in milliseconds, and handles are numbers.
    package static let linkLost = RecordKind<Self>("link-lost", "the connection was lost; blectl connects again") {
        RecordField.device { $0.device }
        RecordField("reason", .string, "why") { $0.reason }
    }

    package static let linkRestored = RecordKind<Self>(
        "link-restored",
        "the link and its subscriptions are back; values sent meanwhile are missing"
    ) {
        RecordField.device { $0.device }
        RecordField("gap_ms", .integer("ms"), "duration of the gap") {
            $0.restored.gap.clampedNanoseconds / 1_000_000
        }
        RecordField("attempts", .integer, "number of attempts") { $0.restored.attempts }
        RecordField("security", orNull: .security, "security of the new link; null if it was lost again") {
            $0.restored.security
        }
    }

    package static let databaseChanged = RecordKind<Self>(
        "database-changed",
        "the device has changed its attributes; all is found and subscribed to again"
    ) {
        RecordField.device { $0.device }
        RecordField("start_handle", .integer, "first handle that may have changed") { $0.range.start.rawValue }
        RecordField("end_handle", .integer, "last one") { $0.range.end.rawValue }
    }

    package static let valuesDropped = RecordKind<Self>(
        "values-dropped",
        "values came faster than they could be written, and were dropped (a socket slows the device down instead)"
    ) {
        RecordField.device { $0.device }
        RecordField("count", .integer, "how many") { $0.dropped.count }
        RecordField("first_sequence", .integer, "number of the first of them") { $0.dropped.first }
    }

    // Of an event of another kind, they are not asked for.

    private var reason: String { if case .lost(let reason) = kind { reason } else { "" } }

    private var restored: (gap: Duration, attempts: Int, security: LinkSecurity?) {
        if case .restored(let gap, let attempts, let security) = kind {
            (gap, attempts, security)
        } else {
            (.zero, 0, nil)
        }
    }

    private var range: HandleRange { if case .databaseChanged(let range) = kind { range } else { .all } }

    private var dropped: (count: Int, first: Int) {
        if case .dropped(let count, let first) = kind { (count, first) } else { (0, 0) }
    }

    /// The kinds of a stream of values.
    package static let schemas = [linkLost.schema, linkRestored.schema, databaseChanged.schema, valuesDropped.schema]

    package var recordKind: RecordKind<Self> {
        switch kind {
        case .lost: Self.linkLost
        case .restored: Self.linkRestored
        case .databaseChanged: Self.databaseChanged
        case .dropped: Self.valuesDropped
        }
    }

    /// The event with its time, coloured so that it stands out among the values.
    package func text(_ style: TextStyle) -> String? {
        "\(timestamp.text(style))  \(style.paint(TerminalText.escaped(words), .yellow))"
    }

    package var words: String {
        switch kind {
        case .lost(let reason):
            return "\(reason); connecting again"
        case .restored(let gap, let attempts, _):
            let milliseconds = gap.clampedNanoseconds / 1_000_000
            let count = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
            return "connected again after \(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s (\(count)); "
                + "what the device has sent meanwhile is missing"
        case .databaseChanged(let range):
            return "the device has changed its attributes \(range); subscribed again"
        case .dropped(let count, _):
            return "\(count: count, "value") dropped, because more came than could be written"
        }
    }
}
