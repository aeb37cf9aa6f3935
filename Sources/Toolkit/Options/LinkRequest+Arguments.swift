// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
package import CommandLineInterface

extension LinkRequest {
    /// Reads the link options from a command line. Throws if they contradict each other.
    package init(_ arguments: ParsedArguments) throws(UsageError) {
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
        subrate = arguments[LinkSettingsSpec.subrate]
        // If the request is impossible with the shortest interval, no default can make it possible.
        var state = LinkState()
        state.interval = Self.intervals.lowerBound
        do throws(Problem) {
            if settings.contains(.parameters) { _ = try parameters(on: state) }
            if let subrate { _ = try subrating(subrate, on: state) }
        } catch {
            throw arguments.impossible(error.words)
        }
    }
}

extension BearerRequest {
    /// Reads the link options that are about ATT bearers.
    package init(_ arguments: ParsedArguments) {
        self.init()
        exchange = arguments[LinkSettingsSpec.mtu] ?? .whenUseful
        enhanced = arguments[LinkSettingsSpec.bearers] ?? 0
    }
}

extension LinkRequest.Problem {
    package var words: String {
        switch self {
        case .unknownInterval:
            "the interval of the link is not known, and all parameters of a connection are set together"
        case .timeoutTooShort(let least):
            "the supervision timeout is too short for interval and latency, which need \(least) or more"
        case .tooFewEvents: "the subrate factor, times one more than the latency, is at most 500"
        case .silenceTooLong: "interval and latency allow a silence that is longer than any supervision timeout"
        }
    }
}
