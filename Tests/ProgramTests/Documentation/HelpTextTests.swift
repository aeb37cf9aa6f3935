// SPDX-License-Identifier: GPL-2.0-or-later

import TestProcesses
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("-h and --help")
struct HelpTextTests {
    static let all = [HelpText(nil)] + CommandSet.all.table.names.map { HelpText($0) }

    @Test("-h equals the golden text")
    func golden() {
        #expect(
            HelpText(.notify).short() == """
                blectl notify - subscribe and print values as they arrive

                usage: blectl notify [OPTIONS] TARGET...

                arguments:
                  TARGET...  a characteristic that notifies or indicates

                options:
                  -n, --count NUMBER      stop after this many values
                      --duration SECONDS  stop after this time
                      --reconnect         connect again when the connection is lost
                      --listen            also take what cannot be switched on
                      --frames FORM       join the values, and print the frames in them
                      --as FORMAT         how to print the bytes
                      --chart FILE        draw the numbers over time to this file, as SVG

                device options, link options (blectl help device-options, link-options):
                  -d, --device ADDRESS|NAME  the device, by its address or its name
                  --name, --service, --address-type, --connect-timeout, --no-wait, --retries,
                  --no-cache, --no-session, --security, --min-key-size, --no-pair, --link-phy,
                  --link-interval, --link-latency, --supervision-timeout, --data-length,
                  --link-subrate, --link-mtu, --link-bearers

                More options: blectl help options. In detail: blectl notify --help.

                """
        )
    }

    @Test("--help equals the golden text")
    func goldenFull() {
        let text = HelpText(.adapters).full(width: 60)
        #expect(
            text.hasPrefix(
                """
                blectl adapters - list the Bluetooth adapters and their
                troubles

                usage: blectl adapters [OPTIONS]

                Shows each adapter of this machine: address, state, whether
                Low Energy is on, bus, version, manager, manufacturer and
                features; if it cannot be used, the reason and the remedy.

                The kernel does not name the manager of an adapter: a
                running process with the name of a known one, such as
                bluetoothd, counts as that of all adapters; unmanaged means
                that none was found. Controllers on USB without a driver are
                named on standard error.

                examples:
                  blectl adapters
                      Which adapters there are.
                """
            )
        )
        #expect(
            text.hasSuffix(
                """
                examples:
                  blectl adapters
                      Which adapters there are.
                  blectl adapters --json
                      The same for a script.

                Options of every command: blectl help options.

                see also:
                  blectl(1), blectl-adapter(1), blectl-doctor(1),
                  blectl-scan(1)

                """
            )
        )
    }

    /// What `-h` explains in a line each: arguments, their choices, and the command's own options.
    private static func explained(by help: HelpText) -> Int {
        guard let spec = help.command?.spec else { return 0 }
        let choices = spec.arguments.map(\.value.choices).filter { $0.count <= Choice.mostExplained }
        return spec.arguments.count + choices.joined().count + spec.shownOptions.count
    }

    @Test("-h has 24 lines of 80 columns, or 40 if more than seven things are its own", arguments: all.indices)
    func oneScreen(index: Int) {
        let help = Self.all[index]
        let lines = help.short().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= (Self.explained(by: help) <= 7 ? 24 : 40), "\(lines.count)")
        for line in lines { #expect(line.count <= 80, "\(line)") }
    }

    @Test("-h lists the actions and the profiles", arguments: CommandSet.all.table.names)
    func choices(command: CommandName) {
        let text = HelpText(command).short()
        for argument in command.spec.arguments {
            for choice in argument.value.choices { #expect(text.contains(choice.word), "\(choice.word)") }
        }
        #expect(!text.contains("as described above"))
    }

    @Test("--help is wrapped to the requested width", arguments: [40, 80, 100])
    func wrapping(width: Int) {
        let examples = CommandSet.all.table.commands.flatMap(\.examples) + Program.examples
        for help in Self.all {
            for line in help.full(width: width).split(separator: "\n") {
                let text = line.drop { $0 == " " }
                // The first lines, and typed text, are not wrapped.
                let isFixed =
                    text.hasPrefix("blectl ") || text.hasPrefix("usage: ")
                    || examples.contains { $0.line == text }
                #expect(line.count <= width || isFixed || !text.contains(" "), "\(line)")
                #expect(!line.hasSuffix(" "))
            }
        }
    }

    @Test("-h follows the width of the terminal, too", arguments: [40, 60, 100])
    func shortWidth(width: Int) {
        for help in Self.all {
            for line in help.short(width: width).split(separator: "\n") {
                #expect(line.count <= width || !line.drop { $0 == " " }.contains(" "), "\(line)")
                #expect(!line.hasSuffix(" "))
            }
        }
        #expect(HelpText(.scan).short(width: 100) != HelpText(.scan).short(width: 60))
    }

    @Test("a terminal may have any width", arguments: [Int.min, -1, 0, 1, 39, 101, 1_000_000, Int.max])
    func anyWidth(width: Int) {
        let nearest = min(max(width, 40), 100)
        #expect(HelpText(.scan).full(width: width) == HelpText(.scan).full(width: nearest))
    }

    @Test("both name every argument and option of a command", arguments: CommandSet.all.table.names)
    func complete(command: CommandName) {
        let own = Set(command.spec.options.map(\.long))
        for (text, isShort) in [(HelpText(command).short(), true), (HelpText(command).full(), false)] {
            for argument in command.spec.arguments { #expect(text.contains("  \(argument.synopsis)")) }
            for option in command.spec.options + OptionGroup.device.options {
                let known = command.spec.option(named: option.long)
                // In -h, the options that it shares with others are names only.
                let isNameOnly = isShort && option.short == nil && !own.contains(option.long)
                let isShown =
                    if isNameOnly {
                        [",", "\n"].contains { text.contains(" --\(option.long)\($0)") }
                    } else {
                        text.contains(" \((known ?? option).synopsis)")
                    }
                #expect(isShown == (!option.isHidden && known != nil), "\(option.long)")
            }
        }
    }

    @Test("both end with a line that leads to the options of every command", arguments: CommandSet.all.table.names)
    func closing(command: CommandName) throws {
        let last = try #require(HelpText(command).short().split(separator: "\n").last)
        #expect(last == "More options: blectl help options. In detail: blectl \(command.rawValue) --help.")
        let text = HelpText(command).full()
        #expect(text.contains("\nOptions of every command: blectl help options.\n"))
        #expect(!text.contains("--simulate-seed NUMBER\n"))
        for group in command.spec.groups where group != .global {
            #expect(text.contains("\n\(group.title) (blectl help \(group.word)):\n"))
        }
    }

    @Test("--help of blectl has the commands and the topics, and these have the rest of the table")
    func completeProgram() throws {
        let text = HelpText(nil).full()
        let table = CommandSet.all.table
        for command in table.commands { #expect(text.contains("  \(command.name.rawValue) ")) }
        for topic in table.topics { #expect(text.contains("  \(topic.word) ")) }
        func explained(_ word: String) throws -> String {
            HelpText.explain(try #require(table.topics.first { $0.word == word }))
        }
        for group in table.groups {
            for option in group.options { #expect(try explained(group.word).contains(option.synopsis)) }
        }
        for concept in Concept.all {
            for entry in concept.entries { #expect(try explained(concept.word).contains("\n  \(entry.term)")) }
        }
        for status in ExitStatus.allCases { #expect(try explained("status").contains("\n  \(status.rawValue) ")) }
        for entry in Program.environment { #expect(try explained("environment").contains("\n  \(entry.term)")) }
        for entry in Program.files { #expect(try explained("files").contains("\n  \(entry.term)")) }
    }

    @Test("a topic is a section of the manual, fits a terminal, and has a word of its own")
    func topics() throws {
        let topics = CommandSet.all.table.topics
        #expect(Set(topics.map(\.word)).count == topics.count)
        let pages = ManualPageTests.pages
        for topic in topics {
            for line in HelpText.explain(topic).split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            if topic.place.hasSuffix(" in blectl(1)") {
                let page = try #require(pages.first { $0.fileName == "blectl.1" })
                #expect(page.text.contains("\n.Sh \(topic.title.uppercased())\n"), "\(topic.word)")
            } else {
                #expect(pages.contains { "blectl-\(topic.word)" == $0.fileName.dropLast(2) }, "\(topic.word)")
            }
        }
    }
}
