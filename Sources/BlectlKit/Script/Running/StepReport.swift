// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// The outcome of a step, with its time and the messages of its command.
struct StepReport: Sendable, Equatable {
    /// The step, and the rounds of `repeat` around it.
    var position: StepCursor.Position
    /// Whether it belongs to the setup, a test or the cleanup.
    var section: ScriptProgress.Section
    /// How it ended.
    var end: ScriptProgress.StepEnd
    /// When it began.
    var start: Timestamp
    /// How long it took.
    var duration: Duration
    /// The remarks of the command.
    var messages: [String] = []
    /// The number of its results.
    var resultCount = 0
    /// The times of its scan, its connection and its requests (`--timing`); `nil` if they were not counted.
    var timing: StepTiming?
}

/// The times of a step that has ended, as its record and its lines tell them.
struct StepTiming: Sendable, Equatable {
    let snapshot: RunTiming.Snapshot
    /// The lines for a person; empty for a step that has sent nothing.
    let lines: [String]

    init(_ timing: RunTiming) {
        let snapshot = timing.snapshot
        self.snapshot = snapshot
        lines = snapshot.isEmpty ? [] : timing.text.split(separator: "\n").map(String.init)
    }

    /// Reports are compared by what a person reads of them.
    static func == (left: Self, right: Self) -> Bool { left.lines == right.lines }
}
