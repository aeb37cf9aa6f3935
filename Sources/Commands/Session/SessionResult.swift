// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import RadioSharing
import Records
import Terminal
import Toolkit

struct SessionResult: TabledResult {
    enum State: String {
        case connected
        /// The link was lost, and the session is trying to make it again.
        case connecting
        case stopped
    }

    static let headings = ["SESSION", "DEVICE", "ADAPTER", "STATE", "COMMANDS", "MTU", "KEPT", "PROCESS", "SINCE"]

    let session: SessionDescription
    /// The state, given or taken from the link.
    private let state: State
    let timestamp: Timestamp

    /// - Parameter state: The state; `nil` for that of the link.
    init(session: SessionDescription, state: State?, timestamp: Timestamp) {
        self.session = session
        self.state = state ?? (session.link.isUp ? .connected : .connecting)
        self.timestamp = timestamp
    }

    /// `commands` is the number of commands that use the link now; `kept` and `dropped` count values for those
    /// to come.
    static let record = RecordKind<Self>("session", "a link that is held for other commands") {
        RecordField("name", .string, "name of the session") { $0.session.name }
        RecordField("state", .string, "`connected`; `connecting` while a lost link is made again; `stopped`") {
            $0.state.rawValue
        }
        RecordField.device { $0.session.reference }
        RecordField("source", .string, "`adapters`, a socket, or the simulated world") { $0.session.source }
        RecordField("adapter", .string, "adapter that has the link") { $0.session.adapter.name }
        RecordField("since", .string, "when it began, RFC 3339 in UTC") { $0.session.since }
        RecordField("process", .integer, "number of its process") { $0.session.process }
        RecordField("commands", .integer, "number of commands that use it") { $0.session.link.guests }
        RecordField("mtu", .integer("bytes"), "MTU of the link") { $0.session.link.mtu }
        RecordField("kept", .integer, "number of values kept for the next listener") {
            $0.session.link.kept
        }
        RecordField("dropped", .integer, "number of values without room") {
            $0.session.link.dropped
        }
        RecordField("security", orNull: .security, "security of the link; null while there is none") {
            $0.session.link.isUp ? $0.session.link.security : nil
        }
    }

    /// The line of a session. Its numbers have names, because no headings precede it. A session that has ended has
    /// none.
    func text(_ style: TextStyle) -> String? {
        guard state != .stopped else { return "session \(style.paint(session.name, .bold)) has ended" }
        let link = session.link
        let cells = [
            style.paint(session.name, .bold), session.reference.text, TerminalText.escaped(session.adapter.name),
            state.rawValue, "mtu \(link.mtu)", "\(count: link.guests, "command")", "\(count: link.kept, "value") kept",
            "process \(session.process)", "since \(TerminalText.escaped(session.since))",
        ]
        return cells.joined(separator: "  ")
    }

    var columns: [String] {
        [
            session.name, session.reference.text, TerminalText.escaped(session.adapter.name), state.rawValue,
            "\(session.link.guests)", "\(session.link.mtu)", "\(session.link.kept)", "\(session.process)",
            TerminalText.escaped(session.since),
        ]
    }
}
