// SPDX-License-Identifier: MIT

public import Bluetooth

/// The service data units of one credit-based channel.
///
/// The channel has flow control in both directions: `drained` waits for the peer's credits, and the peer gets credits
/// for the units that `receive` has taken.
///
/// Spec: Core 5.4, Vol 3, Part A, 3.4 and 10.1
public protocol L2CAPChannel: PacketChannel {
    /// The device at the other end.
    var peer: DeviceAddress { get }

    /// The handle of the link, if known.
    var connectionHandle: UInt16? { get }

    /// The service that the channel leads to.
    var spsm: SPSM { get }

    /// The largest unit that this side receives, in octets.
    var receiveMTU: UInt16 { get }

    /// The largest unit that the peer receives, in octets.
    var sendMTU: UInt16 { get }

    /// The number of octets that are known to wait for credits or for the radio. `drained` waits until the channel
    /// accepts more; a channel that is closed before this is 0 loses them.
    var unsentOctets: Int { get }
}

/// A channel whose frames may be shown after its end.
package protocol DeferredFrames: L2CAPChannel {
    /// Calls `action` when the last frame has been shown, at once if it has been already.
    func afterLastFrame(_ action: @escaping @Sendable () -> Void)
}

/// The parameters of a credit-based channel.
public struct L2CAPRequest: Hashable, Sendable {
    /// The service.
    public var spsm: SPSM
    /// The largest unit to receive, in octets, at least 23.
    public var mtu: UInt16
    /// The security that the link must have before the channel opens.
    public var security: SecurityLevel

    /// Creates a request; an MTU below 23 counts as 23.
    public init(spsm: SPSM, mtu: UInt16, security: SecurityLevel = .low) {
        self.spsm = spsm
        self.mtu = max(mtu, CreditBasedLimits.least)
        self.security = security
    }
}

/// The source of credit-based channels that devices open.
public protocol L2CAPListener: Sendable {
    /// The next channel, for one consumer. Throws the reason why no more can come.
    func accept() async throws(RadioError) -> any L2CAPChannel

    /// Stops listening. A waiting task gets `closedLocally`. Accepted channels stay open. A second call does nothing.
    func close()
}

/// A frame of a link's L2CAP layer that a radio has seen, besides those of ATT.
public struct ObservedFrame: Hashable, Sendable {
    /// The frame.
    public let frame: L2CAPFrame
    /// Whether this machine has sent it.
    public let isSent: Bool
    /// The handle of the link.
    public let connectionHandle: UInt16

    /// Creates an observation.
    public init(_ frame: L2CAPFrame, isSent: Bool, connectionHandle: UInt16) {
        self.frame = frame
        self.isSent = isSent
        self.connectionHandle = connectionHandle
    }
}

/// A function that sees the frames of a link's credit-based channels, for captures.
public typealias FrameObserver = @Sendable (ObservedFrame) -> Void

extension Radio {
    /// Throws `unsupported`, for radios without credit-based channels.
    public func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        throw RadioError(.unsupported, during: "channel \(request.spsm) to \(device.address)", on: adapter.name)
    }

    /// Throws `unsupported`, for radios without credit-based channels.
    public func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener {
        throw RadioError(.unsupported, during: "channel \(request.spsm)", on: adapter.name)
    }
}
