// SPDX-License-Identifier: MIT

package import Bluetooth
package import BluetoothHost

/// A packet from the process that has the radio. In the other direction, packets after the request are those of the
/// channel, as they are.
///
/// The packet: the kind, and the fields of the kind.
package enum RemotePacket: Equatable, Sendable {
    /// The properties of an ATT channel.
    package struct Link: Hashable, Sendable {
        package var peer: DeviceAddress
        package var connectionHandle: UInt16?
        /// The largest ATT_MTU that the channel can receive.
        package var maximumMTU: UInt16
        package var security: LinkSecurity
    }

    /// The properties of a credit-based channel.
    package struct Channel: Hashable, Sendable {
        package var peer: DeviceAddress
        /// The handle of the link, if known.
        package var connectionHandle: UInt16?
        package var spsm: SPSM
        /// The largest units of each direction, in octets.
        package var receiveMTU: UInt16
        /// The largest unit that the peer receives, in octets.
        package var sendMTU: UInt16
    }

    package struct Security: Hashable, Sendable {
        /// The number of the news. Connections may deliver news out of order: the greatest number is the newest.
        package var number: UInt64
        package var connectionHandle: UInt16
        package var security: LinkSecurity
    }

    case data([UInt8])
    /// A packet of the channel that came so long ago, and was kept for this process.
    case kept([UInt8], age: Duration)
    case opened
    /// The ATT channel is open.
    case connected(Link)
    /// The machine has joined, under that number.
    case joined(RemoteRequest.Member)
    /// The machine's adapter is now like this; `nil` if it is missing.
    case adapter(AdapterDescription?)
    /// The devices that any program is connected to by the adapter.
    case linked([DeviceAddress])
    /// The credit-based channel is open.
    case channel(Channel)
    /// A link has another security than before.
    case security(Security)
    /// A central has connected to the listener, or has opened a channel.
    case central(UInt32)
    /// A frame of a credit-based channel, for an observer.
    case frame(ObservedFrame)
    /// To an observer: it has seen the last frame of the channel with that number in its listener; 0 stands for the
    /// channel that the process has opened itself.
    ///
    /// On a credit-based channel: so many octets of the process were sent until now, modulo 2^32. The first one, with 0,
    /// comes before `channel`. Before `connected`: so many enhanced bearers can the link have. Programs of earlier versions
    /// pass over it there, and do not send it.
    case finished(UInt32)
    /// To a process that waits for a turn: another program has it, which may be known.
    case waiting(for: ProcessReference?)
    /// So many packets of the channel were dropped until now, because this process reads them slowly.
    case dropped(UInt32)
    /// The channel has ended, or could not be opened. This is the last packet.
    case ended(RadioError)

    /// The longest packet of a channel, in octets: that of the management interface has 16 bits for the length of its
    /// parameters, and the simulated kernel uses far less.
    package static let maximumData = 4_096
    /// The longest packet, in octets: a frame has headers before the data of a channel.
    package static let maximumLength = maximumData + 16
    /// The most devices of `linked`.
    package static let maximumLinked = 64
}

extension RemotePacket.Link {
    init(_ channel: any ATTChannel) {
        self.init(
            peer: channel.peer,
            connectionHandle: channel.connectionHandle,
            maximumMTU: channel.maximumMTU,
            security: channel.security
        )
    }
}

extension RemotePacket.Channel {
    /// A unit goes into one packet between the processes.
    init(_ channel: any L2CAPChannel) {
        let most = UInt16(clamping: RemotePacket.maximumData)
        self.init(
            peer: channel.peer,
            connectionHandle: channel.connectionHandle,
            spsm: channel.spsm,
            receiveMTU: min(channel.receiveMTU, most),
            sendMTU: min(channel.sendMTU, most)
        )
    }
}

extension RemotePacket: WireDecodable, WireEncodable {
    /// Reads the kind, and then its fields. Data are everything that follows the kind.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Kind")
        switch kind {
        case 0: self = .data(reader.rest())
        case 1: self = .opened
        case 2:
            let peer = try reader.remoteAddress()
            let handle = try reader.present("Connection_Handle") ? try reader.uint16("Connection_Handle") : nil
            let mtu = try reader.uint16("MTU")
            let security = try reader.linkSecurity()
            self = .connected(Link(peer: peer, connectionHandle: handle, maximumMTU: mtu, security: security))
        case 3: self = .joined(try reader.uint64("Member"))
        case 4: self = .adapter(try reader.present("Adapter") ? try AdapterDescription(from: &reader) : nil)
        case 5: self = .central(try reader.uint32("Central"))
        case 6: self = .ended(try RadioError(from: &reader))
        case 7: self = .dropped(try reader.uint32("Count"))
        case 8:
            let age = Int64(clamping: try reader.uint64("Age"))
            self = .kept(reader.rest(), age: .nanoseconds(age))
        case 9:
            let peer = try reader.remoteAddress()
            let handle = try reader.present("Connection_Handle") ? try reader.uint16("Connection_Handle") : nil
            let spsm = SPSM(try reader.uint16("SPSM"))
            let receive = try reader.uint16("Receive_MTU")
            self = .channel(
                Channel(
                    peer: peer,
                    connectionHandle: handle,
                    spsm: spsm,
                    receiveMTU: receive,
                    sendMTU: try reader.uint16("Send_MTU")
                )
            )
        case 10:
            let number = try reader.uint64("Number")
            let handle = try reader.uint16("Connection_Handle")
            let security = try reader.linkSecurity()
            self = .security(Security(number: number, connectionHandle: handle, security: security))
        case 11:
            let isSent = try reader.boolean("Direction")
            let handle = try reader.uint16("Connection_Handle")
            self = .frame(ObservedFrame(try L2CAPFrame(from: &reader), isSent: isSent, connectionHandle: handle))
        case 12: self = .finished(try reader.uint32("Channel"))
        case 13: self = .waiting(for: try reader.program())
        case 14:
            let count = Int(try reader.uint8("Count"))
            guard count <= Self.maximumLinked else { throw DecodeError("Count", .invalid(value: UInt64(count))) }
            var devices: [DeviceAddress] = []
            for _ in 0..<count { devices.append(try reader.remoteAddress()) }
            self = .linked(devices)
        default: throw DecodeError("Kind", .invalid(value: UInt64(kind)))
        }
    }

    package func encode(into writer: inout ByteWriter) {
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
            writer.linkSecurity(link.security)
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
        case .channel(let channel):
            writer.uint8(9)
            writer.remoteAddress(channel.peer)
            writer.present(channel.connectionHandle) { $0.uint16($1) }
            writer.uint16(channel.spsm.rawValue)
            writer.uint16(channel.receiveMTU)
            writer.uint16(channel.sendMTU)
        case .security(let news):
            writer.uint8(10)
            writer.uint64(news.number)
            writer.uint16(news.connectionHandle)
            writer.linkSecurity(news.security)
        case .frame(let observed):
            writer.uint8(11)
            writer.boolean(observed.isSent)
            writer.uint16(observed.connectionHandle)
            observed.frame.encode(into: &writer)
        case .finished(let number):
            writer.uint8(12)
            writer.uint32(number)
        case .waiting(let program):
            writer.uint8(13)
            writer.present(program) { $0.program($1) }
        case .linked(let devices):
            writer.append([14, UInt8(clamping: min(devices.count, Self.maximumLinked))])
            for device in devices.prefix(Self.maximumLinked) { writer.remoteAddress(device) }
        }
    }
}
