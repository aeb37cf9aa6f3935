// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// What `blectl notify` listens to.
struct NotifyOptions: Sendable, Equatable {
    /// The characteristics, at least one; none is a descriptor.
    var targets: [AttributeTarget]
    /// How the octets are to be understood (`--as`); `nil`: by what is known of the characteristic.
    var format: ValueFormat?
    /// How many values of all targets together, and how long after the last subscription.
    var limits = StopLimits()

    /// Whether values are octets as they are, with nothing between them.
    var isRaw: Bool { format == .raw }
}

extension NotifyOptions {
    /// Reads them from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        targets = try arguments.targets(NotifySpec.targets)
        if let descriptor = targets.first(where: \.isDescriptor) {
            throw arguments.impossible("cannot subscribe to \(descriptor): a descriptor does not notify")
        }
        format = arguments[ReadSpec.format]
        limits = StopLimits(count: arguments[NotifySpec.count], duration: arguments[NotifySpec.duration])
    }
}
