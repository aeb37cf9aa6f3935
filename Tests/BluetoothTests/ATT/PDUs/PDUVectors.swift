// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

/// A PDU in three forms: its octets, its value and its line in a trace.
struct PDUVector: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let pdu: ATTPDU
    let text: String
    /// The lengths of prefixes that are valid PDUs themselves, because the PDU ends with a value or a list.
    let validPrefixes: Set<Int>

    init(_ bytes: String, _ pdu: ATTPDU?, _ text: String, validPrefixes: some Sequence<Int> = []) throws {
        self.bytes = octets(bytes)
        self.pdu = try #require(pdu, "no such PDU: \(text)")
        self.text = text
        self.validPrefixes = Set(validPrefixes)
    }

    var testDescription: String { text }

    /// The vector of a request.
    static func request(
        _ bytes: String,
        _ request: ATTRequest?,
        _ text: String,
        validPrefixes: some Sequence<Int> = []
    ) throws -> PDUVector {
        try PDUVector(bytes, request.map { .client(.request($0)) }, text, validPrefixes: validPrefixes)
    }

    /// The vector of a response.
    static func response(
        _ bytes: String,
        _ response: ATTResponse?,
        _ text: String,
        validPrefixes: some Sequence<Int> = []
    ) throws -> PDUVector {
        try PDUVector(bytes, response.map { .server(.response($0)) }, text, validPrefixes: validPrefixes)
    }
}

extension PDUVector {
    /// Every PDU of the protocol at least once. Computed on demand, so that a wrong vector fails only the test that
    /// uses it.
    static func all() throws -> [PDUVector] { try errorAndMTU() + finds() + reads() + lists() + writes() + pushes() }

    private static func errorAndMTU() throws -> [PDUVector] {
        [
            try PDUVector(
                "01 08 0100 0A",
                error(.readByTypeRequest, 0x0001, .attributeNotFound),
                "Error Response Read By Type Request 0x0001 0x0A attribute not found"
            ),
            try PDUVector(
                "01 BF 0000 14",
                error(ATTOpcode(0xBF), .invalid, ATTErrorCode(0x14)),
                "Error Response unknown (0xBF) 0x0000 0x14 unknown (0x14)"
            ),
            try .request(
                "02 0502",
                .exchangeMTU(ExchangeMTURequest(clientRxMTU: 517)),
                "Exchange MTU Request 517"
            ),
            try .response(
                "03 F700",
                .exchangeMTU(ExchangeMTUResponse(serverRxMTU: 247)),
                "Exchange MTU Response 247"
            ),
        ]
    }

    private static func finds() throws -> [PDUVector] {
        [
            try .request(
                "04 0100 FFFF",
                .findInformation(FindInformationRequest(range: .all)),
                "Find Information Request 0x0001…0xFFFF"
            ),
            try .response(
                "05 01 1300 0229 1400 0329",
                FindInformationResponse(entries: [.init(0x0013, 0x2902), .init(0x0014, 0x2903)])
                    .map(ATTResponse.findInformation),
                "Find Information Response 0x0013 0x2902, 0x0014 0x2903",
                validPrefixes: [6]
            ),
            try .response(
                "05 02 0300 9ECADC240EE5A9E093F3A3B50100406E",
                FindInformationResponse(entries: [.init(0x0003, nordicUART)]).map(ATTResponse.findInformation),
                "Find Information Response 0x0003 6e400001-b5a3-f393-e0a9-e50e24dcca9e"
            ),
            try .request(
                "06 0100 FFFF 0028 0D18",
                .findByTypeValue(FindByTypeValueRequest(range: .all, attributeType: 0x2800, value: [0x0D, 0x18])),
                "Find By Type Value Request 0x0001…0xFFFF 0x2800 0d18",
                validPrefixes: [7, 8]
            ),
            try .response(
                "07 0100 0700 10F0 FFFF",
                FindByTypeValueResponse(groups: [HandleRange(0x0001, 0x0007), HandleRange(0xF010, 0xFFFF)])
                    .map(ATTResponse.findByTypeValue),
                "Find By Type Value Response 0x0001…0x0007, 0xF010…0xFFFF",
                validPrefixes: [5]
            ),
        ]
    }

    private static func reads() throws -> [PDUVector] {
        [
            try .request("0A 1800", .read(ReadRequest(handle: 0x0018)), "Read Request 0x0018"),
            try .response("0B 57", .read(ReadResponse(value: [0x57])), "Read Response 57", validPrefixes: [1]),
            try .response("0B", .read(ReadResponse(value: [])), "Read Response (empty)"),
            try .request(
                "0C 1800 1601",
                .readBlob(ReadBlobRequest(handle: 0x0018, offset: 278)),
                "Read Blob Request 0x0018 offset 278"
            ),
            try .response(
                "0D 0102",
                .readBlob(ReadBlobResponse(value: [1, 2])),
                "Read Blob Response 0102",
                validPrefixes: [1, 2]
            ),
            try .request(
                "0E 0300 0700 0900",
                ReadMultipleRequest(handles: [0x0003, 0x0007, 0x0009]).map(ATTRequest.readMultiple),
                "Read Multiple Request 0x0003 0x0007 0x0009",
                validPrefixes: [5]
            ),
            try .response(
                "0F 010203",
                .readMultiple(ReadMultipleResponse(values: [1, 2, 3])),
                "Read Multiple Response 010203",
                validPrefixes: 1...3
            ),
            try .request(
                "20 0300 0700",
                ReadMultipleVariableRequest(handles: [0x0003, 0x0007]).map(ATTRequest.readMultipleVariable),
                "Read Multiple Variable Request 0x0003 0x0007"
            ),
            try .response(
                "21 0200 AABB 0000 0100 CC",
                ReadMultipleVariableResponse(values: [[0xAA, 0xBB], [], [0xCC]], mtu: 23)
                    .map(ATTResponse.readMultipleVariable),
                "Read Multiple Variable Response aabb, (empty), cc",
                validPrefixes: 2...9
            ),
            try .response(
                "21 1200 000102030405060708090A0B0C0D0E0F1011 05",
                ReadMultipleVariableResponse(values: [Array(0...0x11), [1, 2, 3, 4, 5], [6]], mtu: 22)
                    .map(ATTResponse.readMultipleVariable),
                "Read Multiple Variable Response 000102030405060708090a0b0c0d0e0f1011, cut: 05",
                validPrefixes: 2...21
            ),
        ]
    }

    private static func lists() throws -> [PDUVector] {
        [
            try .request(
                "08 0100 FFFF 192A",
                .readByType(ReadByTypeRequest(range: .all, attributeType: 0x2A19)),
                "Read By Type Request 0x0001…0xFFFF 0x2A19"
            ),
            try .request(
                "08 0200 0900 9ECADC240EE5A9E093F3A3B50100406E",
                .readByType(ReadByTypeRequest(range: HandleRange(0x0002, 0x0009), attributeType: nordicUART)),
                "Read By Type Request 0x0002…0x0009 6e400001-b5a3-f393-e0a9-e50e24dcca9e",
                validPrefixes: [7]
            ),
            try .response(
                "09 04 0300 1234 0700 5678",
                ReadByTypeResponse(entries: [HandleValue(0x0003, [0x12, 0x34]), HandleValue(0x0007, [0x56, 0x78])])
                    .map(ATTResponse.readByType),
                "Read By Type Response 0x0003 1234, 0x0007 5678",
                validPrefixes: [6]
            ),
            try .response(
                "09 02 0300",
                ReadByTypeResponse(entries: [HandleValue(0x0003, [])]).map(ATTResponse.readByType),
                "Read By Type Response 0x0003 (empty)"
            ),
            try .request(
                "10 0100 FFFF 0028",
                .readByGroupType(ReadByGroupTypeRequest(range: .all, groupType: 0x2800)),
                "Read By Group Type Request 0x0001…0xFFFF 0x2800"
            ),
            try .response(
                "11 06 0100 0400 0118 0500 0800 0D18",
                ReadByGroupTypeResponse(entries: [
                    .init(HandleRange(0x0001, 0x0004), [0x01, 0x18]), .init(HandleRange(0x0005, 0x0008), [0x0D, 0x18]),
                ]).map(ATTResponse.readByGroupType),
                "Read By Group Type Response 0x0001…0x0004 0118, 0x0005…0x0008 0d18",
                validPrefixes: [8]
            ),
        ]
    }

    private static func writes() throws -> [PDUVector] {
        [
            try .request(
                "12 1900 0100",
                .write(WriteRequest(handle: 0x0019, value: [1, 0])),
                "Write Request 0x0019 0100",
                validPrefixes: [3, 4]
            ),
            try .response("13", .write(WriteResponse()), "Write Response"),
            try .request(
                "16 0700 0300 AABB",
                .prepareWrite(PrepareWriteRequest(handle: 0x0007, offset: 3, value: [0xAA, 0xBB])),
                "Prepare Write Request 0x0007 offset 3 aabb",
                validPrefixes: [5, 6]
            ),
            try .response(
                "17 0700 0300 AABB",
                .prepareWrite(PrepareWriteResponse(handle: 0x0007, offset: 3, value: [0xAA, 0xBB])),
                "Prepare Write Response 0x0007 offset 3 aabb",
                validPrefixes: [5, 6]
            ),
            try .request(
                "18 00",
                .executeWrite(ExecuteWriteRequest(flags: .cancel)),
                "Execute Write Request cancel"
            ),
            try .request("18 01", .executeWrite(ExecuteWriteRequest(flags: .write)), "Execute Write Request write"),
            try .response("19", .executeWrite(ExecuteWriteResponse()), "Execute Write Response"),
            try PDUVector(
                "52 1900 6869",
                .client(.command(.write(WriteCommand(handle: 0x0019, value: [0x68, 0x69])))),
                "Write Command 0x0019 6869",
                validPrefixes: [3, 4]
            ),
            try PDUVector(
                "D2 0700 0102 000000000011223344556677",
                SignedWriteCommand(handle: 0x0007, value: [1, 2], signature: octets("000000000011223344556677"))
                    .map { .client(.command(.signedWrite($0))) },
                "Signed Write Command 0x0007 0102 signature 000000000011223344556677",
                validPrefixes: [15, 16]
            ),
        ]
    }

    private static func pushes() throws -> [PDUVector] {
        [
            try PDUVector(
                "1B 1800 0648",
                .server(.notification(HandleValueNotification(handle: 0x0018, value: [0x06, 0x48]))),
                "Handle Value Notification 0x0018 0648",
                validPrefixes: [3, 4]
            ),
            try PDUVector(
                "1D 1800 0648",
                .server(.indication(HandleValueIndication(handle: 0x0018, value: [0x06, 0x48]))),
                "Handle Value Indication 0x0018 0648",
                validPrefixes: [3, 4]
            ),
            try PDUVector("1E", .client(.confirmation), "Handle Value Confirmation"),
            try PDUVector(
                "23 1800 0200 0648 1900 0000",
                MultipleHandleValueNotification(values: [HandleValue(0x0018, [0x06, 0x48]), HandleValue(0x0019, [])])
                    .map { .server(.multipleNotification($0)) },
                "Multiple Handle Value Notification 0x0018 0648, 0x0019 (empty)",
                validPrefixes: [7]
            ),
        ]
    }

    private static func error(_ opcode: ATTOpcode, _ handle: Handle, _ code: ATTErrorCode) -> ATTPDU {
        .server(.error(ATTErrorResponse(requestOpcode: opcode, handle: handle, code: code)))
    }

    private static let nordicUART = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
}
