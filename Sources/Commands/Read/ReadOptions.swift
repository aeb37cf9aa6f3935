// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

struct ReadOptions: Sendable, Equatable {
    var targets: [ReadTarget]
    /// The format of the values (`--as`); `nil` for that of the attribute.
    var format: ValueFormat?
    /// The time between two reads of a value (`--every`); `nil` to read once.
    var period: Duration?
    /// The number of values of all targets together, and the time since the first read.
    var limits = StopLimits()
    var reconnects = false

    /// The first three texts of the user, for errors.
    var text: String {
        Prose.list(targets.prefix(3).map(\.text), "and") + (targets.count > 3 ? ", …" : "")
    }
}

extension ReadOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        targets = try arguments[ReadCommand.targets].map { text throws(UsageError) in
            try ReadTarget(text, in: arguments)
        }
        format = arguments[ReadCommand.format]
        period = arguments[ReadCommand.every]
        limits = StopLimits(arguments, count: ReadCommand.count, duration: ReadCommand.duration)
        reconnects = arguments[DeviceSpec.reconnect]
        guard period == nil else {
            for case .attribute(let target) in targets where target.isDescriptor {
                throw arguments.impossible("'--every' is for characteristics, and \(target) is a descriptor")
            }
            return
        }
        for option in [ReadCommand.count.spec, ReadCommand.duration.spec, DeviceSpec.reconnect.spec]
        where arguments.isGiven(option) {
            throw arguments.impossible("'--\(option.long)' needs '--every'", hint: "once a second: --every 1")
        }
    }
}
