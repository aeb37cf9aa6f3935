// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A central that is, or was, connected to a served device.
public struct CentralConnection: Hashable, Sendable {
    /// Counts the connections, from 1.
    public let number: Int
    /// Who it is; `nil` where the radio is a socket and nobody has an address.
    public let central: DeviceAddress?
    /// When it came.
    public let since: Instant
}

/// What a served device tells.
public enum PeripheralEvent: Sendable {
    /// It can be connected to from now on; how it is advertised, where it is.
    case serving(AdvertisingMode?)
    /// A central has connected.
    case connected(CentralConnection)
    /// A central's connection has ended, with the MTU that it had, and why.
    case disconnected(CentralConnection, mtu: UInt16, RadioError)
    /// A central asked for something; the number of its connection is the client's.
    case exchanged(DeviceExchange)
    /// A central did something odd, and nothing came of it; the number is its connection's.
    case odd(Int, ATTDiagnostic)
    /// Something that the user should know.
    case remark(String)
}
