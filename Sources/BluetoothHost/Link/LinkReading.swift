// SPDX-License-Identifier: MIT

public import Bluetooth

/// The properties of a link at one moment, and why some are not known.
public struct LinkReading: Sendable {
    /// A property that can be known or unknown.
    public enum Property: String, CaseIterable, Hashable, Sendable {
        /// The role of this machine.
        case role
        /// The PHYs.
        case phy
        /// The limits of packets.
        case dataLength
        /// Interval, latency and supervision timeout.
        case parameters
        /// The strength of the peer's signal.
        case signal
        /// The power of this machine's transmitter.
        case power
        /// The subrate factor and the continuation number.
        case subrate
        /// The channels in use.
        case channels
        /// The version of the peer's controller.
        case peerVersion
        /// The features of the peer's link layer.
        case peerFeatures
    }

    /// Why a property is not known.
    public enum Unknown: Sendable {
        /// Only events carry it, and the link is older than the subscription to them.
        case notHeard
        /// The device was asked, and has not answered.
        case notAnswered
        /// It was not asked for.
        case notAsked
        /// The controller says that it does not know it.
        case notMeasured
        /// It could not be asked for.
        case failed(RadioError)
    }

    /// The known properties of the link.
    public var state = LinkState()
    /// The strength of the peer's signal, in dBm.
    public var rssi: Int8?
    /// The power with which this machine sends, in dBm.
    public var transmitPower: Int8?
    /// The channels in use, which change while the link lasts.
    public var channels: LEChannelMap?
    /// The unknown properties, with the reason.
    public var unknown: [Property: Unknown] = [:]

    /// The device was not asked for what it says of itself, nor the controller for what few programs need.
    package mutating func peerWasNotAsked() {
        if channels == nil { unknown[.channels] = .notAsked }
        if state.peerVersion == nil { unknown[.peerVersion] = .notAsked }
        if state.peerFeatures == nil { unknown[.peerFeatures] = .notAsked }
    }
}

/// A change of a link's properties that was made, or has failed.
public struct LinkChange: Sendable {
    /// The requested changes.
    public let request: LinkRequest
    /// The properties that were known before.
    public let before: LinkState
    /// The properties that are known now.
    public let after: LinkState
    /// The outcome of each procedure. The last one may be a failure; missing ones were not tried.
    public let results: [LinkUpdate.Result]

    /// The failure; `nil` if everything was reached.
    public var failure: LinkUpdate.Result? { results.first { $0.outcome != .reached } }
}

/// The link did not get the properties that it must have.
public struct LinkChangeFailure: Error, Sendable {
    /// The change with its outcome.
    public let change: LinkChange
    /// The procedure that has failed.
    public let result: LinkUpdate.Result
    /// The time limit that each procedure had.
    public let limit: Duration

    /// Creates a failure.
    public init(change: LinkChange, result: LinkUpdate.Result, limit: Duration) {
        self.change = change
        self.result = result
        self.limit = limit
    }
}
