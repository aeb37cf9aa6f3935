// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Every ATT PDU, byte by byte (Vol 3, Part F, 3.4)")
struct PDUVectorTests {
    @Test func everyPDUOfTheCatalogHasAVector() throws {
        let opcodes = Set(try PDUVector.all().map { ATTOpcode($0.bytes[0]) })
        #expect(opcodes == Set(ATTCatalog.formats.map { $0.opcode }))
    }

    @Test func octetsDecodeToTheValue() throws {
        for vector in try PDUVector.all() {
            #expect(try ATTPDU(decoding: vector.bytes) == vector.pdu, "\(vector.text)")
        }
    }

    @Test func theValueEncodesToTheOctets() throws {
        for vector in try PDUVector.all() {
            #expect(Hex.string(vector.pdu.encoded()) == Hex.string(vector.bytes), "\(vector.text)")
        }
    }

    @Test func theTraceSaysWhatItIs() throws {
        for vector in try PDUVector.all() {
            #expect(vector.pdu.description == vector.text)
            #expect(ATTPDU.describe(vector.bytes) == vector.text)
        }
    }

    @Test func decodingInTheWrongDirectionFails() throws {
        for vector in try PDUVector.all() {
            switch vector.pdu {
            case .client:
                #expect(throws: DecodeError("opcode", .invalid(value: UInt64(vector.bytes[0])))) {
                    try ATTServerPDU(decoding: vector.bytes)
                }
            case .server:
                #expect(throws: DecodeError("opcode", .invalid(value: UInt64(vector.bytes[0])))) {
                    try ATTClientPDU(decoding: vector.bytes)
                }
            }
        }
    }

    @Test func strictPrefixesAreRejectedOrShorterPDUs() throws {
        for vector in try PDUVector.all() {
            for length in 0..<vector.bytes.count {
                let prefix = Array(vector.bytes.prefix(length))
                if vector.validPrefixes.contains(length) {
                    #expect(try ATTPDU(decoding: prefix).encoded() == prefix, "\(vector.text), \(length) octets")
                } else {
                    #expect(throws: DecodeError.self, "\(vector.text), \(length) octets") {
                        try ATTPDU(decoding: prefix)
                    }
                }
            }
        }
    }

    @Test func anOctetTooManyIsRejectedWhereThePDUHasAFixedLength() throws {
        let openEnded: Set<ATTOpcode> = [
            .findByTypeValueRequest, .readResponse, .readBlobResponse, .readMultipleResponse, .writeRequest,
            .writeCommand, .signedWriteCommand, .prepareWriteRequest, .prepareWriteResponse, .handleValueNotification,
            .handleValueIndication, .readMultipleVariableResponse,
        ]
        for vector in try PDUVector.all() {
            let longer = vector.bytes + [0x00]
            if openEnded.contains(ATTOpcode(vector.bytes[0])) {
                #expect(try ATTPDU(decoding: longer).encoded() == longer, "\(vector.text)")
            } else {
                #expect(throws: DecodeError.self, "\(vector.text)") { try ATTPDU(decoding: longer) }
            }
        }
    }
}
