// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost

/// When something happened, on both clocks.
public struct Timestamp: Sendable, Hashable {
    /// The wall-clock time.
    public let wall: WallTime
    /// The monotonic time since blectl started.
    public let monotonic: Instant

    /// Creates a timestamp of both clocks.
    public init(wall: WallTime, monotonic: Instant) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The present moment.
    public init(_ time: any TimeSource) {
        self.init(wall: time.wallClock, monotonic: time.now)
    }
}

/// A result as a program reads it: one JSON object on one line.
public struct Record: Sendable, Equatable {
    /// The kind of record: `advertisement`, `value`, …
    public let type: String
    /// All members; `type`, `time` and `monotonic_ns` among them.
    public let members: [String: JSONValue]

    /// Creates a record; the members are added to the three that every record has.
    public init(_ type: String, at timestamp: Timestamp, _ members: [String: JSONValue]) {
        self.type = type
        var all = members
        all["type"] = .string(type)
        all["time"] = .string(timestamp.wall.description)
        all["monotonic_ns"] = .integer(timestamp.monotonic.nanoseconds)
        self.members = all
    }
}

/// A result of a command: rendered as a record for programs, or as text for people.
protocol CommandResult: Sendable {
    func write(to json: inout JSONWriter)

    /// The lines for people, without a line feed at the end; `nil` if there are none.
    func text(_ style: TextStyle) -> String?

    /// Octets to write unchanged instead of text (`--as raw`).
    var rawBytes: [UInt8]? { get }

    /// The members that differ between records with the same `templateKey`.
    associatedtype VaryingMember: RawRepresentable<Int> = NoVaryingMember

    /// The key of the template, if many records are alike. Records with equal keys must not differ except in the
    /// varying members.
    var templateKey: RecordTemplateKey? { get }

    /// Writes the value of a varying member.
    func write(_ member: VaryingMember, to json: inout JSONWriter)
}

/// A result whose record is built as a tree. It is for kinds with few results.
protocol RecordedResult: CommandResult {
    /// The record for `--json`.
    var record: Record { get }
}

extension RecordedResult {
    func write(to json: inout JSONWriter) { json.members(record.members) }
}

extension CommandResult {
    /// Most results have no raw form.
    var rawBytes: [UInt8]? { nil }

    /// Most results come one at a time.
    var templateKey: RecordTemplateKey? { nil }
}

/// Of results that come one at a time.
enum NoVaryingMember: RawRepresentable {
    init?(rawValue: Int) { nil }

    var rawValue: Int { switch self {} }
}

extension CommandResult where VaryingMember == NoVaryingMember {
    func write(_ member: NoVaryingMember, to json: inout JSONWriter) {}
}
