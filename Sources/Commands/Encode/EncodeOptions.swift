// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

/// The options of `blectl encode`.
struct EncodeOptions: Sendable, Equatable {
    /// The source of the content.
    enum Source: Sendable, Equatable {
        /// The words of the command line.
        case words([String])
        /// The octets of a file, or those of standard input for `-`.
        case file(String)
    }

    let type: ValueType
    /// The source of the content.
    let source: Source
}

extension EncodeOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        type = try arguments.valueType(arguments[EncodeCommand.type], of: EncodeCommand.type)
        let words = arguments[EncodeCommand.values]
        source = try arguments.file(of: words).map { .file($0) } ?? .words(words)
    }
}
