// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// What a new user's trial of about 520 invocations found, and the tests that hold each point.
@Suite("The trial of a new user")
struct TrialTests {
    /// A point of the trial: the fault as its user met it, and the tests that failed before its repair.
    struct Point: CustomTestStringConvertible, Sendable {
        let number: String
        let fault: String
        /// The names of the tests: `NamedTest`.
        let tests: [String]

        init(_ number: String, _ fault: String, _ tests: String...) {
            (self.number, self.fault, self.tests) = (number, fault, tests)
        }

        var testDescription: String { "\(number): \(fault)" }
    }

    /// W: wrong. F: felt.
    static let points = [
        Point(
            "W1",
            "write --verify calls a write that landed a failure, where the value cannot be read back",
            "WriteTests/`a value that cannot be read back is refused before it is written`",
            "WriteTests/`a value that only the device understands is reported as written and not verified`"
        ),
        Point(
            "W2",
            "a write to an ambiguous attribute takes the first",
            "WriteTests/`several matching attributes are listed, and none is written`",
            "WriteTests/`neither is a descriptor below one of several, nor a piece`"
        ),
        Point(
            "W3",
            "arguments that are not UTF-8 are replaced",
            "DeviceChoiceTests/`are refused, and never replaced`"
        ),
        Point(
            "W4",
            "bash completion loses the @ of a file, and completes nothing behind unix:",
            "ShellCompletionTests/`a word is completed to the text that blectl needs`"
        ),
        Point(
            "W5",
            "virtual time does not end when nothing more can happen",
            "VirtualTimeTests/`a wait for the end of the world ends when nothing is due, and the clock stands still`",
            "LimitTests/`a world without further events ends a count with the reason`",
            "LimitTests/`a world with endless events ends a search for a missing device`"
        ),
        Point(
            "W6",
            "scan --json promises a record for each report and writes fewer",
            "ScanReportTests/`JSON has new reports, --duplicates all, --summary each device once`",
            "ScanReportTests/`a summary agrees with the reports`",
            "ScanReportTests/`people get the same facts in a line for each device`"
        ),
        Point(
            "W7",
            "--retries does not retry a connection timeout, nor a socket where nobody listens",
            "LimitTests/`--retries also repeats an attempt that timed out, if it is given`",
            "LimitTests/`--retries waits for a program that does not listen yet`"
        ),
        Point(
            "W8",
            "a search longer than --timeout ends with another status than documented",
            "LimitTests/`other endings have the statuses of the manual`"
        ),
        Point(
            "W9",
            "a device that takes no connection is reported as absent or as busy",
            "DeviceChoiceTests/`a device that takes no connection is neither absent nor busy`",
            "DeviceFinderTests/`a device that takes no connection is reported as such, by name and by address`"
        ),
        Point(
            "W10",
            "Ctrl-Z or Ctrl-\\ in the live table leaves the cursor hidden",
            "ScreenTests/`Ctrl-Z releases the terminal, and fg draws a whole picture`",
            "ScreenTests/`in a shell, Ctrl-Z, bg and fg work as for every program`"
        ),
        Point(
            "W11",
            "at 40 columns, leftovers of progress lines stay on the screen",
            "ScreenTests/`progress fits the terminal, and is removed at the end`"
        ),
        Point(
            "W12",
            "serve tells no disconnection of those who are there when it ends",
            "LimitTests/`serve reports the disconnection of every connected client`"
        ),
        Point(
            "W13",
            "--simulate-time and --simulate-seed without --simulate use the real radio",
            "LimitTests/`an option of the simulated world does not run on the real radio`"
        ),
        Point(
            "W14",
            "monotonic_ns begins at 0 in each process",
            "RecordTests/`times of several processes are on one clock, that of the machine`"
        ),
        Point(
            "W15",
            "scan --count on a terminal stops before the scan response of the last device",
            "ScanDisplayTests/described",
            "ScanDisplayTests/counted"
        ),
        Point(
            "W16",
            "examples that break when pasted, lines that are too long, --json where nothing is JSON",
            "ExampleTests/`each runs as pasted`",
            "ExampleTests/`no line of a page is wrapped or wider than a terminal`",
            "ExampleTests/`README shows devices in the order in which a scan finds them`"
        ),
        Point(
            "F1",
            "text does not say which device was used",
            "DeviceChoiceTests/`a terminal shows the device that is used, and the messages of a script do not`"
        ),
        Point(
            "F2",
            "the live scan is bare",
            "ScreenTests/`a scan shows the golden picture`",
            "ScreenTests/`keys sort, filter, select, explain and quit`",
            "ScreenTests/`beacon frames are kept apart`",
            "ScreenTests/`an empty table says why`",
            "LiveScanTests/details"
        ),
        Point(
            "F3",
            "--sort rssi jumps",
            "LiveScanTests/steadyOrder",
            "ScreenTests/`the order by signal is stable, and follows the seed`"
        ),
        Point(
            "F4",
            "JSON records are uneven, and a fatal error has none",
            "RecordTests/`a failure of a command is its last record, with the message of standard error`",
            "RecordTests/`a failure names its action, its device, its attribute and the error by name`",
            "RecordTests/`the tree of a device needs no fold`",
            "RecordSchemaTests/`it accepts every kind of record as commands write it`"
        ),
        Point(
            "F5",
            "a run passes with fewer values or devices than --count",
            "LimitTests/`an unmet count is a failure with both numbers`",
            "StopLimitsTests/unmet",
            "ScreenTests/`a key that ends a run does not replace what --count wants`"
        ),
        Point(
            "F6",
            "names of devices have to be exact, and a near one is not suggested",
            "DeviceChoiceTests/`a device is found by its name in any case, and by its address in any spelling`",
            "DeviceChoiceTests/`a word that can be neither is refused at once`",
            "DeviceChoiceTests/`the error for a name that was not heard has one that was`"
        ),
        Point(
            "F7",
            "hints that say nothing",
            "DeviceChoiceTests/`have what failed, on what, why, and the remedy`"
        ),
        Point(
            "F8",
            "targets and values in common spellings are not understood, application errors have no name",
            "AttributeTargetTests/reads",
            "DeviceChoiceTests/`a descriptor is named by its short name, and one digit after 0x is an octet`",
            "ApplicationErrorsTests/`a code has the name of its service`"
        ),
        Point(
            "F9",
            "read shows hexadecimal where inspect --values shows a unit",
            "CacheTests/`a format declared by the device is remembered, and used once it is confirmed`"
        ),
        Point(
            "F10",
            "inspect --values: long values, errors that look like values, no alignment, no ASCII",
            "TreeResultTests/columns",
            "TreeResultTests/longValue",
            "TreeResultTests/ascii"
        ),
        Point(
            "F11",
            "-v counts from the start, values carry the wall clock",
            "TraceTests/`each PDU is one line with a time, a direction, the device and its meaning`",
            "TraceTests/`a packet and the value in it have the same time of day`"
        ),
        Point(
            "F12",
            "watch: unknown names are not led on, and a terminal gets no more than a pipe",
            "ScreenTests/`a watch shows the golden picture`",
            "LiveValuesTests/picture",
            "LiveValuesTests/gaps",
            "ProfileTests/named"
        ),
        Point(
            "F13",
            "completion offers too much or nothing",
            "ShellCompletionTests/`a word is completed to the text that blectl needs`",
            "CompletionOffersTests/`only attributes of the device are offered, if they are known`"
        ),
        Point(
            "F14",
            "words that a stranger does not understand",
            "CommandTableTests/brevity",
            "CommandTableTests/references"
        ),
        Point(
            "F15",
            "help ignores the width of the terminal, and known words of other tools get no suggestion",
            "HelpTextTests/shortWidth",
            "UsageErrorTests/message",
            "DeviceChoiceTests/`a device is found by its name in any case, and by its address in any spelling`"
        ),
        Point(
            "F16",
            "no line format for scripts",
            "FormatTests/`a record is a line by the template`",
            "FormatTests/`a kind of record that lacks a key has no line`",
            "FormatTests/`a template without a meaning is refused`"
        ),
    ]

    @Test("each point has a test")
    func noPointIsOpen() {
        let numbers = (1...16).flatMap { ["W\($0)", "F\($0)"] }
        #expect(Set(Self.points.map(\.number)) == Set(numbers))
        #expect(Self.points.filter(\.tests.isEmpty).map(\.number) == [])
    }

    @Test("each test of the table exists", arguments: points)
    func namedTestsExist(point: Point) throws {
        for test in point.tests { try NamedTest.find(test) }
    }
}
