// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

/// Spec: RFC 8949, Appendix A
@Suite("CBOR")
struct CBORValueTests {
    private static let table: [(CBORValue, String)] = [
        (.unsigned(0), "00"), (.unsigned(23), "17"), (.unsigned(24), "1818"), (.unsigned(1_000), "1903e8"),
        (.unsigned(1_000_000), "1a000f4240"), (.unsigned(1_000_000_000_000), "1b000000e8d4a51000"),
        (.unsigned(.max), "1bffffffffffffffff"), (.negative(.max), "3bffffffffffffffff"), (CBORValue(-1), "20"),
        (CBORValue(-100), "3863"), (CBORValue(-1_000), "3903e7"),
        (.float(0), "f90000"), (.float(-0.0), "f98000"), (.float(1), "f93c00"), (.float(1.1), "fb3ff199999999999a"),
        (.float(1.5), "f93e00"), (.float(65_504), "f97bff"), (.float(100_000), "fa47c35000"),
        (.float(3.4028234663852886e+38), "fa7f7fffff"), (.float(1.0e+300), "fb7e37e43c8800759c"),
        (.float(5.960464477539063e-8), "f90001"), (.float(0.00006103515625), "f90400"), (.float(-4), "f9c400"),
        (.float(-4.1), "fbc010666666666666"), (.float(.infinity), "f97c00"), (.float(-.infinity), "f9fc00"),
        (.bool(false), "f4"), (.bool(true), "f5"), (.null, "f6"), (.undefined, "f7"), (.simple(16), "f0"),
        (.simple(255), "f8ff"), (.tagged(1, .unsigned(1_363_896_240)), "c11a514b67b0"),
        (.octets([]), "40"), (.octets([1, 2, 3, 4]), "4401020304"), (.text(""), "60"), (.text("IETF"), "6449455446"),
        (.text("\u{6C34}"), "63e6b0b4"), (.text("\u{10151}"), "64f0908591"), (.array([]), "80"),
        (.array([.unsigned(1), .array([.unsigned(2), .unsigned(3)])]), "8201820203"), (.map(CBORMap()), "a0"),
        (.map(CBORMap(["a": CBORValue(1), "b": .array([CBORValue(2), CBORValue(3)])])), "a26161016162820203"),
    ]

    @Test("The samples of the specification are read and written", arguments: table)
    func samples(_ value: CBORValue, _ hex: String) throws {
        #expect(Hex.string(value.encoded()) == hex)
        let octets = try #require(Hex.bytes(hex))
        #expect(try CBORValue(decoding: octets) == value)
        for length in 0..<octets.count {
            #expect(throws: DecodeError.self) { try CBORValue(decoding: Array(octets.prefix(length))) }
        }
        #expect(throws: DecodeError.self) { try CBORValue(decoding: octets + [0]) }
    }

    @Test(
        "Open lengths and long numbers are read",
        arguments: [
            ("5f42010243030405ff", CBORValue.octets([1, 2, 3, 4, 5])),
            ("7f657374726561646d696e67ff", .text("streaming")),
            (
                "9f018202039f0405ffff",
                .array([.unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)])])
            ),
            ("bf6346756ef563416d7421ff", .map(CBORMap(["Fun": .bool(true), "Amt": CBORValue(-2)]))),
            ("9fff", .array([])),
            ("bfff", .map(CBORMap())), ("1800", .unsigned(0)), ("1b0000000000000001", .unsigned(1)),
            ("b800", .map(CBORMap())), ("fa3fc00000", .float(1.5)), ("5fff", .octets([])),
        ]
    )
    func open(_ hex: String, _ value: CBORValue) throws {
        #expect(try CBORValue(decoding: try #require(Hex.bytes(hex))) == value)
    }

    @Test(
        "What is not well-formed or not valid is refused",
        arguments: [
            "ff", "1c", "1d", "1e", "1f", "3f", "df", "fc", "f800", "f81f",
            "81ff", "a1ff", "a101ff", "bf01ff", "c0", "c1ff",
            "5f00ff", "5f6161ff", "7f4161ff", "5f5f4100ffff", "7f61c361a9ff",
            "61ff", "62c080", "63eda080",
            "a20100 0101", "a26161016161 02", "bf01000100ff",
            "5bffffffffffffffff", "7b7fffffffffffffff", "9bffffffffffffffff", "bb8000000000000000", "9a00ffffff00",
        ]
    )
    func refused(_ hex: String) throws {
        let octets = try #require(Hex.bytes(hex.filter { $0 != " " }))
        #expect(throws: DecodeError.self) { try CBORValue(decoding: octets) }
    }

    @Test("Items are at most sixteen deep")
    func depth() throws {
        func nested(_ count: Int) -> [UInt8] { Array(repeating: 0x81, count: count) + [0x00] }
        _ = try CBORValue(decoding: nested(16))
        #expect(throws: DecodeError.self) { try CBORValue(decoding: nested(17)) }
        #expect(throws: DecodeError.self) { try CBORValue(decoding: Array(repeating: 0xC1, count: 100_000)) }
        #expect(throws: DecodeError.self) { try CBORValue(decoding: Array(repeating: 0x9F, count: 100_000)) }
    }

    @Test("The keys of a map are in the order of their octets")
    func order() {
        let map = CBORMap(["sha": .null, "off": .null, "data": .null, "len": .null, "b": .null])
        #expect(Hex.string(map.encoded()) == "a56162f6636c656ef6636f6666f663736861f66464617461f6")
    }

    @Test("What is read of random octets is written, and read again as the same")
    func random() {
        var random = TestGenerator(seed: 37)
        var count = 0
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            guard let value = try? CBORValue(decoding: octets) else { continue }
            count += 1
            // A NaN is not equal to itself; its octets are.
            #expect((try? CBORValue(decoding: value.encoded()))?.encoded() == value.encoded())
        }
        #expect(count > 200)
    }

    @Test("Fields of a wrong type are told from those that are missing")
    func fields() throws {
        let map = CBORMap(["off": CBORValue(-1), "data": .octets([1])])
        #expect(try map.required("data", \.bytes) == [1])
        #expect(try map.optional("len", \.count) == nil)
        #expect(throws: DecodeError("off", .inconsistent("it has the wrong type"))) { try map.required("off", \.count) }
        #expect(throws: DecodeError("len", .inconsistent("it is missing"))) { try map.required("len", \.count) }
    }
}
