// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("The server on a bearer: the peer's requests (Vol 3, Part F, 3.3)")
struct ATTBearerServerTests {
    @Test func aRequestIsHandedOutAndTheAnswerSent() {
        var bearer = ATTBearer(server: .attached)
        #expect(bearer.received("0A 0300") == [.serve(.request(.reading(0x0003)))])
        #expect(bearer.respond(.success(.read(ReadResponse(value: [0x57])))) == [.sends("0B 57")])
        #expect(bearer.received("0A 0400") == [.serve(.request(.reading(0x0004)))])
        let error = ATTRequest.reading(0x0004).refused(.readNotPermitted)
        #expect(bearer.respond(.failure(error)) == [.sends("01 0A 0400 02")])
    }

    @Test func aCommandIsHandedOutAtOnce() {
        var bearer = ATTBearer(server: .attached)
        _ = bearer.received("0A 0300")
        let command = WriteCommand(handle: 0x0007, value: [1])
        #expect(bearer.received("52 0700 01") == [.serve(.command(.write(command)))])
    }

    // GAR/BI-45: a second request before the answer to the first.
    @Test func requestsThatComeTooEarlyAreServedInTheirOrder() {
        var bearer = ATTBearer(server: .attached)
        #expect(bearer.received("0A 0100") == [.serve(.request(.reading(0x0001)))])
        #expect(bearer.received("0A 0200") == [.report(.pipelinedRequest(.readRequest))])
        #expect(
            bearer.received("BF 00") == [
                .report(.unknownRequest(ATTOpcode(0xBF))), .report(.pipelinedRequest(ATTOpcode(0xBF))),
            ]
        )
        #expect(bearer.received("02 F700") == [.report(.pipelinedRequest(.exchangeMTURequest))])
        #expect(bearer.received("0A 0500") == [.report(.pipelinedRequest(.readRequest))])
        #expect(bearer.mtu == 23)
        #expect(
            bearer.respond(.success(.read(ReadResponse(value: [1])))) == [
                .sends("0B 01"), .serve(.request(.reading(0x0002))),
            ]
        )
        #expect(
            bearer.respond(.success(.read(ReadResponse(value: [2])))) == [
                .sends("0B 02"), .sends("01 BF 0000 06"), .sends("03 0502"), .serve(.request(.reading(0x0005))),
            ]
        )
        #expect(bearer.mtu == 247)
    }

    @Test func tooManyOfThemAreDropped() {
        var bearer = ATTBearer(server: .attached)
        _ = bearer.received("0A 0100")
        var waiting = 0
        while bearer.received("0A 0200") == [.report(.pipelinedRequest(.readRequest))], waiting < 1000 { waiting += 1 }
        #expect(waiting == 8)
        #expect(bearer.received("0A 0300") == [.report(.requestDropped(.readRequest))])
        #expect(bearer.received("BF") == [.report(.requestDropped(ATTOpcode(0xBF)))])
        var served = 0
        while bearer.respond(.success(.read(ReadResponse(value: [])))).count == 2, served < 1000 { served += 1 }
        #expect(served == 8)
        #expect(bearer.received("0A 0400") == [.serve(.request(.reading(0x0004)))])
    }

    @Test(arguments: ["00", "14", "15 0100", "1A", "1F 00", "22", "24", "3F", "80", "92 0100", "BF 00", "8A0300"])
    func anUnknownRequestIsNotSupported(pdu: String) {
        for server in [ATTBearer.Server.none, .attached] {
            var bearer = ATTBearer(server: server)
            let opcode = ATTOpcode(octets(pdu)[0])
            #expect(
                bearer.received(pdu) == [
                    .report(.unknownRequest(opcode)), .send([0x01, opcode.rawValue, 0x00, 0x00, 0x06]),
                ]
            )
        }
    }

    @Test(arguments: ["40", "4A 0300", "53", "7F", "C0", "D3 0102030405060708090A0B0C", "FF 00"])
    func anUnknownCommandIsIgnored(pdu: String) {
        for server in [ATTBearer.Server.none, .attached] {
            var bearer = ATTBearer(server: server)
            #expect(bearer.received(pdu) == [.report(.unknownCommand(ATTOpcode(octets(pdu)[0])))])
        }
    }

    @Test(arguments: [
        "0A", "0A 03", "0A 0300 00", "08 0100 FFFF 0028 00", "0E 0300", "0E 0300 04", "18 02", "02", "18",
    ])
    func aRequestThatCannotBeReadIsAnInvalidPDU(pdu: String) {
        for server in [ATTBearer.Server.none, .attached] {
            var bearer = ATTBearer(server: server)
            let opcode = octets(pdu)[0]
            let actions = bearer.received(pdu)
            #expect(actions.last == .send([0x01, opcode, 0x00, 0x00, 0x04]))
            #expect(actions.count == 2)
        }
    }

    @Test func aRequestLongerThanWhatIsOfferedIsAnInvalidPDU() {
        var bearer = ATTBearer(maximumMTU: 23, server: .attached)
        let pdu = [0x12, 0x03, 0x00] + [UInt8](repeating: 7, count: 21)
        #expect(
            bearer.pduReceived(pdu, now: .zero) == [
                .report(.oversizedPDU(.writeRequest, octets: 24, limit: 23)), .sends("01 12 0000 04"),
            ]
        )
    }

    @Test func aCommandThatIsTooLongOrCannotBeReadIsDropped() {
        var bearer = ATTBearer(maximumMTU: 23, server: .attached)
        let pdu = [0x52, 0x03, 0x00] + [UInt8](repeating: 7, count: 21)
        #expect(
            bearer.pduReceived(pdu, now: .zero) == [.report(.oversizedPDU(.writeCommand, octets: 24, limit: 23))]
        )
        let problem = DecodeError("attribute handle", .truncated(needed: 2, available: 1))
        #expect(bearer.received("52 03") == [.report(.malformedPDU(.writeCommand, problem))])
    }

    @Test func aSignedWriteIsIgnoredForWantOfAKey() {
        for server in [ATTBearer.Server.none, .attached] {
            var bearer = ATTBearer(server: server)
            #expect(
                bearer.received("D2 0700 01 000000000000000000000000") == [.report(.signedWriteIgnored(0x0007))]
            )
        }
    }

    @Test func everyOpcodeOfEveryLengthGetsWhatIsDue() {
        for opcode in UInt8.min ... .max {
            for length in 1...24 {
                for fill in [0x00, 0x01, 0xFF] as [UInt8] {
                    let pdu = [opcode] + [UInt8](repeating: fill, count: length - 1)
                    var bearer = ATTBearer(maximumMTU: 23)
                    let sent = bearer.pduReceived(pdu, now: .zero).compactMap { action -> [UInt8]? in
                        if case .send(let bytes) = action { bytes } else { nil }
                    }
                    let isRight =
                        switch ATTCatalog.format(of: ATTOpcode(opcode))?.kind {
                        case .request(let response):
                            sent.count == 1
                                && (sent[0].starts(with: [0x01, opcode]) && sent[0].count == 5
                                    || sent[0][0] == response.rawValue)
                        case nil where opcode & 0x40 == 0: sent == [[0x01, opcode, 0x00, 0x00, 0x06]]
                        case .indication: sent == [[0x1E]]
                        case .command, .confirmation, .response, .notification, nil: sent == []
                        }
                    #expect(isRight, "\(Hex.string(pdu)) got \(sent.map { Hex.string($0) })")
                    #expect(!bearer.isClosed)
                }
            }
        }
    }

    // MARK: - Answers of the local server that cannot be sent

    @Test func anAnswerToAnotherRequestBecomesUnlikelyError() {
        var bearer = ATTBearer(server: .attached)
        _ = bearer.received("0A 0300")
        #expect(
            bearer.respond(.success(.write(WriteResponse()))) == [
                .report(.answerReplaced(.writeResponse, request: .readRequest)), .sends("01 0A 0300 0E"),
            ]
        )
    }

    @Test func anAnswerLongerThanTheMTUBecomesUnlikelyError() {
        var bearer = ATTBearer(server: .attached)
        _ = bearer.received("0A 0300")
        #expect(
            bearer.respond(.success(.read(ReadResponse(value: [UInt8](repeating: 7, count: 23))))) == [
                .report(.answerReplaced(.readResponse, request: .readRequest)), .sends("01 0A 0300 0E"),
            ]
        )
    }

    @Test func anErrorNamesTheRequestThatWasMade() {
        var bearer = ATTBearer(server: .attached)
        _ = bearer.received("0A 0300")
        let error = ATTErrorResponse(requestOpcode: .writeRequest, handle: 0x0004, code: .unlikelyError)
        #expect(bearer.respond(.failure(error)) == [.sends("01 0A 0400 0E")])
    }

    @Test func anAnswerToNoRequestIsNotSent() {
        var bearer = ATTBearer(server: .attached)
        #expect(bearer.respond(.success(.write(WriteResponse()))) == [.report(.answerWithoutRequest)])
        _ = bearer.received("0A 0300")
        _ = bearer.respond(.success(.read(ReadResponse(value: []))))
        #expect(bearer.respond(.success(.read(ReadResponse(value: [])))) == [.report(.answerWithoutRequest)])
    }

    // MARK: - Without a server

    @Test(arguments: [
        ("04 0500 FFFF", "01 04 0500 0A"), ("06 0500 FFFF 0028 0D18", "01 06 0500 0A"),
        ("08 0500 FFFF 192A", "01 08 0500 0A"), ("10 0500 FFFF 0028", "01 10 0500 0A"),
        ("04 0000 FFFF", "01 04 0000 01"), ("08 0200 0100 192A", "01 08 0200 01"),
        ("06 0200 0100 0028", "01 06 0200 01"), ("10 0000 0000 0028", "01 10 0000 01"),
        ("0A 0300", "01 0A 0300 06"), ("0C 0300 0000", "01 0C 0300 06"), ("0E 0300 0400", "01 0E 0300 06"),
        ("20 0300 0400", "01 20 0300 06"), ("12 0300 01", "01 12 0300 06"), ("16 0300 0000 01", "01 16 0300 06"),
        ("18 01", "01 18 0000 06"), ("02 0502", "03 0502"),
    ])
    func theBearerAnswersAsAnEmptyDatabase(request: String, answer: String) {
        var bearer = ATTBearer()
        #expect(bearer.received(request) == [.sends(answer)])
        #expect(bearer.received("52 0700 01") == [])
    }
}

@Suite("Notifications and indications of our server (Vol 3, Part F, 3.4.7)")
struct ATTBearerPushTests {
    private func indication(_ value: UInt8) -> HandleValueIndication {
        HandleValueIndication(handle: 0x0018, value: [value])
    }

    @Test func notificationsGoAtOnce() throws {
        var bearer = ATTBearer()
        _ = bearer.submitIndication(indication(1), id: 1, now: .zero)
        let notification = HandleValueNotification(handle: 0x0018, value: [7])
        #expect(try bearer.submitNotification(notification) == [.sends("1B 1800 07")])
        let values = try #require(MultipleHandleValueNotification(values: [HandleValue(0x0018, [7])]))
        #expect(try bearer.submitNotification(values) == [.sends("23 1800 0100 07")])
    }

    @Test func aNotificationLongerThanTheMTUIsNotSent() {
        var bearer = ATTBearer()
        let value = [UInt8](repeating: 7, count: 21)
        #expect(throws: ATTFailure.tooLong(octets: 24, mtu: 23)) {
            try bearer.submitNotification(HandleValueNotification(handle: 0x0018, value: value))
        }
        #expect(
            bearer.submitIndication(HandleValueIndication(handle: 0x0018, value: value), id: 1, now: .zero)
                == [.indicationFailed(1, .tooLong(octets: 24, mtu: 23))]
        )
        #expect(bearer.nextDeadline == nil)
    }

    @Test func oneIndicationIsOutstandingTheOthersWait() {
        var bearer = ATTBearer()
        #expect(bearer.submitIndication(indication(1), id: 1, now: .zero) == [.sends("1D 1800 01")])
        #expect(bearer.submitIndication(indication(2), id: 2, now: .zero) == [])
        #expect(bearer.submitIndication(indication(3), id: 3, now: .zero) == [])
        #expect(bearer.received("1E", at: .at(1)) == [.indicationConfirmed(1), .sends("1D 1800 02")])
        #expect(bearer.nextDeadline == .at(31))
        #expect(bearer.received("1E", at: .at(2)) == [.indicationConfirmed(2), .sends("1D 1800 03")])
        #expect(bearer.received("1E", at: .at(3)) == [.indicationConfirmed(3)])
        #expect(bearer.nextDeadline == nil)
    }

    @Test func theLineOfIndicationsIsBounded() {
        var bearer = ATTBearer()
        for number in 0...UInt64(ATTBearer.queueLimit) {
            _ = bearer.submitIndication(indication(1), id: .init(rawValue: number), now: .zero)
        }
        #expect(bearer.submitIndication(indication(1), id: 999, now: .zero) == [.indicationFailed(999, .queueFull)])
    }

    @Test func requestsAndIndicationsDoNotWaitForEachOther() {
        var bearer = ATTBearer()
        _ = bearer.submitIndication(indication(1), id: 1, now: .zero)
        #expect(bearer.submit(.reading(0x0001), id: 2, now: .zero) == [.sends("0A 0100")])
        #expect(bearer.received("0B 01") == [.completedRead(2, "01")])
        #expect(bearer.received("1E") == [.indicationConfirmed(1)])
    }

    @Test func aConfirmationOfNothingIsIgnored() {
        var bearer = ATTBearer()
        #expect(bearer.received("1E") == [.report(.unexpectedConfirmation)])
    }

    @Test func aConfirmationWithOctetsBehindItIsOne() {
        var bearer = ATTBearer()
        _ = bearer.submitIndication(indication(1), id: 1, now: .zero)
        #expect(bearer.received("1E 00") == [.indicationConfirmed(1)])
    }

    @Test func theConfirmationOfOneTakenBackIsSwallowedBeforeTheNextGoesOut() {
        var bearer = ATTBearer()
        _ = bearer.submitIndication(indication(1), id: 1, now: .zero)
        _ = bearer.submitIndication(indication(2), id: 2, now: .zero)
        _ = bearer.submitIndication(indication(3), id: 3, now: .zero)
        #expect(bearer.cancel(1) == [.indicationFailed(1, .cancelled)])
        #expect(bearer.cancel(2) == [.indicationFailed(2, .cancelled)])
        #expect(
            bearer.received("1E") == [.report(.lateAnswer(.handleValueConfirmation)), .sends("1D 1800 03")]
        )
    }
}
