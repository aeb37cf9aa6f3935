// SPDX-License-Identifier: MIT

import Bluetooth
import Foundation
import Testing

/// A row of the specification's table of PDUs.
struct AssignedPDU: Sendable, CustomTestStringConvertible {
    let opcode: UInt8
    let name: String
    let kind: ATTPDUKind

    init(_ opcode: UInt8, _ name: String, _ kind: ATTPDUKind) {
        self.opcode = opcode
        self.name = name
        self.kind = kind
    }

    var testDescription: String { name }

    /// Core 5.4, Vol 3, Part F, 3.4.8, table 3.43.
    static let all: [AssignedPDU] = [
        AssignedPDU(0x01, "Error Response", .response),
        AssignedPDU(0x02, "Exchange MTU Request", .request(response: ATTOpcode(0x03))),
        AssignedPDU(0x03, "Exchange MTU Response", .response),
        AssignedPDU(0x04, "Find Information Request", .request(response: ATTOpcode(0x05))),
        AssignedPDU(0x05, "Find Information Response", .response),
        AssignedPDU(0x06, "Find By Type Value Request", .request(response: ATTOpcode(0x07))),
        AssignedPDU(0x07, "Find By Type Value Response", .response),
        AssignedPDU(0x08, "Read By Type Request", .request(response: ATTOpcode(0x09))),
        AssignedPDU(0x09, "Read By Type Response", .response),
        AssignedPDU(0x0A, "Read Request", .request(response: ATTOpcode(0x0B))),
        AssignedPDU(0x0B, "Read Response", .response),
        AssignedPDU(0x0C, "Read Blob Request", .request(response: ATTOpcode(0x0D))),
        AssignedPDU(0x0D, "Read Blob Response", .response),
        AssignedPDU(0x0E, "Read Multiple Request", .request(response: ATTOpcode(0x0F))),
        AssignedPDU(0x0F, "Read Multiple Response", .response),
        AssignedPDU(0x10, "Read By Group Type Request", .request(response: ATTOpcode(0x11))),
        AssignedPDU(0x11, "Read By Group Type Response", .response),
        AssignedPDU(0x12, "Write Request", .request(response: ATTOpcode(0x13))),
        AssignedPDU(0x13, "Write Response", .response),
        AssignedPDU(0x16, "Prepare Write Request", .request(response: ATTOpcode(0x17))),
        AssignedPDU(0x17, "Prepare Write Response", .response),
        AssignedPDU(0x18, "Execute Write Request", .request(response: ATTOpcode(0x19))),
        AssignedPDU(0x19, "Execute Write Response", .response),
        AssignedPDU(0x1B, "Handle Value Notification", .notification),
        AssignedPDU(0x1D, "Handle Value Indication", .indication),
        AssignedPDU(0x1E, "Handle Value Confirmation", .confirmation),
        AssignedPDU(0x20, "Read Multiple Variable Request", .request(response: ATTOpcode(0x21))),
        AssignedPDU(0x21, "Read Multiple Variable Response", .response),
        AssignedPDU(0x23, "Multiple Handle Value Notification", .notification),
        AssignedPDU(0x52, "Write Command", .command),
        AssignedPDU(0xD2, "Signed Write Command", .command),
    ]
}

@Suite("The catalog of PDUs (Vol 3, Part F, 3.4.8)")
struct ATTCatalogTests {
    @Test(arguments: AssignedPDU.all)
    func eachAssignedPDUIsDeclaredOnce(assigned: AssignedPDU) throws {
        let formats = ATTCatalog.formats.filter { $0.opcode.rawValue == assigned.opcode }
        #expect(formats.count == 1)
        let format = try #require(ATTCatalog.format(of: ATTOpcode(assigned.opcode)))
        #expect(format.name == assigned.name)
        #expect(format.kind == assigned.kind)
        #expect(ATTOpcode(assigned.opcode).description == assigned.name)
    }

    @Test func nothingElseIsDeclared() {
        #expect(ATTCatalog.formats.map { $0.opcode.rawValue } == AssignedPDU.all.map(\.opcode))
        for opcode in UInt8.min ... .max where !AssignedPDU.all.contains(where: { $0.opcode == opcode }) {
            #expect(ATTCatalog.format(of: ATTOpcode(opcode)) == nil)
            #expect(ATTOpcode(opcode).description == "unknown (0x\(Hex.string(opcode, minimumDigits: 2)))")
        }
    }

    @Test func flagsAreBits6And7() {
        let flags = AssignedPDU.all.map { ATTOpcode($0.opcode) }.filter { $0.isCommand || $0.isSigned }
        #expect(flags == [.writeCommand, .signedWriteCommand])
        #expect(!ATTOpcode.writeCommand.isSigned)
        #expect(ATTOpcode.signedWriteCommand.isCommand && ATTOpcode.signedWriteCommand.isSigned)
    }

    @Test func requestsExpectTheResponseThatTheCatalogNames() throws {
        for vector in try PDUVector.all() {
            guard case .client(.request(let request)) = vector.pdu else { continue }
            let kind = try #require(AssignedPDU.all.first { $0.opcode == vector.bytes[0] }).kind
            #expect(kind == .request(response: request.responseOpcode))
        }
    }

    @Test func theirRefusalNamesTheHandleTheyBeginWith() throws {
        let handles: [ATTOpcode: Handle] = [
            .exchangeMTURequest: 0x0000, .findInformationRequest: 0x0001, .findByTypeValueRequest: 0x0001,
            .readRequest: 0x0018, .readBlobRequest: 0x0018, .readMultipleRequest: 0x0003,
            .readMultipleVariableRequest: 0x0003, .readByGroupTypeRequest: 0x0001, .writeRequest: 0x0019,
            .prepareWriteRequest: 0x0007, .executeWriteRequest: 0x0000,
        ]
        for vector in try PDUVector.all() {
            guard case .client(.request(let request)) = vector.pdu, let handle = handles[request.opcode] else {
                continue
            }
            let refusal = ATTErrorResponse(requestOpcode: request.opcode, handle: handle, code: .unlikelyError)
            #expect(request.refused(.unlikelyError) == refusal, "\(vector.text)")
            #expect(request.refused(.unlikelyError, at: 0x0042).handle == 0x0042)
        }
    }

    @Test func everyFileOfPDUsCitesTheSpecification() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "Sources/Bluetooth/ATT/PDUs")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 15)
        for file in files {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let types = lines.filter { $0.hasPrefix("public struct ") }.count
            let citations = lines.filter { $0.hasPrefix("/// Spec: Core 5.4, Vol 3, Part F, 3.4.") }.count
            #expect(types >= 1 && citations >= types, "\(file.lastPathComponent): \(citations) for \(types) PDUs")
        }
    }
}
