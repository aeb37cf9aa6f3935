// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// What a second trial, of 1,090 invocations, found, and the tests that hold each point and its siblings.
@Suite("The second trial of a new user")
struct SecondTrialTests {
    typealias Point = TrialTests.Point

    /// W: wrong. F: felt. M: missing.
    static let points = [
        Point(
            "W1",
            "--format accepts keys that only failures or other records have, and prints nothing",
            "ScanTemplateTests/`a template for which no result of the run has a line is refused`",
            "ScanTemplateTests/`records that a run may have are no mistake`"
        ),
        Point(
            "W2",
            "watch current-time prints once what the manual says is polled",
            "ProfileTests/`what the device never sends is read once in each period`"
        ),
        Point(
            "W3",
            "charts are hidden while lines stay blank, and those of counters are in front",
            "LiveValuesTests/manyCharts",
            "LiveValuesTests/derivedNumbers"
        ),
        Point("W4", "the rate of two values stays when nothing comes any more", "LiveValuesTests/silence"),
        Point(
            "W5",
            "times on a terminal are in UTC, and names in a legend overlap",
            "WatchTerminalTests/`on a terminal times are local, and in records in UTC`",
            "LineChartTests/legend"
        ),
        Point(
            "F3",
            "notify on a terminal is silent until the first value",
            "ProgressTests/`a subscription says that it waits for the first value`"
        ),
        Point(
            "F4, F8, M3",
            "a device in the wrong place, a service, and words that are nearly right get no useful hint",
            "UsageErrorTests/message",
            "DeviceFileTests/`a word that is no file is meant as a device`",
            "DeviceFileTests/`the devices of blectl are listed with what they are`"
        ),
        Point(
            "F6",
            "device check does not say which part of an advertisement is too long",
            "DeviceFileTests/`data that are too long are told with the length of each part`"
        ),
        Point(
            "F7",
            "a dry run does not find a misspelt field",
            "RunTests/`a dry run finds a field that no result of the step can have`"
        ),
        Point(
            "F9",
            "numbers have digits that mean nothing",
            "ProfileTests/`every profile has a simulated device`"
        ),
        Point(
            "F10",
            "weak keys are refused and kept; the status and the name of a session are those of something else",
            "PairingTests/`keys that are weaker than demanded are not kept`",
            "SessionTests/`a second session with a device, and an invalid one, are refused`"
        ),
        Point(
            "F11",
            "one wide line unaligns a tree, and trace --diagram prints the trace, too",
            "TreeResultTests/oneWideLine",
            "DiagramTests/`a run and the capture of it have the same diagram`"
        ),
        Point(
            "M1",
            "read cannot poll, and reads no whole service",
            "ReadTests/`a value is read once in each time, until the count`",
            "ReadTests/`each value has its time, and fewer than wanted are status 1`",
            "ReadTests/`what is refused is told once and left out, and the status is that of it`",
            "ReadTests/`a lost link ends the reading, unless it is made again, and the loss is told`",
            "ReadTests/`a script has a stream of it`",
            "ReadTests/`limits need --every`",
            "ReadTests/`a whole service is read by its name, in the order of its handles`",
            "ReadTests/`a service without values says so`"
        ),
        Point(
            "M2",
            "a shell has no -c, no kill and no clear",
            "ShellTests/`lines of the command line run instead of standard input, on one connection`",
            "ShellTests/`kill is another word for stop, and clear leaves a file alone`"
        ),
        Point(
            "M4",
            "values, actions of profiles and forms of reports are not completed",
            "CompletionOffersTests/`values are offered where a format has names for them, or for fields`",
            "CompletionOffersTests/`the actions of a profile are offered behind it`",
            "CompletionOffersTests/`the form of a report is offered, and then files`"
        ),
        Point("M5", "-V is no option", "InvocationTests/version"),
    ]

    @Test(arguments: points)
    func `each point has its tests`(_ point: Point) throws {
        for test in point.tests { try NamedTest.find(test) }
    }
}
