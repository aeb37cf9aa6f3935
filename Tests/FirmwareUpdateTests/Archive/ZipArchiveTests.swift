// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

@Suite("Zips")
struct ZipArchiveTests {
    /// Nothing deflated is expected.
    private static func none(_ octets: ArraySlice<UInt8>, _ limit: Int) throws(ZipFault) -> [UInt8] {
        throw ZipFault("deflated")
    }

    private static func octets(_ name: String) throws -> [UInt8] { try Vector.named(name, in: "zips", "zip") }

    @Test("Files are read as Python stores them")
    func stored() throws {
        let zip = try ZipArchive(Self.octets("stored"))
        #expect(zip.names == ["a/b.bin", "manifest.json"])
        #expect(try zip.contents(of: "manifest.json", inflate: Self.none) == Array("{}".utf8))
        #expect(try zip.contents(of: "a/b.bin", inflate: Self.none) == [UInt8](repeating: 0, count: 1_000))
        #expect(throws: ZipFault("has no file c")) { try zip.contents(of: "c", inflate: Self.none) }
    }

    @Test("Deflated octets are handed to whoever unpacks them, with the length that they may have")
    func deflated() throws {
        let zip = try ZipArchive(Self.octets("deflated"))
        let contents = try zip.contents(of: "a/b.bin") { packed, limit throws(ZipFault) in
            #expect(limit == 1_000 && packed.count < 100)
            return [UInt8](repeating: 0, count: limit)
        }
        #expect(contents.count == 1_000)
        #expect(throws: ZipFault("says that a/b.bin has 1000 octets; it has 999")) {
            try zip.contents(of: "a/b.bin") { _, _ throws(ZipFault) in [UInt8](repeating: 0, count: 999) }
        }
        #expect(throws: ZipFault("has a damaged file, a/b.bin: wrong CRC")) {
            try zip.contents(of: "a/b.bin") { _, _ throws(ZipFault) in [UInt8](repeating: 1, count: 1_000) }
        }
    }

    @Test(
        "A name that points elsewhere is refused",
        arguments: ["../x.bin", "/a/x.bin", "a/../b.b", "a\\..\\b.b", "a/./b.b", "a\u{0}b.bin"]
    )
    func names(_ name: String) throws {
        var octets = try Self.octets("stored")
        let old = Array("a/b.bin".utf8)
        let new = Array(name.utf8.prefix(7)) + Array("x".utf8.prefix(max(0, 7 - name.utf8.count)))
        for start in octets.indices where octets[start...].starts(with: old) {
            octets.replaceSubrange(start..<start + 7, with: new)
        }
        #expect(throws: ZipFault.self) { try ZipArchive(octets) }
    }

    @Test("No part of a zip is one, and no changed octet lets it become something else")
    func damage() throws {
        let octets = try Self.octets("stored")
        for length in octets.indices {
            #expect(throws: ZipFault.self) { try ZipArchive(Array(octets.prefix(length))) }
        }
        var random = TestGenerator(seed: 1)
        for index in octets.indices {
            var changed = octets
            changed[index] = UInt8.random(in: 0...255, using: &random)
            guard let zip = try? ZipArchive(changed), zip.names.contains("a/b.bin"),
                let contents = try? zip.contents(of: "a/b.bin", inflate: Self.none)
            else { continue }
            #expect(contents == [UInt8](repeating: 0, count: 1_000), "octet \(index)")
        }
    }

    @Test("A file that says to be larger than any firmware is refused before it is unpacked")
    func bomb() throws {
        var octets = try Self.octets("deflated")
        let entry = try #require(octets.indices.last { octets[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        octets.replaceSubrange(entry + 24..<entry + 28, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: ZipFault("has a file of more than 64 MiB, a/b.bin")) { try ZipArchive(octets) }
    }
}
