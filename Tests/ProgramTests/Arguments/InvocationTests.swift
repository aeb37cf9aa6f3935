// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("What a command line asks for")
struct InvocationTests {
    struct HelpCase: Sendable, CustomTestStringConvertible {
        let line: String
        let command: CommandName?
        let length: HelpText.Length

        init(_ line: String, _ command: CommandName?, _ length: HelpText.Length) {
            self.line = line
            self.command = command
            self.length = length
        }

        var testDescription: String { line }
    }

    @Test(
        "help is granted wherever it stands, even in a wrong command line",
        arguments: [
            HelpCase("-h", nil, .short),
            HelpCase("--help", nil, .full),
            HelpCase("help", nil, .full),
            HelpCase("scan -h", .scan, .short),
            HelpCase("scan --help", .scan, .full),
            HelpCase("-h scan", .scan, .short),
            HelpCase("help scan", .scan, .full),
            HelpCase("help help", .help, .full),
            HelpCase("help -h", .help, .short),
            HelpCase("-vh scan", .scan, .short),
            HelpCase("-h --help", nil, .short),
            HelpCase("--help --version", nil, .full),
            HelpCase("scan --foo --help", .scan, .full),
            HelpCase("scan --count --help", .scan, .full),
            HelpCase("scan --count x -h", .scan, .short),
            HelpCase("read --help", .read, .full),
            HelpCase("--foo bar --help", nil, .full),
        ]
    )
    func help(_ helpCase: HelpCase) throws {
        let invocation = try Invocation(helpCase.line.split(separator: " ").map(String.init))
        guard case .help(let help, let length) = invocation else {
            Issue.record("\(invocation) is no help")
            return
        }
        #expect(help.command == helpCase.command)
        #expect(length == helpCase.length)
        let expected = length == .short ? help.short(width: 72) : help.full(width: 72)
        #expect(invocation.immediateText(width: 72) == expected)
    }

    @Test("blectl help explains a topic; a word that is a command, too, stands for both")
    func topics() throws {
        func text(_ word: String) throws -> String {
            try #require(try Invocation(["help", word]).immediateText(width: 72))
        }
        #expect(try text("targets").hasPrefix("targets - how characteristics and descriptors are named\n\nA target is"))
        #expect(try text("targets").hasSuffix("\nIn the manual: TARGETS in blectl(1).\n"))
        let command = HelpText(.adapters).full(width: 72)
        let adapters = try text("adapters")
        #expect(adapters.hasPrefix(command) && adapters.contains("\n\nseveral adapters - "))
        #expect(throws: UsageError.self) { try Invocation(["help", "targets", "--json-schema"]) }
    }

    @Test("behind two dashes, and as a value, -h is not a request for help")
    func noHelp() throws {
        #expect(try parse("read", "--", "-h")[ReadCommand.targets] == ["-h"])
        #expect(try parse("scan", "--name=-h")[ScanCommand.name] == ["-h"])
        #expect(try parse("read", "x", "-dh")[DeviceSpec.device] == .name("h"))
    }

    @Test("the version is printed at once", arguments: [["--version"], ["-V"], ["version"], ["scan", "--version"]])
    func version(_ line: [String]) throws {
        let text = try #require(try Invocation(line).immediateText())
        #expect(text.hasPrefix("blectl \(Program.version)\nwith libbluetooth "))
    }

    @Test("the version as JSON is a command, because a record has a time")
    func versionRecord() throws {
        #expect(try parse("version", "--json").command == .version)
    }

    @Test("a completion script is printed at once", arguments: Shell.allCases)
    func completion(_ shell: Shell) throws {
        #expect(
            try Invocation(["completion", shell.rawValue]).immediateText() == CompletionScript.script(for: shell)
        )
    }

    @Test("the files generated from the table can be listed and printed")
    func generatedFiles() throws {
        let list = try #require(try Invocation(["help", "--generate", "list"]).immediateText())
        let names = list.split(separator: "\n").map(String.init)
        #expect(names == GeneratedFile.all(of: .all).map(\.path))
        for name in names {
            guard case .generatedFile(let file) = try Invocation(["help", "--generate", name]) else {
                Issue.record("\(name) is not printed")
                continue
            }
            #expect(file.path == name)
        }
    }

    @Test("a command to run prints nothing by itself")
    func run() throws {
        #expect(try Invocation(["scan"]).immediateText() == nil)
    }
}
