// SPDX-License-Identifier: MIT

public import Bluetooth

/// A service that a device offers on credit-based channels, and its behaviour there.
public struct DeviceChannel: Hashable, Sendable {
    /// The behaviour of the device on an open channel.
    public enum Behavior: Hashable, Sendable {
        /// It sends all received data back.
        case echo
        /// It discards all received data, and sends none.
        case sink
        /// It sends as fast as the client takes it: octets that count from 0 to 255 again and again; so many in all,
        /// and then it closes the channel; `nil` for without end.
        case source(octets: Int?)
    }

    /// The number of the service.
    public var spsm: SPSM
    /// The behaviour of the device.
    public var behavior: Behavior
    /// The largest unit that it receives, in octets, at least 23.
    public var mtu: UInt16
    /// The largest frame that it receives, in octets, 23 to 65,533.
    public var mps: UInt16
    /// The frames that a client may have sent before the device has taken any. With 0, clients cannot send anything.
    public var credits: UInt16
    /// How many channels there may be at once on a link.
    public var maximumChannels: Int
    /// The security that a channel needs.
    public var requirement: AccessRequirement

    /// Creates a service.
    public init(
        spsm: SPSM,
        behavior: Behavior,
        mtu: UInt16 = 512,
        mps: UInt16 = 247,
        credits: UInt16 = 10,
        maximumChannels: Int = 8,
        requirement: AccessRequirement = .open
    ) {
        self.spsm = spsm
        self.behavior = behavior
        self.mtu = mtu
        self.mps = mps
        self.credits = credits
        self.maximumChannels = maximumChannels
        self.requirement = requirement
    }
}
