// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

struct EncodeOptions: Sendable, Equatable {
    enum Source: Sendable, Equatable {
        case words([String])
        /// The octets of a file, or those of standard input for `-`.
        case file(String)
    }

    let type: ValueType
    let source: Source
}

extension EncodeOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        type = try arguments.valueType(arguments[EncodeCommand.type], of: EncodeCommand.type)
        let words = arguments[EncodeCommand.values]
        source = try arguments.file(of: words).map { .file($0) } ?? .words(words)
    }
}
