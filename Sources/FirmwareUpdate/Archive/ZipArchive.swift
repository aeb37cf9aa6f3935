// SPDX-License-Identifier: MIT

import Bluetooth

/// Why a zip is refused, in words that follow its name.
package struct ZipFault: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// A reason.
    package init(_ description: String) { self.description = description }
}

/// The files in a zip. Nothing of it is unpacked before it is asked for, and nothing becomes larger than it says to be.
///
/// Spec: PKWARE, APPNOTE.TXT 6.3.10, 4.3
package struct ZipArchive: Sendable {
    /// A file in a zip.
    private struct Entry: Sendable {
        let method: UInt16
        let crc: UInt32
        let packedLength: Int
        let length: Int
        /// Where the header before its octets is.
        let offset: Int
    }

    /// The most files of a zip.
    private static let maximumCount = 1_000
    /// The most octets of a file, as it was before it was packed.
    package static let maximumLength = 64 << 20

    private static let endLength = 22
    private static let endSignature: UInt32 = 0x0605_4B50
    private static let entrySignature: UInt32 = 0x0201_4B50
    private static let localSignature: UInt32 = 0x0403_4B50

    private let octets: [UInt8]
    private let entries: [String: Entry]

    /// The names of the files, in alphabetical order.
    package var names: [String] { entries.keys.sorted() }

    /// Reads the list of files.
    package init(_ octets: [UInt8]) throws(ZipFault) {
        self.octets = octets
        do {
            entries = try Self.entries(octets)
        } catch let fault as ZipFault {
            throw fault
        } catch {
            throw ZipFault("is a damaged zip: \(error)")
        }
    }

    /// The octets of a file.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - inflate: Unpacks deflated octets, to at most that number of octets. Throws if they are damaged, or if they are more.
    package func contents(
        of name: String,
        inflate: (ArraySlice<UInt8>, Int) throws(ZipFault) -> [UInt8]
    ) throws(ZipFault) -> [UInt8] {
        guard let entry = entries[name] else { throw ZipFault("has no file \(name)") }
        let packed: ArraySlice<UInt8>
        do {
            packed = try self.packed(entry)
        } catch {
            throw ZipFault("is damaged at \(name): \(error)")
        }
        let contents: [UInt8]
        switch entry.method {
        case 0: contents = Array(packed)
        case 8: contents = try inflate(packed, entry.length)
        default: throw ZipFault("has a file packed in a way that is not known, \(name)")
        }
        guard contents.count == entry.length else {
            throw ZipFault("says that \(name) has \(entry.length) octets; it has \(contents.count)")
        }
        guard CRC32.checksum(contents) == entry.crc else { throw ZipFault("has a damaged file, \(name): wrong CRC") }
        return contents
    }

    /// The octets of a file as they are in the zip.
    private func packed(_ entry: Entry) throws(DecodeError) -> ArraySlice<UInt8> {
        var reader = ByteReader(octets)
        _ = try reader.slice(entry.offset, "place of the file")
        guard try reader.uint32("local header") == Self.localSignature else {
            throw DecodeError("local header", .inconsistent("there is none"))
        }
        _ = try reader.bytes(22, "local header")
        let nameLength = Int(try reader.uint16("length of the name"))
        let extraLength = Int(try reader.uint16("length of the extra field"))
        _ = try reader.slice(nameLength + extraLength, "local header")
        let start = octets.count - reader.remaining
        _ = try reader.slice(entry.packedLength, "file")
        return octets[start..<start + entry.packedLength]
    }

    private static func entries(_ octets: [UInt8]) throws -> [String: Entry] {
        var end = try endRecord(octets)
        _ = try end.uint32("signature")
        let disk = try end.uint16("disk")
        let directoryDisk = try end.uint16("disk of the directory")
        let count = Int(try end.uint16("entries on the disk"))
        let total = Int(try end.uint16("entries"))
        let length = Int(try end.uint32("length of the directory"))
        let offset = Int(try end.uint32("place of the directory"))
        guard disk == 0, directoryDisk == 0, count == total else { throw ZipFault("is a part of a zip") }
        guard count <= maximumCount else { throw ZipFault("has more than \(maximumCount) files") }
        var reader = ByteReader(octets)
        _ = try reader.slice(offset, "place of the directory")
        var directory = try reader.slice(length, "directory")
        var entries: [String: Entry] = [:]
        for _ in 0..<count {
            let (name, entry) = try self.entry(&directory)
            // A folder has no octets, and is of no use.
            if name.utf8.last == UInt8(ascii: "/") { continue }
            guard entries.updateValue(entry, forKey: name) == nil else { throw ZipFault("has two files \(name)") }
        }
        try directory.expectEnd("directory")
        return entries
    }

    /// The record at the end, behind which there may be a comment.
    private static func endRecord(_ octets: [UInt8]) throws -> ByteReader {
        let first = max(0, octets.count - endLength - Int(UInt16.max))
        for start in stride(from: octets.count - endLength, through: first, by: -1) {
            var reader = ByteReader(octets[start...])
            guard octets[start] == UInt8(ascii: "P"), try reader.uint32("signature") == endSignature else { continue }
            let comment = Int(octets[start + endLength - 2]) | Int(octets[start + endLength - 1]) << 8
            if start + endLength + comment == octets.count { return ByteReader(octets[start...]) }
        }
        throw ZipFault("is no zip")
    }

    private static func entry(_ reader: inout ByteReader) throws -> (String, Entry) {
        guard try reader.uint32("entry") == entrySignature else {
            throw DecodeError("entry", .inconsistent("there is none"))
        }
        _ = try reader.bytes(4, "versions")
        let flags = try reader.uint16("flags")
        let method = try reader.uint16("method")
        _ = try reader.bytes(4, "time")
        let crc = try reader.uint32("CRC")
        let packedLength = try reader.uint32("packed length")
        let length = try reader.uint32("length")
        let nameLength = Int(try reader.uint16("length of the name"))
        let extraLength = Int(try reader.uint16("length of the extra field"))
        let commentLength = Int(try reader.uint16("length of the comment"))
        _ = try reader.bytes(8, "attributes")
        let offset = try reader.uint32("place of the file")
        let octets = try reader.bytes(nameLength, "name")
        _ = try reader.bytes(extraLength + commentLength, "entry")
        let name = String(decoding: octets, as: UTF8.self)
        guard name.utf8.elementsEqual(octets), isInside(name) else {
            throw ZipFault("has a file whose name points elsewhere: \(name)")
        }
        guard flags & 1 == 0 else { throw ZipFault("has an encrypted file, \(name)") }
        guard length <= maximumLength, packedLength <= maximumLength else {
            throw ZipFault("has a file of more than \(maximumLength >> 20) MiB, \(name)")
        }
        let entry = Entry(
            method: method,
            crc: crc,
            packedLength: Int(packedLength),
            length: Int(length),
            offset: Int(offset)
        )
        return (name, entry)
    }

    /// Whether a name is one within the zip.
    private static func isInside(_ name: String) -> Bool {
        guard !name.isEmpty, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
            return false
        }
        let parts = name.split(separator: "/" as Character, omittingEmptySubsequences: false)
        return parts.first != "" && !parts.contains("..") && !parts.contains(".")
    }
}
