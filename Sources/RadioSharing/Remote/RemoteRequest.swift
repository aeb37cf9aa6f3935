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
        case 1: self = .hci(try reader.uint64("Member"), try reader.use("Use"))
        case 2: self = .management(try reader.uint64("Member"))
        case 3:
            let member = try reader.uint64("Member")
            let device = try reader.remoteAddress()
            let nanoseconds = Int64(clamping: try reader.uint64("Timeout"))
            self = .connect(member, device, timeout: .nanoseconds(nanoseconds))
        case 4: self = .listen(try reader.uint64("Member"))
        case 5: self = .accept(try reader.uint64("Member"), central: try reader.uint32("Central"))
        case 6: self = .control(reader.rest())
        case 9:
            let member = try reader.uint64("Member")
            let device = try reader.remoteAddress()
            let request = try reader.channelRequest()
            let nanoseconds = Int64(clamping: try reader.uint64("Timeout"))
            self = .connectChannel(member, device, request, timeout: .nanoseconds(nanoseconds))
        case 10: self = .offer(try reader.uint64("Member"), try reader.channelRequest())
        case 11: self = .acceptChannel(try reader.uint64("Member"), channel: try reader.uint32("Channel"))
        case 12:
            let member = try reader.uint64("Member")
            let link = try reader.uint16("Connection_Handle")
            self = .raise(member, link: link, try reader.level("Security"))
        case 13: self = .observe(try reader.uint64("Member"), observer: try reader.uint32("Observer"))
        case 14:
            let observer = try reader.uint32("Observer")
            let observed = try reader.uint8("Kind")
            // Others have no frames to show, and an observed request in an observed one would nest without limit.
            guard [9, 10, 19].contains(observed) else { throw DecodeError("Kind", .invalid(value: UInt64(observed))) }
            self = .observed(by: observer, try RemoteRequest(ofKind: observed, from: &reader))
        case 15: self = .capture
        case 16: self = .clock(process: try reader.uint32("Process"))
        case 17: self = .labels
        case 18:
            let member = try reader.uint64("Member")
            let subject = try reader.turnSubject()
            self = .turn(member, subject, timeout: .nanoseconds(Int64(clamping: try reader.uint64("Timeout"))))
        case 19:
            let member = try reader.uint64("Member")
            let link = try reader.uint16("Connection_Handle")
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
        case .join: writer.uint8(0)
        case .hci(let member, let use):
            writer.uint8(1)
            writer.uint64(member)
            writer.use(use)
        case .management(let member):
            writer.uint8(2)
            writer.uint64(member)
        case .connect(let member, let device, let timeout):
            writer.uint8(3)
            writer.uint64(member)
            writer.remoteAddress(device)
            writer.uint64(UInt64(clamping: timeout.clampedNanoseconds))
        case .listen(let member):
            writer.uint8(4)
            writer.uint64(member)
        case .accept(let member, let central):
            writer.uint8(5)
            writer.uint64(member)
            writer.uint32(central)
        case .control(let bytes):
            writer.uint8(6)
            writer.append(bytes)
        case .connectChannel(let member, let device, let request, let timeout):
            writer.uint8(9)
            writer.uint64(member)
            writer.remoteAddress(device)
            writer.channelRequest(request)
            writer.uint64(UInt64(clamping: timeout.clampedNanoseconds))
        case .offer(let member, let request):
            writer.uint8(10)
            writer.uint64(member)
            writer.channelRequest(request)
        case .acceptChannel(let member, let number):
            writer.uint8(11)
            writer.uint64(member)
            writer.uint32(number)
        case .raise(let member, let link, let level):
            writer.uint8(12)
            writer.uint64(member)
            writer.uint16(link)
            writer.uint8(level.rawValue)
        case .observe(let member, let observer):
            writer.uint8(13)
            writer.uint64(member)
            writer.uint32(observer)
        case .observed(let observer, let request):
            writer.uint8(14)
            writer.uint32(observer)
            request.encodeKind(into: &writer)
        case .capture: writer.uint8(15)
        case .clock(let process):
            writer.uint8(16)
            writer.uint32(process)
        case .labels: writer.uint8(17)
        case .turn(let member, let subject, let timeout):
            writer.uint8(18)
            writer.uint64(member)
            writer.turnSubject(subject)
            writer.uint64(UInt64(clamping: timeout.clampedNanoseconds))
        case .bearers(let member, let link, let count):
            writer.uint8(19)
            writer.uint64(member)
            writer.uint16(link)
            writer.uint8(count)
        }
    }
}

extension ByteReader {
    /// Reads the service, the largest unit and the security of a credit-based channel.
    fileprivate mutating func channelRequest() throws(DecodeError) -> L2CAPRequest {
        let spsm = SPSM(try uint16("SPSM"))
        let mtu = try uint16("MTU")
        return L2CAPRequest(spsm: spsm, mtu: mtu, security: try level("Security"))
    }

    fileprivate mutating func level(_ field: String) throws(DecodeError) -> SecurityLevel {
        let octet = try uint8(field)
        guard let level = SecurityLevel(rawValue: octet) else {
            throw DecodeError(field, .invalid(value: UInt64(octet)))
        }
        return level
    }

    fileprivate mutating func use(_ field: String) throws(DecodeError) -> HCIUse {
        switch try uint8(field) {
        case 0: return .host
        case 1: return .questions
        case 2: return .securityManager
        case let value: throw DecodeError(field, .invalid(value: UInt64(value)))
        }
    }
}

extension ByteWriter {
    /// Writes the service, the largest unit and the security of a credit-based channel.
    fileprivate mutating func channelRequest(_ request: L2CAPRequest) {
        uint16(request.spsm.rawValue)
        uint16(request.mtu)
        uint8(request.security.rawValue)
    }

    fileprivate mutating func use(_ use: HCIUse) {
        switch use {
        case .host: uint8(0)
        case .questions: uint8(1)
        case .securityManager: uint8(2)
        }
    }
}
