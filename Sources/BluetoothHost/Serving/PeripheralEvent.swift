// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices

/// A connection of a central to a served device.
public struct CentralConnection: Hashable, Sendable {
    /// The number of the connection, from 1.
    public let number: Int
    /// The central's address; `nil` on a radio over a socket, which has no addresses.
    public let central: DeviceAddress?
    /// The moment of the connection.
    public let since: Instant
    /// The last known security of the link; `nil` without a channel that reports it.
    public internal(set) var security: LinkSecurity?
    /// The handle of the link; `nil` on a radio over a socket.
    package internal(set) var link: ConnectionHandle?
}

/// An enhanced bearer: a channel for attributes beside the one that every link has.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.11
public struct EnhancedBearer: Hashable, Sendable {
    /// The number of the bearer in its connection, from 1. That of a bearer that has ended is used again.
    public let number: Int
    /// The ATT MTU in octets.
    public let mtu: UInt16
    /// Whether it is open, or has ended.
    public let isOpen: Bool
}

/// An event of a served device.
public enum PeripheralEvent: Sendable {
    /// The device accepts connections now; with the kind of advertising, if it advertises.
    case serving(AdvertisingMode?)
    /// A central has connected.
    case connected(CentralConnection)
    /// The security of a central's link has changed; the connection has the new value.
    case secured(CentralConnection)
    /// A central has opened an enhanced bearer, or one has ended while the central is connected.
    case bearer(CentralConnection, EnhancedBearer)
    /// A central's connection has ended, with its MTU and the reason.
    case disconnected(CentralConnection, mtu: UInt16, RadioError)
    /// A central has sent a request or command; the number of its connection is the client's.
    case exchanged(DeviceExchange)
    /// A central violated the protocol, and the device ignored it; with the number of its connection.
    case odd(Int, ATTDiagnostic)
    /// The private address at which the device advertises from now on; not without privacy.
    case address(BluetoothAddress)
    /// A message for the user.
    case remark(String)
    /// Serving ends: new centrals are refused, and the present connections are closed. Their disconnections follow.
    case stopping
}
