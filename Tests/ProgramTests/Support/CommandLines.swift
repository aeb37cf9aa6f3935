// SPDX-License-Identifier: GPL-2.0-or-later

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

/// Reads a command line, with blanks between its words, up to its typed options. Blanks between quotes are of a word.
func request(
    _ line: String,
    environment: [String: String] = [:],
    hasSessions: Bool = false
) throws -> CommandRequest {
    let words = line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
        index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
    guard case .run(let arguments) = try Invocation(words, environment: { environment[$0] }) else {
        throw NotACommand(arguments: words)
    }
    return try CommandRequest(arguments) { hasSessions }
}

/// The line is that of another command.
struct WrongCommand: Error {
    let name: CommandName
    init(_ name: CommandName) { self.name = name }
}
