// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// What `blectl read` reads.
struct ReadOptions: Sendable, Equatable {
    /// The attributes, at least one.
    var targets: [AttributeTarget]
    /// How the octets are to be understood (`--as`); `nil`: by what is known of the attribute.
    var format: ValueFormat?
}

extension ReadOptions {
    /// Reads them from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        targets = try arguments.targets(ReadSpec.targets)
        format = arguments[ReadSpec.format]
    }
}
