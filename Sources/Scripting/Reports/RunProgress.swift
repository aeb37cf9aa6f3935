// SPDX-License-Identifier: GPL-2.0-or-later

/// The text that tells a person which step of a script runs: `low battery: step 2 of 5, pause 4 s`.
struct RunProgress: Sendable {
    private var section: ScriptProgress.Section?
    private var name = ""
    /// The number of steps of the section that have begun.
    private var number = 0
    /// The number of steps of the section, with those of each round.
    private var total = 0

    /// Counts a step that begins, and returns the text for it; `nil` for a step that waits for nothing.
    ///
    /// - Parameters:
    ///   - section: The part of the script that it belongs to.
    ///   - script: The script. A script whose steps have all begun is followed by a new `RunProgress`.
    package mutating func text(
        of step: ScriptStep,
        in section: ScriptProgress.Section,
        of script: Script
    ) -> String? {
        if section != self.section {
            self.section = section
            (name, total) = Self.part(section, of: script)
            number = 0
        }
        number += 1
        // A script may set and compare variables many thousand times in a second.
        guard step.action.mayWait else { return nil }
        return "\(name): step \(number) of \(total), \(step.text)"
    }

    private static func part(_ section: ScriptProgress.Section, of script: Script) -> (name: String, total: Int) {
        switch section {
        case .setup: ("setup", ScriptStep.runs(script.setup))
        case .test(let index): (script.tests[index].name, ScriptStep.runs(script.tests[index].steps))
        case .cleanup(let index):
            ("cleanup of \(script.tests[index].name)", ScriptStep.runs(script.tests[index].cleanup))
        case .finalCleanup: ("cleanup", ScriptStep.runs(script.cleanup))
        }
    }
}

extension ScriptAction {
    /// Whether the step may take some time: it waits for a device, for values or for a time.
    fileprivate var mayWait: Bool {
        switch self {
        case .set, .expect, .repeat: false
        case .command, .connect, .disconnect, .await, .never, .count, .order, .stop, .check, .pause: true
        }
    }
}
