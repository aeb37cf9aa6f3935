// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Any octets, and any PDU")
struct PDUPropertyTests {
    /// Checks that octets which decode as a PDU encode to the same octets, in every type that accepts them, and have a
    /// description of one line.
    private func check(_ bytes: [UInt8], _ comment: @autoclosure () -> String) {
        let comment = comment()
        let pdu = try? ATTPDU(decoding: bytes)
        let client = try? ATTClientPDU(decoding: bytes)
        let server = try? ATTServerPDU(decoding: bytes)
        #expect(pdu.map { $0.encoded() == bytes } ?? true, "\(comment): \(Hex.string(bytes))")
        #expect(client.map { $0.encoded() == bytes } ?? true, "\(comment): \(Hex.string(bytes))")
        #expect(server.map { $0.encoded() == bytes } ?? true, "\(comment): \(Hex.string(bytes))")
        #expect(!ATTPDU.describe(bytes).utf8.contains(UInt8(ascii: "\n")))
        switch pdu {
        case .client(let inner): #expect(inner == client, "\(comment): \(Hex.string(bytes))")
        case .server(let inner): #expect(inner == server, "\(comment): \(Hex.string(bytes))")
        case nil: break
        }
        guard let first = bytes.first else {
            #expect(pdu == nil && client == nil && server == nil)
            return
        }
        guard let format = ATTCatalog.format(of: ATTOpcode(first)) else {
            #expect(client == .unknown(ATTOpcode(first), parameters: Array(bytes.dropFirst())))
            #expect(server == .unknown(ATTOpcode(first), parameters: Array(bytes.dropFirst())))
            return
        }
        // A PDU has one direction only, and the enumerations must agree with the PDU's own type.
        #expect(client == nil || server == nil)
        #expect((pdu != nil) == ((try? format.init(decoding: bytes)) != nil), "\(comment): \(Hex.string(bytes))")
    }

    @Test func noOctetAtAllOneOctetAndTwo() {
        check([], "empty")
        for first in UInt8.min ... .max {
            check([first], "one octet")
            for second in UInt8.min ... .max { check([first, second], "two octets") }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomOctetsNeverTrap(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            var bytes = generator.octets(upTo: Int.random(in: 0...1, using: &generator) == 0 ? 24 : 520)
            if let format = ATTCatalog.formats.randomElement(using: &generator), !bytes.isEmpty {
                bytes[0] = format.opcode.rawValue
            }
            check(bytes, "seed \(seed)")
        }
    }

    @Test(arguments: [11, 12] as [UInt64])
    func mutatedVectorsNeverTrap(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let vectors = try PDUVector.all()
        for _ in 0..<5_000 {
            guard var bytes = vectors.randomElement(using: &generator)?.bytes else { continue }
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            check(bytes, "seed \(seed)")
        }
    }

    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func anyPDUSurvivesTheWire(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let pdu = try #require(ATTPDU.random(using: &generator), "seed \(seed)")
            let bytes = pdu.encoded()
            #expect(try ATTPDU(decoding: bytes) == pdu, "seed \(seed): \(pdu)")
            #expect(ATTPDU.describe(bytes) == pdu.description, "seed \(seed)")
        }
    }
}

extension ATTPDU {
    /// A random PDU of the catalog, created from its fields.
    fileprivate static func random(using generator: inout SeededGenerator) -> ATTPDU? {
        let opcode = ATTCatalog.formats.randomElement(using: &generator)?.opcode
        let range = HandleRange(generator.handle(), generator.handle())
        let handle = generator.handle()
        let offset = UInt16.random(in: .min ... .max, using: &generator)
        let value = generator.octets(upTo: 514)
        let shared = Int.random(in: 0...20, using: &generator)
        let count = Int.random(in: 1...8, using: &generator)
        let handles = (0...count).map { _ in generator.handle() }
        let values = (0..<count).map { _ in generator.octets(upTo: 20) }
        let isLong = Bool.random(using: &generator)
        let uuids = handles.map { _ in generator.uuid(isLong: isLong) }
        let uniform = handles.map { HandleValue($0, generator.exactly(shared)) }
        switch opcode {
        case .errorResponse?:
            let code = ATTErrorCode(UInt8(truncatingIfNeeded: offset))
            let request = ATTOpcode(UInt8(truncatingIfNeeded: offset >> 8))
            return .server(.error(ATTErrorResponse(requestOpcode: request, handle: handle, code: code)))
        case .exchangeMTURequest?: return .client(.request(.offeringMTU(offset)))
        case .exchangeMTUResponse?:
            return .server(.response(.exchangeMTU(ExchangeMTUResponse(serverRxMTU: offset))))
        case .findInformationRequest?:
            return .client(.request(.findInformation(FindInformationRequest(range: range))))
        case .findInformationResponse?:
            let entries = zip(handles, uuids).map { FindInformationResponse.Entry($0, $1) }
            return FindInformationResponse(entries: entries).map { .server(.response(.findInformation($0))) }
        case .findByTypeValueRequest?:
            let request = FindByTypeValueRequest(range: range, attributeType: offset, value: value)
            return .client(.request(.findByTypeValue(request)))
        case .findByTypeValueResponse?:
            let groups = handles.map { HandleRange($0, handle) }
            return FindByTypeValueResponse(groups: groups).map { .server(.response(.findByTypeValue($0))) }
        case .readByTypeRequest?:
            return .client(.request(.readByType(ReadByTypeRequest(range: range, attributeType: uuids[0]))))
        case .readByTypeResponse?:
            return ReadByTypeResponse(entries: uniform).map { .server(.response(.readByType($0))) }
        case .readRequest?: return .client(.request(.reading(handle)))
        case .readResponse?: return .server(.response(.read(ReadResponse(value: value))))
        case .readBlobRequest?:
            return .client(.request(.readBlob(ReadBlobRequest(handle: handle, offset: offset))))
        case .readBlobResponse?: return .server(.response(.readBlob(ReadBlobResponse(value: value))))
        case .readMultipleRequest?:
            return ReadMultipleRequest(handles: handles).map { .client(.request(.readMultiple($0))) }
        case .readMultipleResponse?: return .server(.response(.readMultiple(ReadMultipleResponse(values: value))))
        case .readByGroupTypeRequest?:
            return .client(.request(.readByGroupType(ReadByGroupTypeRequest(range: range, groupType: uuids[0]))))
        case .readByGroupTypeResponse?:
            let entries = uniform.map { ReadByGroupTypeResponse.Entry(HandleRange($0.handle, handle), $0.value) }
            return ReadByGroupTypeResponse(entries: entries).map { .server(.response(.readByGroupType($0))) }
        case .writeRequest?: return .client(.request(.writing(handle, value)))
        case .writeResponse?: return .server(.response(.write(WriteResponse())))
        case .prepareWriteRequest?:
            let request = PrepareWriteRequest(handle: handle, offset: offset, value: value)
            return .client(.request(.prepareWrite(request)))
        case .prepareWriteResponse?:
            let response = PrepareWriteResponse(handle: handle, offset: offset, value: value)
            return .server(.response(.prepareWrite(response)))
        case .executeWriteRequest?:
            return .client(.request(.executeWrite(ExecuteWriteRequest(flags: isLong ? .write : .cancel))))
        case .executeWriteResponse?: return .server(.response(.executeWrite(ExecuteWriteResponse())))
        case .handleValueNotification?:
            return .server(.notification(HandleValueNotification(handle: handle, value: value)))
        case .handleValueIndication?:
            return .server(.indication(HandleValueIndication(handle: handle, value: value)))
        case .handleValueConfirmation?: return .client(.confirmation)
        case .readMultipleVariableRequest?:
            return ReadMultipleVariableRequest(handles: handles).map { .client(.request(.readMultipleVariable($0))) }
        case .readMultipleVariableResponse?:
            return ReadMultipleVariableResponse(values: values, mtu: 23 + offset % 200)
                .map { .server(.response(.readMultipleVariable($0))) }
        case .multipleHandleValueNotification?:
            let pairs = zip(handles, values).map { HandleValue($0, $1) }
            return MultipleHandleValueNotification(values: pairs).map { .server(.multipleNotification($0)) }
        case .writeCommand?: return .client(.command(.write(WriteCommand(handle: handle, value: value))))
        case .signedWriteCommand?:
            return SignedWriteCommand(handle: handle, value: value, signature: generator.exactly(12))
                .map { .client(.command(.signedWrite($0))) }
        default: return nil
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func handle() -> Handle { Handle(UInt16.random(in: .min ... .max, using: &self)) }

    fileprivate mutating func exactly(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    fileprivate mutating func uuid(isLong: Bool) -> BluetoothUUID {
        isLong
            ? BluetoothUUID(bits128: UInt128.random(in: .min ... .max, using: &self))
            : BluetoothUUID(UInt16.random(in: .min ... .max, using: &self))
    }
}
