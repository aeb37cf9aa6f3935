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
        case 2: self = .connected(try reader.field("Link"))
        case 3: self = .joined(try reader.field("Member"))
        case 4: self = .adapter(try reader.field("Adapter"))
        case 5: self = .central(try reader.field("Central"))
        case 6: self = .ended(try RadioError(from: &reader))
        case 7: self = .dropped(try reader.field("Count"))
        case 8:
            let age: Duration = try reader.field("Age")
            self = .kept(reader.rest(), age: age)
        case 9: self = .channel(try reader.field("Channel"))
        case 10: self = .security(try reader.field("Security"))
        case 11:
            let isSent: Bool = try reader.field("Direction")
            let handle = try reader.uint16("Connection_Handle")
            self = .frame(ObservedFrame(try L2CAPFrame(from: &reader), isSent: isSent, connectionHandle: handle))
        case 12: self = .finished(try reader.field("Channel"))
        case 13: self = .waiting(for: try reader.field("Program"))
        case 14:
            let count = Int(try reader.uint8("Count"))
            guard count <= Self.maximumLinked else { throw DecodeError("Count", .invalid(value: UInt64(count))) }
            var devices: [DeviceAddress] = []
            for _ in 0..<count { devices.append(try reader.field("Device")) }
            self = .linked(devices)
        default: throw DecodeError("Kind", .invalid(value: UInt64(kind)))
        }
    }

    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .data(let bytes):
            writer.uint8(0)
            writer.append(bytes)
        case .opened: writer.kind(1)
        case .connected(let link): writer.kind(2, link)
        case .joined(let member): writer.kind(3, member)
        case .adapter(let adapter): writer.kind(4, adapter)
        case .central(let number): writer.kind(5, number)
        case .ended(let error):
            writer.uint8(6)
            error.encode(into: &writer)
        case .dropped(let count): writer.kind(7, count)
        case .kept(let bytes, let age):
            writer.kind(8, age)
            writer.append(bytes)
        case .channel(let channel): writer.kind(9, channel)
        case .security(let news): writer.kind(10, news)
        case .frame(let observed):
            writer.kind(11, observed.isSent, observed.connectionHandle)
            observed.frame.encode(into: &writer)
        case .finished(let number): writer.kind(12, number)
        case .waiting(let program): writer.kind(13, program)
        case .linked(let devices):
            writer.append([14, UInt8(clamping: min(devices.count, Self.maximumLinked))])
            for device in devices.prefix(Self.maximumLinked) { writer.fields(device) }
        }
    }
}

extension RemotePacket.Link: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        peer = try reader.field("Peer")
        connectionHandle = try reader.field("Connection_Handle")
        maximumMTU = try reader.field("MTU")
        security = try reader.field("Security")
    }

    func write(to writer: inout ByteWriter) { writer.fields(peer, connectionHandle, maximumMTU, security) }
}

extension RemotePacket.Channel: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        peer = try reader.field("Peer")
        connectionHandle = try reader.field("Connection_Handle")
        spsm = try reader.field("SPSM")
        receiveMTU = try reader.field("Receive_MTU")
        sendMTU = try reader.field("Send_MTU")
    }

    func write(to writer: inout ByteWriter) { writer.fields(peer, connectionHandle, spsm, receiveMTU, sendMTU) }
}

extension RemotePacket.Security: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        number = try reader.field("Number")
        connectionHandle = try reader.field("Connection_Handle")
        security = try reader.field("Security")
    }

    func write(to writer: inout ByteWriter) { writer.fields(number, connectionHandle, security) }
}
