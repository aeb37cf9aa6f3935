// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A session.
struct SessionResult: RecordedResult {
    enum State: String {
        case connected
        case connecting
        case stopped
    }

    static let headings = ["SESSION", "DEVICE", "ADAPTER", "STATE", "COMMANDS", "MTU", "KEPT", "PROCESS", "SINCE"]

    let session: SessionDescription
    private let state: State
    let timestamp: Timestamp

    /// - Parameter state: The state; `nil` for that of the link.
    init(session: SessionDescription, state: State?, timestamp: Timestamp) {
        self.session = session
        self.state = state ?? (session.link.isUp ? .connected : .connecting)
        self.timestamp = timestamp
    }

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

    func text(_ style: TextStyle) -> String? {
        switch state {
        case .stopped: "session \(style.paint(session.name, .bold)) has ended"
        case .connected, .connecting: columns.joined(separator: "  ")
        }
    }

    var columns: [String] {
        [
            session.name, session.reference.text, TerminalText.escaped(session.adapter.name), state.rawValue,
            "\(session.link.guests)", "\(session.link.mtu)", "\(session.link.kept)", "\(session.process)",
            TerminalText.escaped(session.since),
        ]
    }
}
