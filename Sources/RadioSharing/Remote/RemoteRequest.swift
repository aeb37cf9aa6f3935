// SPDX-License-Identifier: MIT

package import Bluetooth
package import BluetoothHost

/// The first packet of a connection to a radio in another process: the purpose of the connection.
///
/// Each channel has its own connection, so that the packets of one never wait behind those of another. The first
/// connection of a machine joins; its other connections name the machine by the number that joining returned. When the
/// first one ends, the machine is removed, with its links and channels.
///
/// The packet: the octet 0x42, the version, the kind, and the fields of the kind in the order of their declaration.
/// Numbers are little-endian.
package enum RemoteRequest: Hashable, Sendable {
    /// The number of a machine. It cannot be guessed, so that no other program uses the machine by mistake.
    package typealias Member = UInt64

    /// The number of processes that use the other one's adapter without having joined.
    static let guest: Member = 0

    /// Join as a machine with its own adapter.
    case join
    /// Open a channel to the controller.
    case hci(Member, HCIUse)
    /// Open a channel of the management interface.
    case management(Member)
    /// Connect the ATT channel of a device within a time.
    case connect(Member, DeviceAddress, timeout: Duration)
    case listen(Member)
    /// Take over the ATT channel of a central that has connected to the listener.
    case accept(Member, central: UInt32)
    /// Control the world: a `WorldRequest`.
    case control([UInt8])

    /// Open a credit-based channel to a device within a time.
    case connectChannel(Member, DeviceAddress, L2CAPRequest, timeout: Duration)
    /// Offer a service on credit-based channels.
    case offer(Member, L2CAPRequest)
    /// Take over a credit-based channel that was opened to a service of the machine.
    case acceptChannel(Member, channel: UInt32)
    case raise(Member, link: UInt16, SecurityLevel)
    /// Open so many enhanced bearers of a link, five at most, or none: then take those that the peer opens. They are
    /// announced, and taken over as channels; `opened` comes behind the last of those that were asked for.
    case bearers(Member, link: UInt16, count: UInt8)
    /// Show the frames of the credit-based channels whose requests name this observer. The process chooses its number.
    case observe(Member, observer: UInt32)
    /// A `connectChannel`, an `offer` or a `bearers` that names the observer of its frames.
    indirect case observed(by: UInt32, RemoteRequest)
    /// Show all packets of the process, and of the machines in its world, from now on.
    case capture
    /// Join the clock of a world in virtual time. The answer is the moment of the world, in nanoseconds; what follows is
    /// for the two clocks, and has the other connections of the process in it. The number is that of the process.
    case clock(process: UInt32)
    /// List the labels of the attributes in the world's files: packets of `WorldLabel`s, and then the end.
    case labels
    /// Take a turn at something of the adapter within a time. It lasts as long as the connection.
    case turn(Member, TurnSubject, timeout: Duration)

    /// The first octet, by which a connection from something else is noticed.
    private static let magic: UInt8 = 0x42
    /// The version of requests and packets. Another version is refused, not guessed at.
    private static let version: UInt8 = 1

    /// The longest request in octets.
    package static let maximumLength = 8_192

    /// The machine that asks; `nil` if it has not joined.
    var member: Member? {
        switch self {
        case .join, .control, .capture, .clock, .labels: nil
        case .hci(let member, _), .management(let member), .connect(let member, _, _), .listen(let member),
            .accept(let member, _), .connectChannel(let member, _, _, _), .offer(let member, _),
            .acceptChannel(let member, _), .raise(let member, _, _), .observe(let member, _), .turn(let member, _, _),
            .bearers(let member, _, _):
            member
        case .observed(_, let request): request.member
        }
    }
}

extension RemoteRequest: WireDecodable, WireEncodable {
    /// Reads a request. Throws for another version, an unknown kind, or a field that is missing.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let magic = try reader.uint8("Magic")
        guard magic == Self.magic else { throw DecodeError("Magic", .invalid(value: UInt64(magic))) }
        let version = try reader.uint8("Version")
        guard version == Self.version else { throw DecodeError("Version", .invalid(value: UInt64(version))) }
        try self.init(ofKind: try reader.uint8("Kind"), from: &reader)
    }

    private init(ofKind kind: UInt8, from reader: inout ByteReader) throws(DecodeError) {
        switch kind {
        case 0: self = .join
        case 1: self = .hci(try reader.field("Member"), try reader.field("Use"))
        case 2: self = .management(try reader.field("Member"))
        case 3:
            self = .connect(
                try reader.field("Member"),
                try reader.field("Device"),
                timeout: try reader.field("Timeout")
            )
        case 4: self = .listen(try reader.field("Member"))
        case 5: self = .accept(try reader.field("Member"), central: try reader.field("Central"))
        case 6: self = .control(reader.rest())
        case 9:
            self = .connectChannel(
                try reader.field("Member"),
                try reader.field("Device"),
                try reader.field("Channel"),
                timeout: try reader.field("Timeout")
            )
        case 10: self = .offer(try reader.field("Member"), try reader.field("Channel"))
        case 11: self = .acceptChannel(try reader.field("Member"), channel: try reader.field("Channel"))
        case 12:
            let member: Member = try reader.field("Member")
            self = .raise(member, link: try reader.field("Connection_Handle"), try reader.field("Security"))
        case 13: self = .observe(try reader.field("Member"), observer: try reader.field("Observer"))
        case 14:
            let observer = try reader.uint32("Observer")
            let observed = try reader.uint8("Kind")
            // Others have no frames to show, and an observed request in an observed one would nest without limit.
            guard [9, 10, 19].contains(observed) else { throw DecodeError("Kind", .invalid(value: UInt64(observed))) }
            self = .observed(by: observer, try RemoteRequest(ofKind: observed, from: &reader))
        case 15: self = .capture
        case 16: self = .clock(process: try reader.field("Process"))
        case 17: self = .labels
        case 18:
            let member: Member = try reader.field("Member")
            self = .turn(member, try reader.field("Subject"), timeout: try reader.field("Timeout"))
        case 19:
            let member: Member = try reader.field("Member")
            let link: UInt16 = try reader.field("Connection_Handle")
            let count = try reader.uint8("Count")
            guard count <= EnhancedChannelSignal.channelLimit else {
                throw DecodeError("Count", .invalid(value: UInt64(count)))
            }
            self = .bearers(member, link: link, count: count)
        default: throw DecodeError("Kind", .invalid(value: UInt64(kind)))
        }
    }

    package func encode(into writer: inout ByteWriter) {
        writer.append([Self.magic, Self.version])
        encodeKind(into: &writer)
    }

    private func encodeKind(into writer: inout ByteWriter) {
        switch self {
        case .join: writer.kind(0)
        case .hci(let member, let use): writer.kind(1, member, use)
        case .management(let member): writer.kind(2, member)
        case .connect(let member, let device, let timeout): writer.kind(3, member, device, timeout)
        case .listen(let member): writer.kind(4, member)
        case .accept(let member, let central): writer.kind(5, member, central)
        case .control(let bytes): writer.append([6] + bytes)
        case .connectChannel(let member, let device, let request, let timeout):
            writer.kind(9, member, device, request, timeout)
        case .offer(let member, let request): writer.kind(10, member, request)
        case .acceptChannel(let member, let number): writer.kind(11, member, number)
        case .raise(let member, let link, let level): writer.kind(12, member, link, level)
        case .observe(let member, let observer): writer.kind(13, member, observer)
        case .observed(let observer, let request):
            writer.kind(14, observer)
            request.encodeKind(into: &writer)
        case .capture: writer.kind(15)
        case .clock(let process): writer.kind(16, process)
        case .labels: writer.kind(17)
        case .turn(let member, let subject, let timeout): writer.kind(18, member, subject, timeout)
        case .bearers(let member, let link, let count): writer.kind(19, member, link, count)
        }
    }
}

/// The service, the largest unit and the security of a credit-based channel.
extension L2CAPRequest: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self.init(
            spsm: try reader.field("SPSM"),
            mtu: try reader.field("MTU"),
            security: try reader.field("Security")
        )
    }

    func write(to writer: inout ByteWriter) { writer.fields(spsm, mtu, security) }
}

extension HCIUse: NumberedField {
    static let numbered: [Self] = [.host, .questions, .securityManager]
}
