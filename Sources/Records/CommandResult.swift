// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import Terminal

/// A result of a command: a record for programs, or text for people.
package protocol CommandResult: Sendable {
    /// The kind of record: its fields, with their values in this result.
    var recordKind: RecordKind<Self> { get }

    var timestamp: Timestamp { get }

    /// The times of the result itself, if it is a command that has ended; `nil` for those of the whole run.
    var timing: JSONValue? { get }

    /// The lines for people, without a line feed at the end; `nil` if there are none.
    func text(_ style: TextStyle) -> String?

    /// Octets to write unchanged instead of text (`--as raw`).
    var rawBytes: [UInt8]? { get }
}

extension CommandResult {
    /// Most results have no raw form.
    package var rawBytes: [UInt8]? { nil }

    /// Most results are parts of a run.
    package var timing: JSONValue? { nil }
}

/// A result whose record is always of the same kind.
package protocol RecordedResult: CommandResult {
    static var record: RecordKind<Self> { get }
}

extension RecordedResult {
    package var recordKind: RecordKind<Self> { Self.record }
}
