// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

/// Octets that form no valid PDU, and the field that the error must name.
struct Malformed: Sendable, CustomTestStringConvertible {
    let bytes: String
    let field: String
    let reason: DecodeError.Reason

    init(_ bytes: String, _ field: String, _ reason: DecodeError.Reason) {
        self.bytes = bytes
        self.field = field
        self.reason = reason
    }

    var testDescription: String { "\(bytes): \(field)" }
}

@Suite("PDUs that carry lists or lengths (Vol 3, Part F, 3.4)")
struct ListPDUTests {
    @Test(arguments: [
        // Find Information Response: formats and entries of 4 or 18 octets.
        Malformed("05", "format", .truncated(needed: 1, available: 0)),
        Malformed("05 00 0100 0028", "format", .invalid(value: 0)),
        Malformed("05 03 0100 0028", "format", .invalid(value: 3)),
        Malformed("05 FF 0100 0028", "format", .invalid(value: 255)),
        Malformed("05 01", "information data: handle", .truncated(needed: 2, available: 0)),
        Malformed("05 02", "information data: handle", .truncated(needed: 2, available: 0)),
        Malformed("05 01 0100 00", "information data: UUID", .truncated(needed: 2, available: 1)),
        Malformed("05 01 0100 0028 02", "information data: handle", .truncated(needed: 2, available: 1)),
        Malformed("05 02 0100 0028", "information data: UUID", .truncated(needed: 16, available: 2)),
        // Find By Type Value Response: pairs.
        Malformed("07", "handles information list: found attribute handle", .truncated(needed: 2, available: 0)),
        Malformed("07 0100 07", "handles information list: group end handle", .truncated(needed: 2, available: 1)),
        Malformed(
            "07 0100 0700 08",
            "handles information list: found attribute handle",
            .truncated(needed: 2, available: 1)
        ),
        // Read By Type Response: length octet.
        Malformed("09", "length", .truncated(needed: 1, available: 0)),
        Malformed("09 00", "length", .invalid(value: 0)),
        Malformed("09 00 0100", "length", .invalid(value: 0)),
        Malformed("09 01 0100", "length", .invalid(value: 1)),
        Malformed("09 02", "attribute data list", .truncated(needed: 2, available: 0)),
        Malformed("09 03 0100", "attribute data list", .truncated(needed: 3, available: 2)),
        Malformed("09 03 0100 AA 02", "attribute data list", .truncated(needed: 3, available: 1)),
        Malformed("09 FF 0100 AA", "attribute data list", .truncated(needed: 255, available: 3)),
        // Read By Group Type Response: length octet.
        Malformed("11", "length", .truncated(needed: 1, available: 0)),
        Malformed("11 00", "length", .invalid(value: 0)),
        Malformed("11 01 0100", "length", .invalid(value: 1)),
        Malformed("11 03 0100 02", "length", .invalid(value: 3)),
        Malformed("11 06", "attribute data list", .truncated(needed: 6, available: 0)),
        Malformed("11 06 0100 0200 00", "attribute data list", .truncated(needed: 6, available: 5)),
        Malformed("11 06 0100 0200 0018 03", "attribute data list", .truncated(needed: 6, available: 1)),
        Malformed("11 FF 0100 0200 0018", "attribute data list", .truncated(needed: 255, available: 6)),
        // Sets of handles: two or more.
        Malformed("0E", "set of handles", .truncated(needed: 2, available: 0)),
        Malformed("0E 0100", "set of handles", .truncated(needed: 2, available: 0)),
        Malformed("0E 0100 02", "set of handles", .truncated(needed: 2, available: 1)),
        Malformed("0E 0100 0200 03", "set of handles", .truncated(needed: 2, available: 1)),
        Malformed("20 0100", "set of handles", .truncated(needed: 2, available: 0)),
        Malformed("20 0100 0200 03", "set of handles", .truncated(needed: 2, available: 1)),
        // Tuples with lengths.
        Malformed("21", "length value tuple list", .truncated(needed: 2, available: 0)),
        Malformed("23", "handle length value tuple list: handle", .truncated(needed: 2, available: 0)),
        Malformed("23 0100 00", "handle length value tuple list: length", .truncated(needed: 2, available: 1)),
        Malformed("23 0100 0100", "handle length value tuple list: value", .truncated(needed: 1, available: 0)),
        Malformed("23 0100 FFFF 01", "handle length value tuple list: value", .truncated(needed: 65535, available: 1)),
        Malformed("23 0100 0000 02", "handle length value tuple list: handle", .truncated(needed: 2, available: 1)),
        // UUIDs: two octets or sixteen.
        Malformed("08 0100 FFFF", "attribute type", .inconsistent("a UUID has 2 or 16 octets, not 0")),
        Malformed("08 0100 FFFF 002800", "attribute type", .inconsistent("a UUID has 2 or 16 octets, not 3")),
        Malformed("10 0100 FFFF 00280000", "attribute group type", .inconsistent("a UUID has 2 or 16 octets, not 4")),
        // Execute Write: two flags.
        Malformed("18 02", "flags", .invalid(value: 2)),
        Malformed("18 FF", "flags", .invalid(value: 255)),
        // A signature of twelve octets.
        Malformed("D2 0100 0102030405060708090A0B", "authentication signature", .truncated(needed: 12, available: 11)),
        // Too many octets.
        Malformed("0A 0300 00", "Read Request", .trailing(count: 1)),
        Malformed("13 0000", "Write Response", .trailing(count: 2)),
        Malformed("1E 00", "Handle Value Confirmation", .trailing(count: 1)),
        Malformed("", "opcode", .truncated(needed: 1, available: 0)),
    ])
    func malformedOctetsAreRejectedByTheFieldThatIsWrong(malformed: Malformed) {
        #expect(throws: DecodeError(malformed.field, malformed.reason)) {
            try ATTPDU(decoding: octets(malformed.bytes))
        }
    }

    @Test func theLargestLengthOctetIsTaken() throws {
        let value = [UInt8](repeating: 0xAB, count: 253)
        let response = try #require(ReadByTypeResponse(entries: [HandleValue(0x0001, value)]))
        #expect(response.encoded() == [0x09, 0xFF, 0x01, 0x00] + value)
        #expect(try ReadByTypeResponse(decoding: response.encoded()) == response)

        let groupValue = [UInt8](repeating: 0xAB, count: 251)
        let group = ReadByGroupTypeResponse.Entry(HandleRange(0x0001, 0x0002), groupValue)
        let groups = try #require(ReadByGroupTypeResponse(entries: [group]))
        #expect(groups.encoded() == [0x11, 0xFF, 0x01, 0x00, 0x02, 0x00] + groupValue)
        #expect(try ReadByGroupTypeResponse(decoding: groups.encoded()) == groups)
    }

    @Test func aListThatItsLengthFieldCannotDescribeCannotBeBuilt() {
        func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        let range = HandleRange(0x0001, 0x0002)
        #expect(FindInformationResponse(entries: []) == nil)
        #expect(FindInformationResponse(entries: [.init(1, 0x2800), .init(2, BluetoothUUID(bits128: 7))]) == nil)
        #expect(FindByTypeValueResponse(groups: []) == nil)
        #expect(ReadByTypeResponse(entries: []) == nil)
        #expect(ReadByTypeResponse(entries: [HandleValue(1, [1]), HandleValue(2, [])]) == nil)
        #expect(ReadByTypeResponse(entries: [HandleValue(1, bytes(254))]) == nil)
        #expect(ReadByGroupTypeResponse(entries: []) == nil)
        #expect(ReadByGroupTypeResponse(entries: [.init(range, [1]), .init(range, [])]) == nil)
        #expect(ReadByGroupTypeResponse(entries: [.init(range, bytes(252))]) == nil)
        #expect(ReadMultipleRequest(handles: [1]) == nil)
        #expect(ReadMultipleVariableRequest(handles: []) == nil)
        #expect(ReadMultipleVariableResponse(values: [], mtu: 23) == nil)
        #expect(ReadMultipleVariableResponse(values: [bytes(65536)], mtu: 23) == nil)
        #expect(MultipleHandleValueNotification(values: []) == nil)
        #expect(MultipleHandleValueNotification(values: [HandleValue(1, bytes(65536))]) == nil)
        #expect(SignedWriteCommand(handle: 1, value: [], signature: bytes(11)) == nil)
        #expect(SignedWriteCommand(handle: 1, value: [], signature: bytes(13)) == nil)
    }

    @Test func a32BitUUIDGoesOutIn128Bits() throws {
        let uuid = BluetoothUUID(bits32: 0x1234_5678)
        let octets128 = octets("FB349B5F80000080 00100000 78563412")
        #expect(
            ReadByTypeRequest(range: .all, attributeType: uuid).encoded() == octets("08 0100 FFFF") + octets128
        )
        #expect(
            ReadByGroupTypeRequest(range: .all, groupType: uuid).encoded() == octets("10 0100 FFFF") + octets128
        )
        let response = try #require(FindInformationResponse(entries: [.init(0x0001, uuid)]))
        #expect(response.encoded() == octets("05 02 0100") + octets128)
    }

    @Test func aShortUUIDIn128BitsStaysInThem() throws {
        let bytes = octets("08 0100 FFFF FB349B5F80000080 00100000 192A0000")
        let request = try ReadByTypeRequest(decoding: bytes)
        #expect(request.attributeType == 0x2A19)
        #expect(request.encoded() == bytes)
    }

    @Test func handlesAreTakenAsTheyAre() throws {
        #expect(try ReadRequest(decoding: octets("0A 0000")).handle == .invalid)
        let range = try FindInformationRequest(decoding: octets("04 0900 0100")).range
        #expect(!range.isValid)
    }
}

@Suite("ATT_READ_MULTIPLE_VARIABLE_RSP, cut by the MTU (Vol 3, Part F, 3.4.4.12)")
struct ReadMultipleVariableResponseTests {
    private static let values: [[UInt8]] = [[0xA1, 0xA2], [], [0xB1, 0xB2, 0xB3]]
    private static let whole = octets("21 0200 A1A2 0000 0300 B1B2B3")

    @Test func everyMTUCutsTheSameOctets() throws {
        for mtu in 0...UInt16(Self.whole.count + 5) {
            let response = try #require(ReadMultipleVariableResponse(values: Self.values, mtu: mtu))
            let expected = Array(Self.whole.prefix(max(2, Int(mtu))))
            #expect(response.encoded() == expected, "MTU \(mtu)")
            #expect(try ReadMultipleVariableResponse(decoding: expected) == response, "MTU \(mtu)")
        }
    }

    @Test func whatIsWholeAndWhatIsCutIsToldApart() throws {
        let whole = try ReadMultipleVariableResponse(decoding: Self.whole)
        #expect(whole.values == Self.values)
        #expect(!whole.isCut)
        let cutInValue = try ReadMultipleVariableResponse(decoding: Array(Self.whole.dropLast()))
        #expect(cutInValue.values == [[0xA1, 0xA2], []])
        #expect(cutInValue.cutTuple == octets("0300 B1B2"))
        let cutInLength = try ReadMultipleVariableResponse(decoding: Array(Self.whole.prefix(8)))
        #expect(cutInLength.cutTuple == [0x03])
        let cutAtTuple = try ReadMultipleVariableResponse(decoding: Array(Self.whole.prefix(7)))
        #expect(cutAtTuple.values == [[0xA1, 0xA2], []])
        #expect(!cutAtTuple.isCut)
    }

    @Test func theLongestLengthIsACut() throws {
        let response = try ReadMultipleVariableResponse(decoding: octets("21 FFFF 01"))
        #expect(response.values == [])
        #expect(response.cutTuple == octets("FFFF 01"))
    }
}
