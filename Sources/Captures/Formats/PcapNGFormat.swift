// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The blocks of a section of a pcapng file. The next section begins anew.
///
/// Spec: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html
struct PcapNGFormat: CaptureFormat {
    enum Block {
        static let section: UInt32 = 0x0A0D_0D0A
        static let interface: UInt32 = 1
        /// The obsolete form of an enhanced packet block.
        static let packet: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let enhancedPacket: UInt32 = 6
        /// The value by which a section tells its byte order.
        static let byteOrder: UInt32 = 0x1A2B_3C4D
    }

    /// The number of an option. Those of one kind of block do not stand in the others.
    enum Option {
        static let comment: UInt16 = 1
        static let name: UInt16 = 2
        static let resolution: UInt16 = 9
        static let offset: UInt16 = 14
        static let flags: UInt16 = 2
        static let drops: UInt16 = 4
        static let program: UInt16 = 4
    }

    /// The source of packets.
    private struct Interface {
        let link: LinkType
        /// The maximum length of a packet; 0 for none.
        let snapLength: UInt32
        var adapter: ManagementIndex?
        /// Its name, unless it is that of an adapter of Linux.
        var name: String?
        var clock = CaptureClock()
    }

    /// The options of a block that are of use.
    private typealias Options = [(code: UInt16, value: [UInt8])]

    /// The maximum length of a block that is decoded. Others are skipped, however long they are.
    static let maximumLength: UInt32 = 0x10_0000
    /// The maximum number of interfaces of a section.
    private static let interfaceLimit = 1_024
    /// The maximum number of comments that wait for a packet, and of octets of one. Wireshark's limit of octets is larger.
    private static let remarkLimit = (count: 64, length: 4_096)

    private let isBigEndian: Bool
    private var interfaces: [Interface] = []
    /// Comments and faults of blocks that have no time of their own: they pass with the next packet.
    private var remarks: [String] = []
    /// The packets of other traffic since the last packet.
    private var leftOut = 0
    /// The time of the last packet, which a simple packet block takes over, because it has none.
    private var time = WallTime(nanosecondsSince1970: 0)

    /// The kind of a packet that was left out, if no interface has HCI packets: what the file is then.
    private(set) var foreign: LinkType?

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func next(_ buffer: inout CaptureBuffer) throws(DecodeError) -> [CapturedRecord]? {
        guard buffer.has(12) else { return nil }
        let kind = buffer.uint32(at: 0, isBigEndian: isBigEndian) ?? 0
        let length = buffer.uint32(at: 4, isBigEndian: isBigEndian) ?? 0
        guard buffer.count >= 12 else {
            throw DecodeError("block", .truncated(needed: 12, available: buffer.count))
        }
        guard length >= 12, length % 4 == 0 else { throw DecodeError("block length", .invalid(value: UInt64(length))) }
        let known = [Block.section, Block.interface, Block.packet, Block.simplePacket, Block.enhancedPacket]
        guard known.contains(kind) else {
            buffer.skip(UInt64(length))
            return []
        }
        guard length <= Self.maximumLength else { throw DecodeError("block length", .invalid(value: UInt64(length))) }
        guard buffer.has(Int(length)) else { return nil }
        let isBigEndian = isBigEndian
        var copy = self
        let records = try buffer.decode(Int(length)) { (reader) throws(DecodeError) in
            _ = try reader.bytes(8, "block header")
            var body = try reader.slice(Int(length) - 12, "block")
            let trailer = try reader.uint32("block total length", isBigEndian: isBigEndian)
            guard trailer == length else { throw DecodeError("block total length", .invalid(value: UInt64(trailer))) }
            return try copy.records(of: kind, &body)
        }
        self = copy
        return records
    }

    private mutating func records(of kind: UInt32, _ body: inout ByteReader) throws(DecodeError) -> [CapturedRecord] {
        switch kind {
        case Block.section: try begin(&body)
        case Block.interface: try addInterface(&body)
        case Block.simplePacket: return try simplePacket(&body)
        default: return try packet(&body, isObsolete: kind == Block.packet)
        }
        return []
    }

    private mutating func begin(_ body: inout ByteReader) throws(DecodeError) {
        _ = try body.uint32("byte order")
        let version = try body.uint16("version", isBigEndian: isBigEndian)
        guard version == 1 else { throw DecodeError("version", .invalid(value: UInt64(version))) }
        _ = try body.bytes(2 + 8, "section header")
        for option in try options(&body) where option.code == Option.comment { remark(Self.text(option.value)) }
    }

    private mutating func addInterface(_ body: inout ByteReader) throws(DecodeError) {
        guard interfaces.count < Self.interfaceLimit else {
            throw DecodeError("interface", .inconsistent("more than \(Self.interfaceLimit) of a section"))
        }
        let link = LinkType(rawValue: try body.uint16("link type", isBigEndian: isBigEndian))
        _ = try body.uint16("reserved")
        var interface = Interface(link: link, snapLength: try body.uint32("snap length", isBigEndian: isBigEndian))
        for (code, value) in try options(&body) {
            var reader = ByteReader(value)
            switch code {
            case Option.comment: remark(Self.text(value))
            case Option.name:
                let name = Self.text(Array(value.prefix(64)))
                interface.adapter = Self.adapter(named: name)
                interface.name = interface.adapter == nil && !name.isEmpty ? name : nil
            case Option.resolution: interface.clock.resolution = try reader.uint8("if_tsresol")
            case Option.offset:
                let seconds = try reader.uint64("if_tsoffset")
                interface.clock.offset = Int64(bitPattern: isBigEndian ? seconds.byteSwapped : seconds)
            default: break
            }
        }
        if !link.isHCI {
            let name = interface.name ?? interface.adapter?.description ?? "\(interfaces.count)"
            remark("interface \(name) has link type \(link.rawValue), and its packets are left out")
        }
        interfaces.append(interface)
    }

    /// The index of the adapter that has this name in Linux, or in libpcap on Linux.
    private static func adapter(named name: String) -> ManagementIndex? {
        for prefix in ["hci", "bluetooth"] where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count)
            guard digits.allSatisfy(\.isASCII), let index = UInt16(digits), index != .max else { continue }
            return ManagementIndex(rawValue: index)
        }
        return nil
    }

    private mutating func packet(
        _ body: inout ByteReader,
        isObsolete: Bool
    ) throws(DecodeError) -> [CapturedRecord] {
        let number: Int
        var lost = 0
        if isObsolete {
            number = Int(try body.uint16("interface", isBigEndian: isBigEndian))
            let drops = try body.uint16("drops", isBigEndian: isBigEndian)
            lost = drops == .max ? 0 : Int(drops)
        } else {
            number = Int(try body.uint32("interface", isBigEndian: isBigEndian))
        }
        guard interfaces.indices.contains(number) else {
            throw DecodeError("interface", .inconsistent("\(number) of \(interfaces.count)"))
        }
        let high = try body.uint32("timestamp", isBigEndian: isBigEndian)
        let low = try body.uint32("timestamp", isBigEndian: isBigEndian)
        let included = try body.uint32("included length", isBigEndian: isBigEndian)
        let original = try body.uint32("original length", isBigEndian: isBigEndian)
        let octets = try data(included, &body)
        var direction: CapturedPacket.Direction?
        for (code, value) in try options(&body) {
            var reader = ByteReader(value)
            switch code {
            case Option.comment: remark(Self.text(value))
            case Option.flags:
                let flags = try reader.uint32("epb_flags", isBigEndian: isBigEndian)
                direction = flags & 3 == 1 ? .received : flags & 3 == 2 ? .sent : nil
            case Option.drops where !isObsolete:
                let drops = try reader.uint64("epb_dropcount")
                lost = Int(clamping: isBigEndian ? drops.byteSwapped : drops)
            default: break
            }
        }
        time = interfaces[number].clock.time(of: UInt64(high) << 32 | UInt64(low))
        return records(octets, original, direction, number, lost)
    }

    private mutating func simplePacket(_ body: inout ByteReader) throws(DecodeError) -> [CapturedRecord] {
        guard let first = interfaces.first else {
            throw DecodeError("interface", .inconsistent("a packet before the first of a section"))
        }
        let original = try body.uint32("original length", isBigEndian: isBigEndian)
        let limit = first.snapLength == 0 ? original : min(original, first.snapLength)
        let octets = try data(limit, &body)
        return records(octets, original, nil, 0, 0)
    }

    /// The packet itself, and the octets that fill it up to a multiple of four.
    private func data(_ length: UInt32, _ body: inout ByteReader) throws(DecodeError) -> [UInt8] {
        guard length <= BTSnoopRecord.maximumLength else {
            throw DecodeError("included length", .invalid(value: UInt64(length)))
        }
        let octets = try body.bytes(Int(length), "packet data")
        _ = try body.bytes(-Int(length) & 3, "padding")
        return octets
    }

    /// The packet behind the remarks that wait for it. Those of an interface of another kind are left out.
    private mutating func records(
        _ octets: [UInt8],
        _ original: UInt32,
        _ direction: CapturedPacket.Direction?,
        _ number: Int,
        _ lost: Int
    ) -> [CapturedRecord] {
        let interface = interfaces[number]
        guard interface.link.isHCI else {
            if !interfaces.contains(where: \.link.isHCI) { foreign = interface.link }
            leftOut += 1
            return []
        }
        var records = remarks.map { CapturedRecord.remark($0, at: time) }
        remarks = []
        var record = CapturedRecord(
            interface.link.content(octets, direction, adapter: interface.adapter),
            at: time,
            missing: max(0, Int(original) - octets.count),
            lost: lost
        )
        record.count = leftOut + 1
        leftOut = 0
        record.origin.interface = number
        record.origin.name = interface.name
        records.append(record)
        return records
    }

    private mutating func remark(_ text: String) {
        if remarks.count < Self.remarkLimit.count { remarks.append(text) }
    }

    /// The options to the end of a block or to the mark of their end.
    private func options(_ body: inout ByteReader) throws(DecodeError) -> Options {
        var options: Options = []
        while !body.isAtEnd {
            let code = try body.uint16("option", isBigEndian: isBigEndian)
            let length = try body.uint16("option length", isBigEndian: isBigEndian)
            if code == 0 { break }
            options.append((code, try body.bytes(Int(length), "option")))
            _ = try body.bytes(-Int(length) & 3, "padding")
        }
        return options
    }

    /// A text of a file, which may end with a zero.
    private static func text(_ octets: [UInt8]) -> String {
        String(decoding: octets.prefix(remarkLimit.length).prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The clock of an interface in a pcapng file.
struct CaptureClock: Hashable, Sendable {
    /// The unit of its times: 10⁻ⁿ seconds, or 2⁻ⁿ if the upper bit is set.
    var resolution: UInt8 = 6
    /// Seconds to add.
    var offset: Int64 = 0

    /// The nearest moment that a time of this program can have.
    func time(of ticks: UInt64) -> WallTime {
        let exponent = UInt64(resolution & 0x7F)
        let seconds: UInt64
        let nanoseconds: UInt64
        if resolution & 0x80 != 0 {
            seconds = exponent < 64 ? ticks >> exponent : 0
            // Those bits of the fraction that count as nanoseconds.
            let fraction = exponent < 64 ? ticks & (1 << exponent - 1) : ticks
            let product = fraction.multipliedFullWidth(by: 1_000_000_000)
            nanoseconds =
                exponent == 0
                ? 0
                : exponent < 64
                    ? product.high << (64 - exponent) | product.low >> exponent
                    : exponent < 128 ? product.high >> (exponent - 64) : 0
        } else if exponent <= 19 {
            let unit = (0..<exponent).reduce(UInt64(1)) { power, _ in power * 10 }
            seconds = ticks / unit
            nanoseconds = exponent <= 9 ? ticks % unit * (1_000_000_000 / unit) : ticks % unit / (unit / 1_000_000_000)
        } else {
            (seconds, nanoseconds) = (0, 0)
        }
        let (whole, isFar) = Int64(clamping: seconds).addingReportingOverflow(offset)
        let (product, isFarther) = whole.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = product.addingReportingOverflow(Int64(clamping: nanoseconds))
        guard !isFar, !isFarther, !isBeyond else {
            return WallTime(nanosecondsSince1970: isFar || whole >= 0 ? .max : .min)
        }
        return WallTime(nanosecondsSince1970: sum)
    }
}
