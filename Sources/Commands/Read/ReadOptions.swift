// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Toolkit

struct ReadOptions: Sendable, Equatable {
    /// The attributes, at least one.
    var targets: [AttributeTarget]
    /// The format of the values (`--as`); `nil` for that of the attribute.
    var format: ValueFormat?
}

extension ReadOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        targets = try arguments.targets(ReadCommand.targets)
        format = arguments[ReadCommand.format]
    }
}
