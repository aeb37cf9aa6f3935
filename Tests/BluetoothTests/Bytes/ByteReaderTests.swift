// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Reading octets")
struct ByteReaderTests {
    @Test("integers are little-endian, unless the name says otherwise")
    func integers() throws {
        var reader = ByteReader(octets("01 0201 ff fe ff 030201 04030201 060504030201 0807060504030201 0102 01020304"))
        #expect(try reader.uint8("a") == 0x01)
        #expect(try reader.uint16("b") == 0x0102)
        #expect(try reader.int8("c") == -1)
        #expect(try reader.int16("d") == -2)
        #expect(try reader.uint24("e") == 0x01_0203)
        #expect(try reader.uint32("f") == 0x0102_0304)
        #expect(try reader.uint48("g") == 0x0102_0304_0506)
        #expect(try reader.uint64("h") == 0x0102_0304_0506_0708)
        #expect(try reader.uint16BigEndian("i") == 0x0102)
        #expect(try reader.uint32BigEndian("j") == 0x0102_0304)
        #expect(reader.isAtEnd)
    }

    @Test("128 bits, least significant octet first")
    func uint128() throws {
        var reader = ByteReader(octets("100f0e0d0c0b0a090807060504030201"))
        #expect(try reader.uint128("value") == 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10)
    }

    @Test("octets, a slice and the rest")
    func parts() throws {
        var reader = ByteReader(octets("0102030405060708"))
        #expect(try reader.bytes(2, "two") == [1, 2])
        #expect(try reader.bytes(0, "none") == [])
        var slice = try reader.slice(3, "slice")
        #expect(slice.remaining == 3)
        #expect(slice.rest() == [3, 4, 5])
        #expect(slice.rest() == [])
        #expect(reader.remaining == 3)
        #expect(reader.rest() == [6, 7, 8])
        #expect(reader.isAtEnd)
        var part = ByteReader([9, 8, 7, 6][1...2])
        #expect(part.rest() == [8, 7])
    }

    @Test("a slice does not read the octets after it")
    func sliceBounds() throws {
        var reader = ByteReader([1, 2, 3, 4])
        var slice = try reader.slice(2, "slice")
        #expect(throws: DecodeError("wide", .truncated(needed: 4, available: 2))) { try slice.uint32("wide") }
        #expect(throws: DecodeError("more", .truncated(needed: 3, available: 2))) { try slice.slice(3, "more") }
        #expect(slice.remaining == 2)
    }

    @Test("a failed read names its field and what it needs, and does not move the cursor", arguments: 0..<16)
    func truncated(_ available: Int) {
        let bytes = [UInt8](repeating: 0xFF, count: available)
        func check(_ needed: Int, _ read: (inout ByteReader) throws -> Void) {
            guard available < needed else { return }
            var reader = ByteReader(bytes)
            #expect(throws: DecodeError("field", .truncated(needed: needed, available: available))) {
                try read(&reader)
            }
            #expect(reader.remaining == available)
        }
        check(1) { _ = try $0.uint8("field") }
        check(1) { _ = try $0.int8("field") }
        check(2) { _ = try $0.uint16("field") }
        check(2) { _ = try $0.int16("field") }
        check(2) { _ = try $0.uint16BigEndian("field") }
        check(3) { _ = try $0.uint24("field") }
        check(4) { _ = try $0.uint32("field") }
        check(4) { _ = try $0.uint32BigEndian("field") }
        check(6) { _ = try $0.uint48("field") }
        check(8) { _ = try $0.uint64("field") }
        check(16) { _ = try $0.uint128("field") }
        check(255) { _ = try $0.bytes(255, "field") }
        check(65_535) { _ = try $0.slice(65_535, "field") }
    }

    @Test("a negative or enormous count is refused")
    func counts() {
        var reader = ByteReader([1, 2, 3])
        #expect(throws: DecodeError.self) { try reader.bytes(-1, "count") }
        #expect(throws: DecodeError.self) { try reader.slice(.min, "count") }
        #expect(throws: DecodeError.self) { try reader.bytes(.max, "count") }
        #expect(reader.remaining == 3)
    }

    @Test("octets left over after a packet are an error")
    func end() {
        #expect(throws: Never.self) { try ByteReader([UInt8]()).expectEnd("packet") }
        #expect(throws: DecodeError("packet", .trailing(count: 2))) { try ByteReader([1, 2]).expectEnd("packet") }
        #expect(throws: DecodeError("Handle", .trailing(count: 1))) { try Handle(decoding: [1, 2, 3]) }
    }

    @Test("random reads of random octets never trap, and consume the stated length")
    func random() {
        var generator = SeededGenerator(seed: 0x5245_4144)
        for _ in 0..<5_000 {
            let bytes = generator.octets(upTo: 40)
            var reader = ByteReader(bytes)
            for _ in 0..<20 {
                let before = reader.remaining
                let count = Int.random(in: -2...20, using: &generator)
                let taken = (try? reader.bytes(count, "random"))?.count ?? 0
                #expect(reader.remaining == before - taken)
                #expect(taken == (count >= 0 && count <= before ? count : 0))
            }
        }
    }
}

@Suite("Writing octets")
struct ByteWriterTests {
    @Test("integers are little-endian, unless the name says otherwise")
    func integers() {
        var writer = ByteWriter()
        writer.uint8(0x01)
        writer.int8(-1)
        writer.uint16(0x0102)
        writer.int16(-2)
        writer.uint24(0xFF01_0203)
        writer.uint32(0x0102_0304)
        writer.uint48(0xFFFF_0102_0304_0506)
        writer.uint64(0x0102_0304_0506_0708)
        writer.uint128(0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10)
        writer.uint16BigEndian(0x0102)
        writer.uint32BigEndian(0x0102_0304)
        writer.append([7, 8])
        writer.append(Handle(0x0018))
        let expected = octets(
            """
            01 ff 0201 feff 030201 04030201 060504030201 0807060504030201 100f0e0d0c0b0a090807060504030201
            0102 01020304 0708 1800
            """
        )
        #expect(Hex.string(writer.bytes) == Hex.string(expected))
        #expect(ByteWriter(capacity: 0).bytes.isEmpty)
    }

    @Test("written values are read back")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 0x5752_4954)
        for _ in 0..<2_000 {
            let value = UInt64.random(in: .min ... .max, using: &generator)
            var writer = ByteWriter()
            writer.uint64(value)
            writer.uint24(UInt32(truncatingIfNeeded: value))
            writer.uint48(value)
            writer.int16(Int16(truncatingIfNeeded: value))
            var reader = ByteReader(writer.bytes)
            #expect(try reader.uint64("a") == value)
            #expect(try reader.uint24("b") == UInt32(truncatingIfNeeded: value & 0xFF_FFFF))
            #expect(try reader.uint48("c") == value & 0xFFFF_FFFF_FFFF)
            #expect(try reader.int16("d") == Int16(truncatingIfNeeded: value))
            #expect(reader.isAtEnd)
        }
    }
}

@Suite("Errors about octets")
struct DecodeErrorTests {
    @Test("an error names the field and its fault")
    func descriptions() {
        #expect("\(DecodeError("RSSI", .truncated(needed: 1, available: 0)))" == "RSSI: needs 1 octet, 0 left")
        #expect("\(DecodeError("Data", .truncated(needed: 31, available: 7)))" == "Data: needs 31 octets, 7 left")
        #expect("\(DecodeError("Handle", .trailing(count: 1)))" == "Handle: 1 octet left over")
        #expect("\(DecodeError("Handle", .trailing(count: 2)))" == "Handle: 2 octets left over")
        #expect("\(DecodeError("Role", .invalid(value: 2)))" == "Role: invalid value 0x02")
        #expect("\(DecodeError("UUID", .inconsistent("too odd")))" == "UUID: too odd")
    }
}
