// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothProfiles
import Terminal

/// A kind of record: its type, its meaning, and its fields with their values in a result.
package struct RecordKind<Result: CommandResult>: Sendable {
    /// What the documentation says of it, and what a program may rely on.
    package let schema: RecordSchema
    /// The fields in the order of their names, as JSON has them.
    private let fields: [RecordField<Result>]
    /// Write the fields before `timing`, and those after it.
    private let writesFirst, writesRest: @Sendable (Result, inout JSONWriter) -> Void
    /// The number of fields before `timing`.
    private let timingIndex: Int

    /// - Parameters:
    ///   - type: The value of the key `type`.
    ///   - summary: The meaning of a record, as one line in lower case without a full stop.
    ///   - fields: The fields besides those that every record has, in the order of their documentation.
    package init(
        _ type: String,
        _ summary: String,
        @FieldBuilder<Result> _ fields: () -> [RecordField<Result>]
    ) {
        let own = fields()
        schema = RecordSchema(type, summary, keys: own.map(\.key))
        self.fields = (RecordSchema.commonFields(of: type) + own).sorted { $0.key.name < $1.key.name }
        timingIndex = self.fields.count { $0.key.name < RecordSchema.timingName }
        writesFirst = RecordField.writingAll(self.fields[..<timingIndex])
        writesRest = RecordField.writingAll(self.fields[timingIndex...])
    }

    /// Writes the record of a result.
    ///
    /// - Parameter timing: The times of the run (`--timing`); `nil` for none.
    package func write(_ result: Result, timing: JSONValue?, to json: inout JSONWriter) {
        json.object { json in
            writesFirst(result, &json)
            if let timing { json.member(RecordSchema.timingName, timing) }
            writesRest(result, &json)
        }
    }

    /// The record of a result as a tree.
    ///
    /// - Parameter timing: The times of the run (`--timing`); `nil` for none.
    package func tree(of result: Result, timing: JSONValue? = nil) -> JSONValue {
        var members = fields.map { JSONValue.Member($0.key.name, $0.tree(result)) }
        if let timing {
            members.insert(JSONValue.Member(RecordSchema.timingName, timing), at: timingIndex)
        }
        return .object(members)
    }
}

/// A result that never is, for the keys that all have.
private struct NoResult: CommandResult {
    let timestamp: Timestamp

    var recordKind: RecordKind<Self> { RecordKind("", "") {} }

    func text(_ style: TextStyle) -> String? { nil }
}

extension RecordSchema {
    /// The keys at the beginning of every record.
    package static let commonKeys = (commonFields(of: "") as [RecordField<NoResult>]).map(\.key)

    fileprivate static func commonFields<Result: CommandResult>(of type: String) -> [RecordField<Result>] {
        [
            RecordField("type", .string, "the kind of record") { _ in type },
            RecordField("time", .time, "the time of day, RFC 3339 in UTC with microseconds") { $0.timestamp.wall },
            RecordField(
                "monotonic_ns",
                .integer("ns"),
                "the same moment on the machine's clock that is never set (CLOCK_MONOTONIC), or in virtual time on the world's"
            ) { $0.timestamp.monotonic.nanoseconds },
        ]
    }
}
