// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Toolkit

struct LinkOptions: Sendable, Equatable {
    /// The stream of signal strengths (`--signal`).
    struct Signal: Sendable, Equatable {
        var limits = StopLimits()
        var period = Duration.seconds(1)
    }

    var request: LinkRequest
    /// The stream; `nil` to show the link once.
    var signal: Signal?
}

extension LinkOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        request = try LinkRequest(arguments)
        guard arguments[LinkCommand.signal] else {
            for option in [LinkCommand.count.spec, LinkCommand.duration.spec, LinkCommand.period.spec]
            where arguments.isGiven(option) {
                throw arguments.impossible("'--\(option.long)' needs '--signal'")
            }
            return
        }
        var signal = Signal(limits: StopLimits(arguments, count: LinkCommand.count, duration: LinkCommand.duration))
        if let period = arguments[LinkCommand.period] { signal.period = period }
        self.signal = signal
    }
}
