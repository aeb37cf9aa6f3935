// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Servers that break the rules of a bearer")
struct ATTBearerSloppyPeerTests {
    private func error(_ opcode: UInt8, _ handle: Handle, _ code: UInt8) -> ATTErrorResponse {
        ATTErrorResponse(requestOpcode: ATTOpcode(opcode), handle: handle, code: ATTErrorCode(code))
    }

    // MARK: - Devices that must work

    /// BlueZ issue 2486: a curtain motor that answers the MTU exchange twice.
    @Test func aDuplicateMTUResponseIsIgnored() {
        var bearer = ATTBearer.exchanged(247)
        #expect(bearer.received("03 F700") == [.report(.duplicateMTUResponse)])
        _ = bearer.submit(.discovering, id: 1, now: .zero)
        #expect(bearer.received("03 1700") == [.report(.duplicateMTUResponse)])
        #expect(bearer.mtu == 247)
        #expect(bearer.received("01 10 0100 0A") == [.failed(1, .errorResponse(error(0x10, 0x0001, 0x0A)))])
    }

    /// The same motor. It sends two Error Responses, the second one during the next request.
    @Test func aLateErrorAboutARequestAnsweredBeforeIsIgnored() {
        var bearer = ATTBearer()
        let request = ReadByTypeRequest(range: .all, attributeType: 0x2B3A)
        _ = bearer.submit(.readByType(request), id: 1, now: .zero)
        _ = bearer.received("01 08 0100 0A")
        _ = bearer.submit(.discovering, id: 2, now: .zero)
        #expect(bearer.received("01 08 0100 0A") == [.report(.lateError(error(0x08, 0x0001, 0x0A)))])
        #expect(bearer.nextDeadline == .at(30))
        #expect(bearer.received("01 10 0100 0A") == [.failed(2, .errorResponse(error(0x10, 0x0001, 0x0A)))])
    }

    @Test(arguments: ["0B 01", "13", "01 0A 0100 0A", "09", "03 1700"])
    func aResponseToNoRequestIsIgnored(pdu: String) {
        var bearer = ATTBearer()
        #expect(bearer.received(pdu) == [.report(.unsolicitedResponse(ATTOpcode(octets(pdu)[0])))])
        #expect(bearer.submit(.reading(0x0001), id: 1, now: .zero) == [.sends("0A 0100")])
    }

    /// CircuitPython before its pull request 11145: handle 0x0000 and code 0x00 in every Error Response.
    @Test func anErrorWithoutACodeIsAnError() {
        var bearer = ATTBearer()
        _ = bearer.submit(.readByType(ReadByTypeRequest(range: .all, attributeType: 0x2B3A)), id: 1, now: .zero)
        let error = error(0x08, 0x0000, 0x00)
        #expect(
            bearer.received("01 08 0000 00") == [.report(.errorWithoutCode(error)), .failed(1, .errorResponse(error))]
        )
        #expect(!bearer.isClosed)
    }

    @Test(arguments: ["01 00 0000 0A", "01 0C 0300 0A", "01 01 0000 0A", "01 0B 0300 0A", "01 FF FFFF 0A"])
    func anErrorAboutARequestNeverMadeMeansTheOneOutstanding(pdu: String) throws {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        let error = try ATTErrorResponse(decoding: octets(pdu))
        #expect(
            bearer.received(pdu) == [
                .report(.misnamedError(error, takenFor: .readRequest)), .failed(1, .errorResponse(error)),
            ]
        )
    }

    @Test func theEmptiestOfErrorsAnswersToo() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        let error = error(0x00, 0x0000, 0x00)
        #expect(
            bearer.received("01 00 0000 00") == [
                .report(.misnamedError(error, takenFor: .readRequest)), .report(.errorWithoutCode(error)),
                .failed(1, .errorResponse(error)),
            ]
        )
    }

    @Test func requestsOfThePeerInTheMiddleOfOursAreAnswered() {
        var bearer = ATTBearer()
        _ = bearer.submit(.discovering, id: 1, now: .zero)
        #expect(bearer.received("02 0502") == [.sends("03 0502")])
        #expect(bearer.received("10 0100 FFFF 0028") == [.sends("01 10 0100 0A")])
        #expect(bearer.received("01 10 0100 0A") == [.failed(1, .errorResponse(error(0x10, 0x0001, 0x0A)))])
    }

    // MARK: - Invalid responses

    @Test(arguments: [
        ("09 00 0100", DecodeError("length", .invalid(value: 0))),
        ("09 01 0100", DecodeError("length", .invalid(value: 1))),
        ("09 04 0100 AABB 02", DecodeError("attribute data list", .truncated(needed: 4, available: 1))),
        ("09 FF 0100 AABB", DecodeError("attribute data list", .truncated(needed: 255, available: 4))),
        ("09 04", DecodeError("attribute data list", .truncated(needed: 4, available: 0))),
        ("09", DecodeError("length", .truncated(needed: 1, available: 0))),
        ("01 08 0100", DecodeError("error code", .truncated(needed: 1, available: 0))),
        ("01", DecodeError("request opcode in error", .truncated(needed: 1, available: 0))),
    ])
    func anAnswerThatCannotBeReadFailsItsRequestAndTheNextOneGoesOn(pdu: String, problem: DecodeError) {
        var bearer = ATTBearer()
        _ = bearer.submit(.readByType(ReadByTypeRequest(range: .all, attributeType: 0x2A19)), id: 1, now: .zero)
        _ = bearer.submit(.reading(0x0003), id: 2, now: .zero)
        let invalid = ATTInvalidResponse(request: .readByTypeRequest, problem: .malformed(problem), octets: octets(pdu))
        #expect(bearer.received(pdu) == [.failed(1, .invalidResponse(invalid)), .sends("0A 0300")])
        #expect(bearer.received("0B 01") == [.completedRead(2, "01")])
    }

    /// The link is older than the bearer, and another program has agreed on a larger MTU.
    @Test func whatIsLongerThanTheMTUButCanBeReceivedIsTaken() {
        var bearer = ATTBearer(maximumMTU: 517)
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        let value = [UInt8](repeating: 7, count: 516)
        let completed = ATTBearer.Action.completed(1, .success(.read(ReadResponse(value: value))))
        #expect(bearer.pduReceived([0x0B] + value, now: .zero) == [completed])
        let told = HandleValueNotification(handle: 0x0001, value: Array(value.dropLast(2)))
        #expect(bearer.pduReceived([0x1B, 0x01, 0x00] + told.value, now: .zero) == [.received(.notification(told))])
        #expect(bearer.mtu == 23)
    }

    @Test func anAnswerLongerThanWhatIsOfferedFailsItsRequest() {
        var bearer = ATTBearer(maximumMTU: 23)
        let request = ATTRequest.readByType(ReadByTypeRequest(range: .all, attributeType: 0x2A00))
        _ = bearer.submit(request, id: 1, now: .zero)
        let pdu = [0x09, 0x16] + [UInt8](repeating: 7, count: 22)
        let problem = ATTInvalidResponse.Problem.tooLong(octets: 24, limit: 23)
        let invalid = ATTInvalidResponse(request: .readByTypeRequest, problem: problem, octets: pdu)
        #expect(bearer.pduReceived(pdu, now: .zero) == [.failed(1, .invalidResponse(invalid))])
        #expect(invalid.firstOctets.count == 16)
        #expect(!bearer.isClosed)
    }

    /// The server in GAR/CL/BV-04-C/512B of BlueZ's tests sends 513 octets although 512 were agreed on.
    @Test func aValueLongerThanWhatIsOfferedIsTakenAsFarAsThat() {
        var bearer = ATTBearer(maximumMTU: 23)
        let value = [UInt8](0..<23)
        let part = Array(value.dropLast())
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        #expect(
            bearer.pduReceived([0x0B] + value, now: .zero) == [
                .report(.valueCut(.readResponse, octets: 24, limit: 23)),
                .completed(1, .success(.read(ReadResponse(value: part)))),
            ]
        )
        _ = bearer.submit(.readBlob(ReadBlobRequest(handle: 0x0003, offset: 22)), id: 2, now: .zero)
        #expect(
            bearer.pduReceived([0x0D] + value, now: .zero) == [
                .report(.valueCut(.readBlobResponse, octets: 24, limit: 23)),
                .completed(2, .success(.readBlob(ReadBlobResponse(value: part)))),
            ]
        )
    }

    @Test func aResponseToAnotherRequestEndsTheBearer() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        _ = bearer.submit(.reading(0x0004), id: 2, now: .zero)
        let invalid = ATTFailure.invalidResponse(
            ATTInvalidResponse(request: .readRequest, problem: .wrongOpcode, octets: [0x13])
        )
        #expect(bearer.received("13") == [.failed(1, invalid), .failed(2, invalid), .close(invalid)])
        #expect(bearer.isClosed)
    }

    @Test func anMTUResponseWithoutAnExchangeIsAResponseToAnotherRequest() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        let pdu = octets("03 1700")
        let invalid = ATTFailure.invalidResponse(
            ATTInvalidResponse(request: .readRequest, problem: .wrongOpcode, octets: pdu)
        )
        #expect(bearer.pduReceived(pdu, now: .zero) == [.failed(1, invalid), .close(invalid)])
    }

    // MARK: - Invalid PDUs

    @Test func anEmptyPDUIsDropped() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        #expect(bearer.received("") == [.report(.emptyPDU)])
        #expect(bearer.nextDeadline == .at(30))
    }

    @Test(arguments: ["1B", "1B 01", "23", "23 0100", "23 0100 0500 AA"])
    func aTruncatedNotificationIsDropped(pdu: String) {
        var bearer = ATTBearer()
        let actions = bearer.received(pdu)
        #expect(actions.count == 1)
        guard case .report(.malformedPDU(let opcode, _)) = actions.first else {
            Issue.record("not reported: \(actions)")
            return
        }
        #expect(opcode.rawValue == octets(pdu)[0])
    }

    @Test(arguments: ["1D", "1D 01"])
    func aTruncatedIndicationIsConfirmedAndDropped(pdu: String) {
        var bearer = ATTBearer()
        let problem = DecodeError("attribute handle", .truncated(needed: 2, available: octets(pdu).count - 1))
        #expect(
            bearer.received(pdu) == [.sends("1E"), .report(.malformedPDU(.handleValueIndication, problem))]
        )
    }

    @Test func anOversizedIndicationIsConfirmedAndDropped() {
        var bearer = ATTBearer(maximumMTU: 23)
        let pdu = [0x1D, 0x01, 0x00] + [UInt8](repeating: 7, count: 21)
        let problem = ATTDiagnostic.oversizedPDU(.handleValueIndication, octets: 24, limit: 23)
        #expect(bearer.pduReceived(pdu, now: .zero) == [.sends("1E"), .report(problem)])
    }
}
