// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Records
import Synchronization
package import Terminal
import Toolkit

/// Takes the place of standard error for a step, and keeps the last lines.
package final class MessageSink: ByteSink {
    /// The maximum number of lines that are kept.
    private static let limit = 50

    /// The lines, oldest first.
    private let kept = Mutex<[String]>([])

    /// The last messages, without the name of the program.
    package var lines: [String] { kept.withLock { $0 } }

    /// The last messages, which are then forgotten.
    package func take() -> [String] {
        kept.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Takes messages; one write may hold several.
    package func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        for line in text.split(separator: "\n") {
            kept.withLock { lines in
                lines.append(String(line.hasPrefix("blectl: ") ? line.dropFirst(8) : line))
                if lines.count > Self.limit { lines.removeFirst() }
            }
        }
    }
}

/// The records of a step in the foreground. The first ones are dropped if there are too many.
final class StepRecords: Sendable {
    /// The maximum number of records that are kept.
    package static let limit = 10_000

    /// The records that are kept, and the number of those that were dropped.
    private let kept = Mutex<(records: [JSONValue], dropped: Int)>(([], 0))

    /// The records that are kept, oldest first.
    package var records: [JSONValue] { kept.withLock { $0.records } }
    package var dropped: Int { kept.withLock { $0.dropped } }

    /// Adds a record. When the list is full, a tenth is dropped at once, because removing one at a time would move all
    /// the others.
    package func add(_ record: JSONValue) {
        kept.withLock { kept in
            kept.records.append(record)
            guard kept.records.count > Self.limit else { return }
            let surplus = Self.limit / 10
            kept.records.removeFirst(surplus)
            kept.dropped += surplus
        }
    }
}

extension JSONValue {
    package var type: String? { text(at: "type") }

    /// The number of dropped values that the record reports; `nil` for a record of another kind.
    var lostValues: Int? {
        guard type == InterruptionResult.valuesDropped.schema.type, case .number(let count)? = self["count"] else {
            return nil
        }
        return Int(count.description)
    }

    /// Whether the record is a result, rather than an event between results or a failure.
    var isResult: Bool {
        switch type {
        case "link-lost", "link-restored", "database-changed", "values-dropped", "error": false
        default: true
        }
    }
}
