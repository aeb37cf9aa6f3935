// SPDX-License-Identifier: MIT

public import Bluetooth

/// A packet from the process that has the radio. In the other direction, packets after the request are those of the channel,
/// as they are.
///
/// The packet: the kind, and the fields of the kind.
public enum RemotePacket: Equatable, Sendable {
    /// The properties of an ATT channel.
    public struct Link: Hashable, Sendable {
        /// The device at the other end.
        public var peer: DeviceAddress
        /// The handle of the link, if known.
        public var connectionHandle: UInt16?
        /// The largest ATT_MTU that the channel can receive.
        public var maximumMTU: UInt16
        /// The security of the link when it was made.
        public var security: LinkSecurity

        /// Creates a description.
        public init(peer: DeviceAddress, connectionHandle: UInt16?, maximumMTU: UInt16, security: LinkSecurity) {
            self.peer = peer
            self.connectionHandle = connectionHandle
            self.maximumMTU = maximumMTU
            self.security = security
        }

        init(_ channel: any ATTChannel) {
            self.init(
                peer: channel.peer,
                connectionHandle: channel.connectionHandle,
                maximumMTU: channel.maximumMTU,
                security: channel.security
            )
        }
    }

    /// A packet of the channel.
    case data([UInt8])
    /// A packet of the channel that came so long ago, and was kept for this process.
    case kept([UInt8], age: Duration)
    /// The channel is open.
    case opened
    /// The ATT channel is open.
    case connected(Link)
    /// The machine has joined, under that number.
    case joined(RemoteRequest.Member)
    /// The machine's adapter is now like this; `nil` if it is missing.
    case adapter(AdapterDescription?)
    /// A central has connected to the listener.
    case central(UInt32)
    /// So many packets of the channel were dropped until now, because this process reads them slowly.
    case dropped(UInt32)
    /// The channel has ended, or could not be opened. Nothing follows.
    case ended(RadioError)

    /// The longest packet of a channel, in octets: that of the management interface has 16 bits for the length of its
    /// parameters, and the simulated kernel uses far less.
    public static let maximumData = 4_096
    /// The longest packet, in octets.
    public static let maximumLength = maximumData + 9
}

extension RemotePacket: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Kind")
        switch kind {
        case 0: self = .data(reader.rest())
        case 1: self = .opened
        case 2:
            let peer = try reader.remoteAddress()
            let handle = try reader.present("Connection_Handle") ? try reader.uint16("Connection_Handle") : nil
            let mtu = try reader.uint16("MTU")
            let flags = try reader.uint8("Security")
            let security = LinkSecurity(
                isEncrypted: flags & 1 != 0,
                isAuthenticated: flags & 2 != 0,
                isSecureConnections: flags & 16 != 0,
                isAuthorized: flags & 4 != 0,
                keySize: try reader.uint8("Key_Size"),
                hasBond: flags & 8 != 0
            )
            self = .connected(Link(peer: peer, connectionHandle: handle, maximumMTU: mtu, security: security))
        case 3: self = .joined(try reader.uint64("Member"))
        case 4: self = .adapter(try reader.present("Adapter") ? try AdapterDescription(from: &reader) : nil)
        case 5: self = .central(try reader.uint32("Central"))
        case 6: self = .ended(try RadioError(from: &reader))
        case 7: self = .dropped(try reader.uint32("Count"))
        case 8:
            let age = Int64(clamping: try reader.uint64("Age"))
            self = .kept(reader.rest(), age: .nanoseconds(age))
        default: throw DecodeError("Kind", .invalid(value: UInt64(kind)))
        }
    }

    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .data(let bytes):
            writer.uint8(0)
            writer.append(bytes)
        case .opened: writer.uint8(1)
        case .connected(let link):
            writer.uint8(2)
            writer.remoteAddress(link.peer)
            writer.present(link.connectionHandle) { $0.uint16($1) }
            writer.uint16(link.maximumMTU)
            let security = link.security
            writer.uint8(
                (security.isEncrypted ? 1 : 0) | (security.isAuthenticated ? 2 : 0) | (security.isAuthorized ? 4 : 0)
                    | (security.hasBond ? 8 : 0) | (security.isSecureConnections ? 16 : 0)
            )
            writer.uint8(security.keySize)
        case .joined(let member):
            writer.uint8(3)
            writer.uint64(member)
        case .adapter(let adapter):
            writer.uint8(4)
            writer.present(adapter) { $1.encode(into: &$0) }
        case .central(let number):
            writer.uint8(5)
            writer.uint32(number)
        case .ended(let error):
            writer.uint8(6)
            error.encode(into: &writer)
        case .dropped(let count):
            writer.uint8(7)
            writer.uint32(count)
        case .kept(let bytes, let age):
            writer.uint8(8)
            writer.uint64(UInt64(clamping: age.clampedNanoseconds))
            writer.append(bytes)
        }
    }
}
