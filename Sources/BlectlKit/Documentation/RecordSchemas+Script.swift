// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    private static let place = [
        RecordKey("file", .string, "the file of the script"),
        RecordKey("line", .integer(unit: nil), "the line in it"),
    ]

    private static let failureKeys =
        place + [
            RecordKey("step", .string, "the step as it was typed"),
            RecordKey("round", .string, orNull: true, "the round of `repeat`, as in `round 3 of 10`"),
            RecordKey("message", .string, "what happened, in words"),
            RecordKey("expected", .string, orNull: true, "what was expected"),
            RecordKey("got", .string, orNull: true, "what came instead"),
            RecordKey("value", .hex, orNull: true, "the bytes of the value"),
            RecordKey("text", .string, orNull: true, "the value in words"),
            RecordKey("notes", .array(of: .string), "what else helps"),
            RecordKey("hint", .string, orNull: true, "what to do about it"),
            RecordKey("status", .integer(unit: nil), "1 for an expectation, else the exit status of what broke"),
            RecordKey("status_name", .string, "the name of that status"),
            RecordKey("packets", .array(of: .string), "the last packets to and from the device, decoded"),
        ]

    private static let script = RecordKey("script", .string, "the path of the script")
    private static let duration = RecordKey("duration_ms", .integer(unit: "ms"), "how long it took")

    /// The record that `run` prints for a step.
    public static let scriptStep = RecordSchema(
        "script-step",
        by: [.run],
        "a step of a script",
        keys: [
            script, RecordKey("test", .string, orNull: true, "the test that it belongs to"),
            RecordKey("section", .string, "`setup`, `test` or `cleanup`"),
        ] + place + [
            RecordKey("step", .string, "the step as it was typed"),
            RecordKey("rounds", .array(of: .integer(unit: nil)), "the rounds of `repeat`, the outermost first"),
            RecordKey("outcome", .string, "`passed`, `failed` or `interrupted`"),
            duration,
            RecordKey("results", .integer(unit: nil), "the number of its results"),
            RecordKey("messages", .array(of: .string), "the remarks of the command"),
            RecordKey("failure", .object(failureKeys), orNull: true, "why it failed"),
        ]
    )

    /// The record that `run` prints for a test.
    public static let scriptTest = RecordSchema(
        "script-test",
        by: [.run],
        "a test of a script",
        keys: [
            script, RecordKey("test", .string, "its name"),
            RecordKey("number", .integer(unit: nil), "its number in the run, from 1"),
        ] + place + [
            RecordKey("outcome", .string, "`passed`, `failed` or `skipped`"),
            RecordKey("reason", .string, orNull: true, "why it was skipped"),
            duration,
            RecordKey("steps", .integer(unit: nil), "the number of steps that ran"),
            RecordKey("failures", .array(of: .object(failureKeys)), "what failed: in the test, then in its cleanup"),
        ]
    )

    /// The record that `run` prints at its end.
    public static let scriptEnd = RecordSchema(
        "script-end",
        by: [.run],
        "the end of a run",
        keys: [
            RecordKey("scripts", .integer(unit: nil), "the number of scripts"),
            RecordKey("tests", .integer(unit: nil), "the number of tests"),
            RecordKey("passed", .integer(unit: nil), "the number of those that passed"),
            RecordKey("failed", .integer(unit: nil), "the number of those that failed"),
            RecordKey("skipped", .integer(unit: nil), "the number of those that did not run to their end"),
            duration,
            RecordKey("status", .integer(unit: nil), "the exit status; 130 for a run that a signal has ended"),
            RecordKey("status_name", .string, "its name; `interrupted` for such a run"),
        ]
    )

    /// The record that `run --dry-run` prints.
    public static let scriptPlan = RecordSchema(
        "script-plan",
        by: [.run],
        "what a script would do",
        keys: [
            script, RecordKey("devices", .array(of: .string), "the names of its devices"),
            RecordKey("setup", .array(of: .string), "the steps before the first test"),
            RecordKey(
                "tests",
                .array(
                    of: .object(
                        [RecordKey("test", .string, "its name")] + place + [
                            RecordKey("steps", .array(of: .string), "its steps"),
                            RecordKey("cleanup", .array(of: .string), "the steps that run after it in any case"),
                        ]
                    )
                ),
                "its tests"
            ),
            RecordKey("cleanup", .array(of: .string), "the steps that run at the end in any case"),
        ]
    )
}
