// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// An event between the values of a device: a gap, or a changed database.
struct InterruptionResult: RecordedResult {
    /// An event between two values.
    enum Kind: Sendable, Hashable {
        /// A gap begins.
        case lost(String)
        /// A gap has ended.
        case restored(after: Duration, attempts: Int, LinkSecurity?)
        /// The device has changed its attributes in a range.
        case databaseChanged(HandleRange)
        /// Values at this point are missing, from that number on.
        case dropped(Int, first: Int)
    }

    /// The device whose observation was interrupted.
    let device: DeviceReference
    let kind: Kind
    /// When it was noticed. The loss of a link is noticed when its supervision timeout has passed.
    let timestamp: Timestamp

    /// Each kind has its own record type. Times are in milliseconds, and handles are numbers.
    var record: Record {
        var members: [String: JSONValue] = ["device": device.json]
        switch kind {
        case .lost(let reason):
            members["reason"] = .string(reason)
            return Record("link-lost", at: timestamp, members)
        case .restored(let gap, let attempts, let security):
            members["gap_ms"] = .integer(gap.clampedNanoseconds / 1_000_000)
            members["attempts"] = .integer(Int64(attempts))
            members["security"] = security?.json ?? .null
            return Record("link-restored", at: timestamp, members)
        case .databaseChanged(let range):
            members["start_handle"] = .integer(Int64(range.start.rawValue))
            members["end_handle"] = .integer(Int64(range.end.rawValue))
            return Record("database-changed", at: timestamp, members)
        case .dropped(let count, let first):
            members["count"] = .integer(Int64(count))
            members["first_sequence"] = .integer(Int64(first))
            return Record("values-dropped", at: timestamp, members)
        }
    }

    /// The event with its time, coloured so that it stands out among the values.
    func text(_ style: TextStyle) -> String? {
        "\(style.paint(timestamp.wall.description, .faint))  \(style.paint(TerminalText.escaped(words), .yellow))"
    }

    /// The event in words.
    var words: String {
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
