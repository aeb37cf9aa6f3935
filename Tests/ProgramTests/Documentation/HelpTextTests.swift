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
                      --as FORMAT         how to print the bytes
                      --chart FILE        draw the numbers over time to this file, as SVG

                device options:
                  -d, --device ADDRESS|NAME      the device, by its address or its name
                      --name GLOB                look for a device with this name
                      --service UUID|NAME        look for a device that advertises this service
                      --address-type TYPE        the type of the device's address
                      --connect-timeout SECONDS  how long one attempt to connect may take
                      --no-wait                  fail at once if another program has the device
                      --retries NUMBER           how often to try again to connect
                      --no-cache                 discover the device again, without the cache
                      --no-session               connect, although a session has a link
                      --security LEVEL           the security that the link must have
                      --min-key-size OCTETS      the shortest key of an encrypted link
                      --no-pair                  leave the security of the link as it is

                More options: blectl link -h and blectl -h. In detail: blectl notify --help.

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

                Shows each adapter of this machine: its address, its state,
                whether Low Energy is on, its bus, its version, its manager,
                its manufacturer and its features. If an adapter cannot be
                used, it also shows the reason and the remedy.

                The kernel does not name the manager of an adapter. A
                running process with the name of a known manager, such as
                bluetoothd, is taken for the manager of all adapters;
                unmanaged means that none was found.

                global options:
                  --json
                      Print one JSON object per line. The records are
                      described in blectl(1), and their keys do not change.
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

                see also:
                  blectl(1), blectl-adapter(1), blectl-doctor(1),
                  blectl-scan(1)

                """
            )
        )
    }

    @Test("-h fits one screen of 80 columns", arguments: all.indices)
    func oneScreen(index: Int) {
        let lines = Self.all[index].short().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 40)
        for line in lines { #expect(line.count <= 80, "\(line)") }
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
        let texts = [HelpText(command).short(), HelpText(command).full()]
        for text in texts {
            for argument in command.spec.arguments { #expect(text.contains("  \(argument.synopsis)")) }
            for option in command.spec.options + OptionGroup.device.options {
                let own = command.spec.option(named: option.long)
                let isShown = !option.isHidden && own != nil
                #expect(text.contains(" \((own ?? option).synopsis)") == isShown, "\(option.long)")
            }
        }
    }

    @Test("-h ends with a line that says where the omitted options are", arguments: CommandSet.all.table.names)
    func closing(command: CommandName) throws {
        let text = HelpText(command).short()
        let last = try #require(text.split(separator: "\n").last)
        #expect(last.hasPrefix("More options: "))
        #expect(last.hasSuffix(" In detail: blectl \(command.rawValue) --help."))
        let elsewhere = HelpText(.link).short()
        let leftOut = command.spec.groups.filter { $0 == .link }.flatMap(\.options).filter {
            !text.contains("--\($0.long) ")
        }
        #expect(last.contains("blectl link -h") == !leftOut.isEmpty)
        for option in leftOut { #expect(elsewhere.contains("--\(option.long) "), "\(option.long)") }
        #expect(last.contains("blectl -h."))
    }

    @Test("--help of blectl has the whole table")
    func completeProgram() {
        let text = HelpText(nil).full()
        for command in CommandSet.all.table.commands { #expect(text.contains("  \(command.name.rawValue) ")) }
        for option in CommandSet.all.table.groups.flatMap(\.options) { #expect(text.contains(option.synopsis)) }
        for concept in Concept.all {
            #expect(text.contains("\n\(concept.title):\n"))
            for entry in concept.entries { #expect(text.contains("\n  \(entry.term)\n")) }
        }
        for status in ExitStatus.allCases { #expect(text.contains("\n  \(status.rawValue) ")) }
        for entry in Program.environment + Program.files { #expect(text.contains("\n  \(entry.term)\n")) }
    }
}
