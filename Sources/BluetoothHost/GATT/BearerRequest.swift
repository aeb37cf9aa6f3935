// SPDX-License-Identifier: MIT

public import Bluetooth

/// The ATT bearers that a link is to have.
public struct BearerRequest: Hashable, Sendable {
    /// The exchange of the MTU on the bearer that every link has.
    public enum Exchange: Hashable, Sendable {
        /// As soon as a larger MTU saves requests, with the largest one.
        case whenUseful
        /// Before the first request, with this size in octets, 23 to 517.
        case offering(UInt16)
        /// Never: the MTU stays 23 octets, unless the device exchanges it.
        case never
    }

    /// The exchange of the MTU.
    public var exchange = Exchange.whenUseful
    /// The number of enhanced bearers, 0 to 5. They are opened before the first request if the device has them, on an
    /// encrypted link.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.11
    public var enhanced = 0
    /// Whether the link is encrypted for them if it is not, for which the devices may have to pair.
    public var raisesSecurity = true

    /// The largest number of enhanced bearers.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4.25
    package static let mostEnhanced = 5

    /// A request for the bearer that every link has.
    public init() {}

    /// Whether the link is as every one.
    package var isUsual: Bool { exchange == .whenUseful && enhanced == 0 }

    /// The largest MTU that this side offers, in octets.
    package var largestMTU: UInt16 {
        switch exchange {
        case .whenUseful: ATTConnection.offeredMTU
        case .offering(let mtu): mtu
        case .never: ATTBearer.minimumMTU
        }
    }
}

/// The ATT bearers that a link has got.
public struct BearerOutcome: Hashable, Sendable {
    /// Why a link has no enhanced bearers.
    public enum Lack: Hashable, Sendable {
        /// The device does not say that it has them.
        case notOffered
        /// The device has refused them.
        case refused(LECreditBasedConnectionResult?)
        /// The device has accepted them with sizes that are not allowed, and they were closed; with the rule in words.
        case unusable(String)
        /// The link could not be encrypted.
        case notEncrypted
    }

    /// What was asked for.
    public let request: BearerRequest
    /// The MTU of the bearer that every link has, in octets.
    public let mtu: UInt16
    /// The MTU of each enhanced bearer, in octets.
    public let enhanced: [UInt16]
    /// Why there is none; `nil` if there are some, or none was asked for.
    public let lack: Lack?
}
