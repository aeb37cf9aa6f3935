// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Options of a line of the shell")
struct ShellOptionsTests {
    private func global(_ words: [String], in shell: [String] = ["shell"], isReconnecting: Bool = false) throws
        -> GlobalOptions
    {
        let shell = try GlobalOptions(parsed(shell), of: .all)
        return try shell.forLine(parsed(words), of: .all, isReconnecting: isReconnecting)
    }

    private func parsed(_ words: [String]) throws -> ParsedArguments {
        guard case .run(let arguments) = try Invocation(words) else {
            throw UsageError(.missingCommand, command: nil)
        }
        return arguments
    }

    @Test func `options that the line lacks come from the shell`() throws {
        let shell = ["--simulate", "--json", "-vv", "--timeout", "3", "--adapter", "hci1", "shell", "--deadline", "60"]
        let options = try global(["read", "battery-level"], in: shell)
        #expect(options.radio == .simulation(.real))
        #expect(options.streams.isJSON && options.streams.verbosity == 2)
        #expect(options.timeout == .seconds(3))
        #expect(options.adapter == "hci1")
        #expect(options.deadline == nil, "that of the shell is for all of its lines together")
    }

    @Test func `options of the line take precedence`() throws {
        let shell = ["--json", "-vv", "--timeout", "3", "shell"]
        let line = [
            "read", "battery-level", "--format", "{text}", "-q", "--timeout", "1", "--deadline", "2", "--color",
            "never",
        ]
        let options = try global(line, in: shell)
        #expect(!options.streams.isJSON && options.streams.format != nil)
        #expect(options.streams.isQuiet && options.streams.verbosity == 0)
        #expect(options.timeout == .seconds(1))
        #expect(options.deadline == .seconds(2))
        #expect(options.streams.color == .never)
    }

    @Test(arguments: [
        ["--simulate"], ["--radio", "unix:/x"], ["--formats", "f"], ["--simulate", "--simulate-seed", "2"],
        ["--simulate-adapter", "off"], ["--fault", "read battery-level: no answer"], ["--reconnect"],
    ])
    func `options for the whole shell are refused`(_ words: [String]) throws {
        let command = words == ["--reconnect"] ? "notify" : "read"
        let error = #expect(throws: UsageError.self) { try global([command, "battery-level", "-d", "x"] + words) }
        #expect(error?.message.hasSuffix("is for the shell as a whole") == true, "\(error?.message ?? "")")
        #expect(error?.hint != nil)
    }

    @Test func `a line may repeat --reconnect`() throws {
        _ = try global(["notify", "battery-level", "--reconnect"], isReconnecting: true)
    }

    @Test func `a shell needs no device, and takes every way to name one`() throws {
        #expect(try ShellOptions(parsed(["shell"])).device == nil)
        #expect(try ShellOptions(parsed(["shell", "-d", "A"])).device?.selector == .name("A"))
        #expect(try ShellOptions(parsed(["shell", "--service", "battery"])).device != nil)
        #expect(try ShellOptions(parsed(["shell", "--radio", "unix:/x"])).device != nil)
        #expect(try ShellOptions(parsed(["shell", "--reconnect", "--retries", "0"])).connection.reconnects)
    }
}
