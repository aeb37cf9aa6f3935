// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The reason why an archive cannot be read.
package struct ZipFault: Error, Equatable {
    /// The entry; `nil` for the archive.
    package let entry: String?
    package let reason: String

    package init(_ reason: String, in entry: String? = nil) {
        self.reason = reason
        self.entry = entry
    }
}

/// The directory of a zip archive, read strictly: whatever contradicts itself is refused.
///
/// Spec: PKWARE, APPNOTE.TXT 6.3.10, 4.3
package struct ZipArchive {
    package struct Entry: Equatable {
        /// The name as it is written, which need not be UTF-8.
        let nameOctets: [UInt8]
        let flags: UInt16
        let method: UInt16
        let crc: UInt32
        let packedLength: Int
        package let length: Int
        /// The place of its local header.
        let offset: Int

        /// Whether it is encrypted, also strongly.
        var isEncrypted: Bool { flags & 0x2041 != 0 }
        /// The name, with a replacement for what is not UTF-8.
        package var name: String { String(decoding: nameOctets, as: UTF8.self) }
    }

    /// The octets of the archive at a place; fewer only at its end.
    package typealias Octets = (_ offset: Int, _ count: Int) throws -> [UInt8]

    package static let identification: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    /// The end of the directory, which is all that an empty archive has.
    static let endIdentification: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
    private static let endLength = 22
    private static let localLength = 30
    /// The maximum number of octets of the directory, which is held as a whole.
    private static let directoryLimit = 16 << 20

    package let entries: [Entry]
    /// The place of the directory, before which all entries end.
    private let directory: Int
    private let octets: Octets

    package init(length: Int, octets: @escaping Octets) throws {
        self.octets = octets
        let end = try Self.end(length, octets)
        var reader = ByteReader(Array(end.octets.dropFirst(4)))
        let disks = [try reader.uint16("disk"), try reader.uint16("disk of the directory")]
        let counts = [try reader.uint16("entries of the disk"), try reader.uint16("entries")]
        let directoryLength = Int(try reader.uint32("directory length"))
        directory = Int(try reader.uint32("directory offset"))
        if counts.contains(.max) || directoryLength == UInt32.max || directory == UInt32.max {
            throw ZipFault("it is a zip64 archive, for more than 65,534 files or 4 GiB")
        }
        guard disks == [0, 0], counts[0] == counts[1] else {
            throw ZipFault("it is a part of an archive in several files")
        }
        guard directory + directoryLength == end.offset else {
            throw ZipFault("its directory does not end where it should")
        }
        guard directoryLength <= Self.directoryLimit else { throw ZipFault("its directory is too long") }
        entries = try Self.entries(Array(octets(directory, directoryLength)), Int(counts[0]), before: directory)
    }

    /// The end of the directory, which is at the end of the archive before a comment.
    private static func end(_ length: Int, _ octets: Octets) throws -> (octets: [UInt8], offset: Int) {
        let count = min(length, endLength + Int(UInt16.max))
        let tail = try octets(length - count, count)
        guard tail.count == count else { throw ZipFault("it has become shorter") }
        var start = count - endLength
        while start >= 0 {
            let comment = count - start - endLength
            if tail[start...].starts(with: endIdentification),
                Int(tail[start + 20]) | Int(tail[start + 21]) << 8 == comment
            {
                return (Array(tail[start..<(start + endLength)]), length - count + start)
            }
            start -= 1
        }
        throw ZipFault("its end is missing")
    }

    private static func entries(_ octets: [UInt8], _ count: Int, before directory: Int) throws -> [Entry] {
        var reader = ByteReader(octets)
        var entries: [Entry] = []
        do throws(DecodeError) {
            for _ in 0..<count { entries.append(try Entry(from: &reader)) }
            try reader.expectEnd("directory")
        } catch {
            throw ZipFault("its directory is damaged: \(error)")
        }
        var end = 0
        for entry in entries.sorted(by: { $0.offset < $1.offset }) {
            try entry.check()
            // Files that share octets are a way to make much of little.
            guard entry.offset >= end else { throw ZipFault("it lies within another file", in: entry.name) }
            end = entry.offset + localLength + entry.nameOctets.count + entry.packedLength
            guard end <= directory else { throw ZipFault("it goes beyond the files of the archive", in: entry.name) }
        }
        return entries
    }

    package func contents(of entry: Entry) throws -> ZipContents {
        guard !entry.isEncrypted else { throw ZipFault("it is encrypted", in: entry.name) }
        guard entry.method == 0 || entry.method == 8 else {
            throw ZipFault("it is compressed by method \(entry.method), which zlib does not know", in: entry.name)
        }
        let limit = Inflater.Limit()
        guard entry.length <= limit.free || entry.length / limit.ratio <= entry.packedLength else {
            throw ZipFault("more than \(limit.ratio) octets come of one", in: entry.name)
        }
        let header = try octets(entry.offset, Self.localLength)
        var reader = ByteReader(header)
        let start: Int
        do throws(DecodeError) {
            guard try reader.bytes(4, "signature") == Self.identification else {
                throw DecodeError("signature", .inconsistent("not that of a file"))
            }
            _ = try reader.uint16("version")
            let flags = try reader.uint16("flags")
            let method = try reader.uint16("method")
            _ = try reader.uint32("time")
            let crc = try reader.uint32("CRC-32")
            let lengths = [Int(try reader.uint32("packed length")), Int(try reader.uint32("length"))]
            let nameLength = Int(try reader.uint16("name length"))
            let extraLength = Int(try reader.uint16("extra length"))
            // Zeros, if they were not known when the header was written and stand behind the data.
            let isLater = flags & 0x0008 != 0
            guard flags & 0x2049 == entry.flags & 0x2049, method == entry.method, nameLength == entry.nameOctets.count,
                isLater || crc == entry.crc && lengths == [entry.packedLength, entry.length]
            else { throw DecodeError("local header", .inconsistent("not as the directory has it")) }
            start = entry.offset + Self.localLength + nameLength + extraLength
        } catch {
            throw ZipFault("\(error)", in: entry.name)
        }
        guard try octets(entry.offset + Self.localLength, entry.nameOctets.count) == entry.nameOctets else {
            throw ZipFault("its name is not that of the directory", in: entry.name)
        }
        guard start + entry.packedLength <= directory else {
            throw ZipFault("it goes beyond the files of the archive", in: entry.name)
        }
        return try ZipContents(of: entry, at: start, octets)
    }
}

extension ZipArchive.Entry {
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        guard try reader.bytes(4, "signature") == [0x50, 0x4B, 0x01, 0x02] else {
            throw DecodeError("signature", .inconsistent("not that of an entry"))
        }
        _ = try reader.bytes(4, "versions")
        flags = try reader.uint16("flags")
        method = try reader.uint16("method")
        _ = try reader.uint32("time")
        crc = try reader.uint32("CRC-32")
        packedLength = Int(try reader.uint32("packed length"))
        length = Int(try reader.uint32("length"))
        let nameLength = Int(try reader.uint16("name length"))
        let extraLength = Int(try reader.uint16("extra length"))
        let commentLength = Int(try reader.uint16("comment length"))
        guard try reader.uint16("disk") == 0 else { throw DecodeError("disk", .inconsistent("not the first")) }
        _ = try reader.bytes(2 + 4, "attributes")
        offset = Int(try reader.uint32("offset"))
        nameOctets = try reader.bytes(nameLength, "name")
        _ = try reader.bytes(extraLength + commentLength, "extra fields")
    }

    fileprivate func check() throws {
        if [packedLength, length, offset].contains(Int(UInt32.max)) {
            throw ZipFault("it is an entry of a zip64 archive, for more than 4 GiB", in: name)
        }
        let parts = nameOctets.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !nameOctets.isEmpty, !nameOctets.contains(0), !nameOctets.contains(UInt8(ascii: "\\")),
            parts.first?.isEmpty == false,
            !parts.contains(where: { $0.elementsEqual("..".utf8) })
        else { throw ZipFault("its path leads out of the archive", in: name) }
    }
}

/// The octets of an entry, in parts. At their end, length and checksum are compared.
package final class ZipContents {
    /// The maximum number of octets that are read at a time.
    private static let blockLength = 65_536

    private let entry: ZipArchive.Entry
    private let octets: ZipArchive.Octets
    private let zlib: Zlib
    /// Inflates the octets; `nil` for an entry that is not compressed.
    private let inflater: Inflater?
    /// The place of what is read next, and the end.
    private var position: Int
    private let end: Int
    private var produced = 0
    private var crc: UInt32 = 0

    fileprivate init(of entry: ZipArchive.Entry, at start: Int, _ octets: @escaping ZipArchive.Octets) throws {
        self.entry = entry
        self.octets = octets
        zlib = try Zlib.load()
        inflater = entry.method == 0 ? nil : try Inflater(.none)
        position = start
        end = start + entry.packedLength
        guard inflater != nil || entry.packedLength == entry.length else {
            throw fault("its lengths contradict each other")
        }
    }

    /// The next part; empty at the end.
    package func next() throws -> [UInt8] {
        while true {
            let part = try inflater == nil ? read() : inflated()
            guard let part else { continue }
            produced += part.count
            crc = zlib.crc(part, after: crc)
            guard produced <= entry.length else { throw fault("it is longer than its length") }
            if part.isEmpty { try finish() }
            return part
        }
    }

    /// The next octets of the archive; none at the end of the entry.
    private func read() throws -> [UInt8] {
        let count = min(Self.blockLength, end - position)
        guard count > 0 else { return [] }
        let part = try octets(position, count)
        guard part.count == count else { throw ZipFault("it has become shorter") }
        position += count
        return part
    }

    /// The next part of the result, empty at its end; `nil` if there was none in the octets that were read.
    private func inflated() throws -> [UInt8]? {
        guard let inflater else { return [] }
        do throws(InflateFault) {
            if inflater.isAtEnd { return [] }
            if let part = try inflater.next() { return part.isEmpty ? nil : part }
        } catch {
            throw error
        }
        let more = try read()
        guard !more.isEmpty else { throw fault("its compressed data end too early") }
        inflater.append(more)
        return nil
    }

    private func finish() throws {
        guard produced == entry.length else { throw fault("it is shorter than its length") }
        guard crc == entry.crc else { throw fault("its checksum is wrong") }
        guard position == end, inflater?.rest.isEmpty != false else { throw fault("octets follow its compressed data") }
    }

    private func fault(_ reason: String) -> ZipFault { ZipFault(reason, in: entry.name) }
}
