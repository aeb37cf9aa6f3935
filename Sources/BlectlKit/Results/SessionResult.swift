// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import RadioSharing

struct SessionResult: TabledResult {
    /// The state of the link that the session holds.
    enum State: String {
        /// The link is up.
        case connected
        /// The link was lost, and the session is trying to make it again.
        case connecting
        /// The session has ended.
        case stopped
    }

    static let headings = ["SESSION", "DEVICE", "ADAPTER", "STATE", "COMMANDS", "MTU", "KEPT", "PROCESS", "SINCE"]

    /// The session as its process describes it.
    let session: SessionDescription
    /// The state, given or taken from the link.
    private let state: State
    /// When the session was asked.
    let timestamp: Timestamp

    /// - Parameter state: The state; `nil` for that of the link.
    init(session: SessionDescription, state: State?, timestamp: Timestamp) {
        self.session = session
        self.state = state ?? (session.link.isUp ? .connected : .connecting)
        self.timestamp = timestamp
    }

    /// `commands` is the number of commands that use the link now; `kept` and `dropped` count values for those
    /// to come.
    var record: Record {
        Record(
            "session",
            at: timestamp,
            [
                "name": .string(session.name),
                "state": .string(state.rawValue),
                "device": session.reference.json,
                "source": .string(session.source),
                "adapter": .string(session.adapter.name),
                "since": .string(session.since),
                "process": .integer(Int64(session.process)),
                "commands": .integer(Int64(session.link.guests)),
                "mtu": .integer(Int64(session.link.mtu)),
                "kept": .integer(Int64(session.link.kept)),
                "dropped": .integer(Int64(session.link.dropped)),
                "security": session.link.isUp ? session.link.security.json : .null,
            ]
        )
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
