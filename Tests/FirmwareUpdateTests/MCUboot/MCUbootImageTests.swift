// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

@Suite("Images of MCUboot")
struct MCUbootImageTests {
    private static func octets(_ name: String) throws -> [UInt8] { try Vector.named(name, in: "images", "image") }

    @Test(
        "Images of imgtool are read",
        arguments: [
            ("plain", FirmwareVersion(2, 0, 0), 0x20, 32), ("version", FirmwareVersion(1, 2, 3, build: 4), 0x20, 32),
            ("padded header", FirmwareVersion(2, 0, 0), 0x200, 32), ("protected", FirmwareVersion(2, 0, 0), 0x20, 32),
            ("SHA-512", FirmwareVersion(2, 0, 0), 0x20, 64), ("signed", FirmwareVersion(2, 0, 0), 0x20, 32),
        ]
    )
    func images(_ name: String, _ version: FirmwareVersion, _ header: Int, _ hash: Int) throws {
        let image = try MCUbootImage(Self.octets(name))
        #expect(image.version == version && image.headerLength == header && image.hash.count == hash)
        #expect(image.programLength == 1_000)
        #expect(image.tlvs.contains { $0.isProtected } == (name == "protected"))
    }

    @Test("A version is written as servers write it, and compared by its parts")
    func versions() {
        #expect(FirmwareVersion(1, 2, 3).description == "1.2.3")
        #expect(FirmwareVersion(1, 2, 3, build: 4).description == "1.2.3.4")
        #expect(
            FirmwareVersion(1, 2, 300) < FirmwareVersion(1, 3, 0)
                && FirmwareVersion(1, 2, 3) < FirmwareVersion(1, 2, 3, build: 1)
        )
    }

    @Test("A change of any octet that the hash covers is found, and no part of an image is one")
    func changes() throws {
        let octets = try Self.octets("protected")
        for index in octets.indices {
            var changed = octets
            changed[index] ^= 0x40
            // The type of a TLV that nobody needs, and its octets, are covered by the hash only if they are protected.
            guard let image = try? MCUbootImage(changed) else { continue }
            Issue.record("octet \(index) of \(octets.count) may be changed: \(image.tlvs)")
        }
        for length in octets.indices {
            #expect(throws: MCUbootImage.Fault.self) { try MCUbootImage(Array(octets.prefix(length))) }
        }
    }

    @Test("What is wrong is named")
    func faults() throws {
        let plain = try Self.octets("plain")
        func fault(_ octets: [UInt8]) -> MCUbootImage.Fault? {
            do throws(MCUbootImage.Fault) { _ = try MCUbootImage(octets) } catch { return error }
            return nil
        }
        #expect(fault([]) == .empty)
        #expect(fault(Array(":10000000".utf8)) == .anotherFormat("an Intel HEX file"))
        #expect(fault([0x7F, 0x45, 0x4C, 0x46, 1]) == .anotherFormat("an ELF file"))
        #expect(fault([0x50, 0x4B, 3, 4]) == .anotherFormat("a zip"))
        #expect(fault([1, 2, 3]) == .anotherFormat(nil))
        #expect(fault(plain + [0xFF, 0xFF]) == .trailing(2))
        #expect(fault(try Self.octets("padded")) == .trailing(0x2000 - plain.count))
        var huge = plain
        huge.replaceSubrange(12..<16, with: [0xFF, 0xFF, 0xFF, 0xFF])
        guard case .truncated(let error) = fault(huge) else {
            Issue.record("a program of 4 GiB is not refused")
            return
        }
        #expect(error.field == "program")
        // Without its TLVs, and with some that hold no hash.
        #expect(fault(Array(plain.prefix(1_032)) + [0x07, 0x69, 0x04, 0x00]) == .noHash)
        var changed = plain
        changed[500] ^= 1
        #expect(fault(changed) == .wrongHash)
    }
}

/// Spec: FIPS 180-4; the samples are NIST's
@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ]
    )
    func samples(_ text: String, _ hash: String) { #expect(Hex.string(SHA256.hash(Array(text.utf8))) == hash) }

    @Test("The padding is right around the end of a block")
    func blocks() {
        // By sha256sum of that many zeros.
        #expect(Hex.string(SHA256.hash([UInt8](repeating: 0, count: 55))).hasPrefix("02779466cdec163811d078815c633f21"))
        #expect(Hex.string(SHA256.hash([UInt8](repeating: 0, count: 56))).hasPrefix("d4817aa5497628e7c77e6b606107042b"))
        #expect(Hex.string(SHA256.hash([UInt8](repeating: 0, count: 64))).hasPrefix("f5a5fd42d16a20302798ef6ed309979b"))
    }
}
