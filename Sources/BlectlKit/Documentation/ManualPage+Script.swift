// SPDX-License-Identifier: GPL-2.0-or-later

extension ManualPage {
    /// `blectl-script(5)`: the language of scripts.
    static var script: ManualPage {
        ManualPage(title: "\(Program.name)-script", section: 5, summary: "scripts of blectl, with expectations") {
            page in
            section("DESCRIPTION", ScriptPage.discussion, &page)
            section("SYNTAX", ScriptPage.syntax, &page)
            section("DEVICES, TESTS AND BLOCKS", [], &page, ScriptReference.structure)
            section("COMMANDS", ScriptPage.commands, &page, ScriptReference.clauses)
            section("THE LINK", [], &page, ScriptReference.links)
            section("STREAMS", ScriptPage.streams, &page, ScriptReference.streams)
            section("OTHER STEPS", [], &page, ScriptReference.others)
            section("CONDITIONS", ScriptPage.conditions, &page, ScriptReference.relations)
            section("VARIABLES", ScriptPage.variables, &page)
            page.macro("Sh GRAMMAR")
            lines(ScriptReference.grammar, &page)
            section("FAULTS OF SCRIPTS", ScriptPage.faults, &page)
            section("LIMITS", [ScriptPage.limits], &page)
            section("EXIT STATUS", ScriptPage.statuses, &page)
            page.macro("Sh EXAMPLES")
            for (index, example) in ScriptExample.all.enumerated() {
                if index > 0 { page.macro("Pp") }
                page.macro("Ss \(Troff.typed(example.file))")
                page.paragraph(example.explanation)
                lines(example.text, &page)
                page.macro("Pp")
                lines(example.line, &page)
            }
            page.macro("Sh SEE ALSO")
            refer(to: SharedPage.script.related([SharedPage.device.reference, SharedPage.rig.reference]), &page)
        }
    }

    private static func section(
        _ title: String,
        _ paragraphs: [String],
        _ page: inout Troff,
        _ entries: [ScriptReference.Entry] = []
    ) {
        page.macro("Sh \(title)")
        describe(paragraphs, &page)
        page.list(entries) { page, entry in
            page.macro("It Li \(Troff.typed(entry.term))")
            page.paragraph(entry.text)
            lines(entry.example, &page)
        }
    }

    private static func lines(_ text: String, _ page: inout Troff) {
        page.macro("Bd -literal -offset indent")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { page.literal(String(line)) }
        page.macro("Ed")
    }
}

/// The prose of `blectl-script(5)`.
enum ScriptPage {
    static let discussion = [
        """
        A script carries out commands of blectl on connections that are held, and says what is expected of them. `blectl run` \
        runs it, on air and in simulation alike, and tells which expectations were not met. The usual end of the name of a \
        script is `.blectl`. A first line `#!/usr/bin/env -S blectl run` makes it a program.
        """
    ]

    static let syntax = [
        """
        The text is UTF-8, and each line is a statement. A backslash at the end of a line continues it on the next one. A `#` at \
        the beginning of a word begins a comment. The indentation means nothing.
        """,
        """
        Words are separated by blanks, as in a shell. In single quotes, every character stands for itself. In double quotes there \
        are `\\"`, `\\\\`, `\\$`, `\\n`, `\\t` and variables. Otherwise a backslash quotes the next character. A word that is quoted, \
        even in part, is not a keyword, a range or a relation. `$$` is a dollar.
        """,
        """
        A TIME is that of the options of blectl: `5`, `1.5`, `500ms`, `2s`, `1m`, `8h`, also in two words such as `5 s`. A NAME is a \
        letter, and then letters, digits, `_` and `-`.
        """,
    ]

    static var commands: [String] {
        let names = ScriptCommand.all.map { "`\($0.rawValue)`" }
        return [
            """
            \(Prose.list(names, "and")) are steps, with the options and arguments that they have on the command line. If a device is \
            declared, the first argument may be its name, and has to be if there are several; then device options belong to its \
            declaration. Each argument of `diff`, and that of `unpair` and `forget`, may be such a name. `pair` uses the link that there \
            is, unless the adapter has to be switched off and on for the pairing: that closes the link, and with it the streams of \
            its device. Options of all commands are given to `blectl run`. `notify`, `watch` and `scan` need `as`, `--count` or \
            `--duration`, because otherwise they have no end; `advertise` and `link --signal` need one of the two options.
            """,
            "After a command there may be, in any order:",
        ]
    }

    static let streams = [
        """
        `notify`, `watch` and `scan` with `as NAME` run in the background. The step ends when the subscription was answered, so that \
        nothing is missed of what a later step causes. Results are kept until `await` or `order` takes them; `never` and `count` \
        look only at those that come while they wait, and throw away the earlier ones.
        """,
        """
        A stream runs until `stop`, a step that begins one of the same name, or the end of the script. One that a test has begun \
        goes on in the next tests, and what comes meanwhile is kept for them. `--only` refuses a choice of tests that leaves out \
        the beginning of such a stream, unless `cleanup all` only stops it: then that `stop` is left out, too.
        """,
        """
        If the link is lost, or if fewer results come than `--count` says, the stream has failed, and so does the next step that \
        looks at it, also one that only stops or replaces it. If there is none until the end of a test, after its cleanup, \
        this test has failed, whichever test has begun the stream; in the report the failure has the place where it began. \
        After the last test it is a failure of the cleanup. A link that a step was to end, as `disconnect` and `pair` do, is \
        not lost. Before a step that makes the device end it, `stop` ends the stream. No step has `--reconnect`.
        """,
        """
        Without a stream, the next step that needs a lost link connects again. Its messages say so: with `-v`, and in the \
        member `messages` of its record.
        """,
    ]

    static let conditions = [
        """
        A condition consists of comparisons with `and`, `or`, `not` and parentheses; `and` binds closer than `or`. A comparison is a \
        relation, which may have a FIELD before it. A text with blanks, signs or parentheses, or one that is a keyword, is quoted.
        """,
        """
        A FIELD is a key of the records of `--json`, or a path of keys with dots. It is looked for in the decoded value, and then in \
        the record. The unit at the end of a key may be left out: `interval` means `interval_ms`. A name that no record and no \
        value of the step can have fails also where nothing has to meet the comparison: after `not`, `absent`, `never` and \
        `count`, and beside an alternative that is met; for a stream even if no result comes. Where the format of a value is \
        not known before it comes, the fields of all formats count. What a beacon sends is below `beacon` in the records of \
        `scan`; there, the keys of all kinds of beacons count. Without a FIELD, the value itself is compared: the decoded one \
        if it is one number or text, else the octets. The results of `scan` have no value of their own.
        """,
        """
        Texts are compared with their case, names of devices too. Addresses, UUIDs and the words of `check` are compared \
        without it.
        """,
    ]

    static let variables = [
        """
        `${NAME}` is the value of a variable: a text that was set, or the decoded value of a result if that is one number or text, \
        else its octets as `0x` and hex digits. `${NAME.FIELD}` is a field of the result, and an error if no result can have it. \
        `${env:NAME}` is a variable of the environment. A variable of `--define` that no script uses or sets is noted on \
        standard error.
        """,
        """
        A script is read completely before it runs. Words whose variables are known by then, because they come from `--define`, from \
        the environment or from one `set`, are checked like those without variables; others when the step runs. The numbers of \
        `repeat` and `await`, times, and the names of tests and files have to be known. The value of a variable never becomes an \
        option: `--OPTION=${NAME}` and `-- ${NAME}` take one that begins with a dash.
        """,
        """
        Nor does a variable at the beginning of a word become a file or standard input, because its text may come from a device: \
        as the VALUE of `write`, one that begins with `@` is refused with status 65, and so is `-` where it means standard input, \
        also after `--`. `@${NAME}` is the file of that name, and `text:${NAME}` the text itself. Where the script expects the \
        name of a file or a program, as for `diff` and after `--output` and `--exec`, the value is one.
        """,
    ]

    static let faults = [
        """
        A fault of a script is reported with the file, the line, the column and the line itself: `rig.blectl:3:8: \
        unknown statement 'reed'; did you mean 'read'?` All faults are reported at once, at most \
        \(ScriptLimits.problems).
        """
    ]

    static let limits = """
        A file has at most \(ScriptLimits.fileSize >> 20) MiB, and all files of a script \(ScriptLimits.totalSize >> 20) MiB and \
        \(ScriptLimits.statements) statements. A line has at most \(ScriptLimits.lineLength) octets and \(ScriptLimits.words) words. \
        Blocks, parentheses and files are nested at most \(ScriptLimits.nesting) deep. With all rounds, at most \
        \(ScriptLimits.runs) steps run. Of a stream, the last \(ScriptStream.limit) results are kept for later steps; the \
        results of another step are judged together, and nearly as many of them are kept. The messages tell how many were \
        dropped. A step that says something of all results fails then: `never`, `count` with an upper end, and any step with \
        `expect CONDITION`. So it does if values came faster than they could be taken, or if the device has sent a malformed \
        notification or indication, which is dropped.
        """

    static let statuses = [
        """
        `blectl run` ends with 0 if all tests passed, with 1 if expectations were not met and nothing else went wrong, and \
        otherwise with the status of the first step that could not be carried out. A run that a signal has ended ends with that signal; its reports have the \
        status 130, and the test that was cut off counts as failed in TAP, which ends with `Bail out!`, and in JUnit. A faulty script is status 65, and a script of the command line that cannot be opened status 66. A \
        file after `include` that cannot be opened is a fault of the script that includes it: status 65.
        """,
        """
        When the reader of standard output goes away, as `head` does, or the disk is full, the run goes on to its end without \
        being shown: its cleanup runs, the reports in files are written, and the status is that of the run. If all tests \
        passed, it is 0 when the reader has gone away, and 74 when standard output could not be written for another reason. A \
        report that could not be written to its file costs no other report, and makes the status 74.
        """,
    ]
}
