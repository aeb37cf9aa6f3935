// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The options of `blectl link`.
struct LinkOptions: Sendable, Equatable {
    /// The stream of signal strengths (`--signal`).
    struct Signal: Sendable, Equatable {
        var limits = StopLimits()
        var period = Duration.seconds(1)
    }

    /// The requested changes.
    var request: LinkRequest
    /// The stream; `nil` to show the link once.
    var signal: Signal?
}

extension LinkOptions {
    /// Reads the options from a command line.
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

extension LinkRequest {
    /// Reads the link options from a command line. Throws if they contradict each other.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.init()
        phy = arguments[LinkSettingsSpec.phy].map { choice in
            switch choice {
            case .oneM: PHY(.le1M)
            case .twoM: PHY(.le2M)
            case .coded: PHY(.coded)
            case .codedS2: PHY(.coded, coding: .s2)
            case .codedS8: PHY(.coded, coding: .s8)
            }
        }
        interval = arguments[LinkSettingsSpec.interval]
        latency = arguments[LinkSettingsSpec.latency]
        supervisionTimeout = arguments[LinkSettingsSpec.supervisionTimeout]
        dataLength = arguments[LinkSettingsSpec.dataLength]
        // If the request is impossible with the shortest interval, no default can make it possible.
        var state = LinkState()
        state.interval = Self.intervals.lowerBound
        do throws(Problem) {
            if settings.contains(.parameters) { _ = try parameters(on: state) }
        } catch {
            throw arguments.impossible(error.words)
        }
    }
}

extension LinkRequest.Problem {
    /// The problem in words.
    var words: String {
        switch self {
        case .unknownInterval:
            "the interval of the link is not known, and all parameters of a connection are set together"
        case .timeoutTooShort(let least):
            "the supervision timeout is too short for interval and latency, which need \(least) or more"
        case .silenceTooLong: "interval and latency allow a silence that is longer than any supervision timeout"
        }
    }
}
