// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The reason why a capture cannot be read any further.
enum CaptureFault: Error, Equatable {
    case unknown
    /// It is of a format that has no HCI packets.
    case foreign(ForeignFile)
    /// It is damaged, or ends too early.
    case damaged(DecodeError, at: UInt64)
    /// Its records are of a kind that has no decoder.
    case datalink(BTSnoopDatalink)
}

protocol CaptureFormat: Sendable {
    /// The kind of a packet that was left out, if the file has none of HCI; `nil` otherwise.
    var foreign: LinkType? { get }

    /// The records that the next octets are, perhaps none; `nil` if more octets are needed. An error leaves the octets that
    /// it is about.
    mutating func next(_ buffer: inout CaptureBuffer) throws(DecodeError) -> [CapturedRecord]?
}

extension CaptureFormat {
    var foreign: LinkType? { nil }
}

/// Reads a capture as its octets arrive. It holds no more than one record and what was appended last. Where a record may
/// begin, another capture may, too.
///
/// ```
/// reader.append(octets)
/// while let record = try reader.next() { … }
/// reader.end()
/// while let record = try reader.next() { … }
/// ```
struct CaptureReader: Sendable {
    /// The header of a format, by its first octets.
    private enum Header {
        case btsnoop
        case pcap(isBigEndian: Bool)
        case section(isBigEndian: Bool)
        /// No header, or one that is not complete.
        case none

        /// The octets by which headers are known, and the shortest record that may stand in their place.
        static let length = 12

        init(_ octets: ArraySlice<UInt8>) {
            self = .none
            // As nearly all records begin, and no header.
            guard octets.first != 0 else { return }
            let number = { (index: Int) in octets.dropFirst(index).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            if octets.starts(with: BTSnoopHeader.identification) { self = .btsnoop }
            guard octets.count >= Self.length else { return }
            switch number(0) {
            // With the version, which the time of a record in their place does not look like.
            case PcapFormat.microseconds, PcapFormat.nanoseconds:
                if number(4) >> 16 == PcapFormat.majorVersion { self = .pcap(isBigEndian: true) }
            case PcapFormat.microseconds.byteSwapped, PcapFormat.nanoseconds.byteSwapped:
                if number(4) >> 16 == PcapFormat.majorVersion.byteSwapped { self = .pcap(isBigEndian: false) }
            case PcapNGFormat.Block.section:
                if number(8) == PcapNGFormat.Block.byteOrder { self = .section(isBigEndian: true) }
                if number(8) == PcapNGFormat.Block.byteOrder.byteSwapped { self = .section(isBigEndian: false) }
            default: break
            }
        }
    }

    private var buffer = CaptureBuffer()
    private var format: (any CaptureFormat)?
    /// Records that are not given out yet.
    private var records: ArraySlice<CapturedRecord> = []

    init() {}

    /// The number of octets that records took, which the fuzzer checks.
    var offset: UInt64 { buffer.offset }

    mutating func append(_ octets: some Collection<UInt8>) { buffer.append(octets) }

    /// Notes that the capture has no more octets. What is left of it is a record, or an error.
    mutating func end() { buffer.isEnded = true }

    /// The next record; `nil` if more octets are needed, or at the end. After an error there is no way to find the next
    /// record.
    mutating func next() throws(CaptureFault) -> CapturedRecord? {
        while records.isEmpty {
            guard try begin(), var format else { return nil }
            guard let next = try decoded({ (buffer) throws(DecodeError) in try format.next(&buffer) }) else {
                return nil
            }
            records = next[...]
            self.format = format
            if let link = format.foreign { throw .foreign(.link(link)) }
        }
        return records.popFirst()
    }

    /// Makes the format that the next octets are of. `false` if more of them are needed, or at the end.
    private mutating func begin() throws(CaptureFault) -> Bool {
        try decoded { (buffer) throws(DecodeError) in try buffer.expectSkipped() }
        guard buffer.count > 0 else { return false }
        switch Header(buffer.prefix(Header.length)) {
        case .btsnoop:
            guard buffer.has(BTSnoopHeader.length) else { return false }
            let header = try decoded { (buffer) throws(DecodeError) in
                try buffer.decode(BTSnoopHeader.length, BTSnoopHeader.init(from:))
            }
            guard [.h4, .unencapsulatedHCI, .linuxMonitor].contains(header.datalink) else {
                throw .datalink(header.datalink)
            }
            format = BTSnoopFormat(datalink: header.datalink)
        case .pcap(let isBigEndian):
            guard buffer.has(PcapFormat.headerLength) else { return false }
            let pcap = try decoded { (buffer) throws(DecodeError) in
                try buffer.decode(PcapFormat.headerLength) { (reader) throws(DecodeError) in
                    try PcapFormat(header: &reader, isBigEndian: isBigEndian)
                }
            }
            guard pcap.link.isHCI else { throw .foreign(.link(pcap.link)) }
            format = pcap
        case .section(let isBigEndian): format = PcapNGFormat(isBigEndian: isBigEndian)
        case .none where format == nil: return try beginWithoutHeader()
        // Perhaps there is a header, of which more has to arrive.
        case .none: return buffer.has(Header.length)
        }
        return true
    }

    /// Makes a format that has no header.
    private mutating func beginWithoutHeader() throws(CaptureFault) -> Bool {
        let octets = buffer.prefix(ForeignFile.identificationLength)
        for isBigEndian in [false, true] where PacketLoggerFormat.isRecord(octets, isBigEndian: isBigEndian) {
            format = PacketLoggerFormat(isBigEndian: isBigEndian)
            return true
        }
        guard buffer.has(ForeignFile.identificationLength) else { return false }
        throw ForeignFile(octets).map { .foreign($0) } ?? .unknown
    }

    /// What the buffer decodes as, or the fault at its place.
    private mutating func decoded<Value>(
        _ body: (inout CaptureBuffer) throws(DecodeError) -> Value
    ) throws(CaptureFault) -> Value {
        do throws(DecodeError) {
            return try body(&buffer)
        } catch {
            throw .damaged(error, at: buffer.offset)
        }
    }
}
