// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Toolkit

struct NotifyOptions: Sendable, Equatable {
    /// The characteristics, at least one and no descriptor.
    var targets: [AttributeTarget]
    /// The format of the values (`--as`); `nil` for that of the characteristic.
    var format: ValueFormat?
    /// The number of values of all targets together, and the time after the last subscription.
    var limits = StopLimits()
    /// Whether values are also taken that cannot be switched on.
    var listens = false
    /// How values are joined and cut into frames; `nil` for values as they come.
    var frames: FrameFormat?
    /// The file for a chart; `nil` for none.
    var chart: ChartFile?

    /// Whether only the octets of values are printed.
    var isRaw: Bool { format == .raw }
}

extension NotifyOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        targets = try arguments.targets(NotifyCommand.targets)
        if let descriptor = targets.first(where: \.isDescriptor) {
            throw arguments.impossible("cannot subscribe to \(descriptor): a descriptor does not notify")
        }
        format = arguments[ReadCommand.format]
        limits = StopLimits(arguments, count: NotifyCommand.count, duration: NotifyCommand.duration)
        listens = arguments[ValueOptions.listen]
        frames = arguments[NotifyCommand.frames]
        chart = arguments[ValueOptions.chart]
        if chart != nil, isRaw { throw arguments.impossible("'--as raw' decodes no numbers that '--chart' could draw") }
    }
}
