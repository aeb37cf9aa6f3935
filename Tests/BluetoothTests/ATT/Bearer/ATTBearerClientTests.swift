// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("The client on a bearer: one request at a time (Vol 3, Part F, 3.3.2)")
struct ATTBearerClientTests {
    @Test func aRequestGoesOutAndItsResponseCompletesIt() {
        var bearer = ATTBearer()
        #expect(bearer.submit(.reading(0x0003), id: 1, now: .zero) == [.sends("0A 0300")])
        #expect(bearer.received("0B 57") == [.completedRead(1, "57")])
        #expect(bearer.nextDeadline == nil)
    }

    @Test func anErrorResponseFailsTheRequestAndNothingElse() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0003), id: 1, now: .zero)
        let error = ATTErrorResponse(requestOpcode: .readRequest, handle: 0x0003, code: .insufficientAuthentication)
        #expect(bearer.received("01 0A 0300 05") == [.failed(1, .errorResponse(error))])
        #expect(!bearer.isClosed)
        #expect(bearer.submit(.reading(0x0004), id: 2, now: .zero) == [.sends("0A 0400")])
    }

    @Test func furtherRequestsWaitAndKeepTheirOrder() {
        var bearer = ATTBearer()
        #expect(bearer.submit(.reading(0x0001), id: 1, now: .zero) == [.sends("0A 0100")])
        #expect(bearer.submit(.reading(0x0002), id: 2, now: .zero) == [])
        #expect(bearer.submit(.writing(0x0003, [9]), id: 3, now: .zero) == [])
        #expect(bearer.received("0B 01") == [.completedRead(1, "01"), .sends("0A 0200")])
        #expect(bearer.received("0B 02") == [.completedRead(2, "02"), .sends("12 0300 09")])
        #expect(bearer.received("13") == [.completed(3, .success(.write(WriteResponse())))])
    }

    @Test func theLineIsBounded() {
        var bearer = ATTBearer()
        for number in 0...UInt64(ATTBearer.queueLimit) {
            _ = bearer.submit(.reading(0x0001), id: .init(rawValue: number), now: .zero)
        }
        #expect(bearer.submit(.reading(0x0001), id: 999, now: .zero) == [.failed(999, .queueFull)])
        #expect(bearer.received("0B 01") == [.completedRead(0, "01"), .sends("0A 0100")])
        #expect(bearer.submit(.reading(0x0001), id: 999, now: .zero) == [])
    }

    @Test func commandsGoAtOnceWhileARequestIsOutstanding() throws {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        let command = ATTCommand.write(WriteCommand(handle: 0x0007, value: [1, 2]))
        #expect(try bearer.submit(command) == [.sends("52 0700 0102")])
        #expect(try bearer.submit(command) == [.sends("52 0700 0102")])
        #expect(bearer.received("0B 01") == [.completedRead(1, "01")])
    }

    @Test func aNotificationDuringARequestDoesNotDisturbIt() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        let notification = HandleValueNotification(handle: 0x0018, value: [0x06, 0x48])
        #expect(bearer.received("1B 1800 0648") == [.received(.notification(notification))])
        #expect(bearer.nextDeadline == .at(30))
        #expect(bearer.received("0B 01") == [.completedRead(1, "01")])
    }

    @Test func aMultipleValueNotificationIsHandedOn() throws {
        var bearer = ATTBearer()
        let values = [HandleValue(0x0018, [1]), HandleValue(0x0019, [])]
        let notification = try #require(MultipleHandleValueNotification(values: values))
        #expect(bearer.received("23 1800 0100 01 1900 0000") == [.received(.multipleNotification(notification))])
    }

    @Test func anIndicationIsConfirmedByTheBearer() {
        var bearer = ATTBearer()
        let indication = HandleValueIndication(handle: 0x0018, value: [7])
        #expect(bearer.received("1D 1800 07") == [.sends("1E"), .received(.indication(indication))])
        // GAI/BI-01: a second indication without a pause.
        #expect(bearer.received("1D 1800 07") == [.sends("1E"), .received(.indication(indication))])
    }

    @Test func aPDULongerThanTheMTUFailsBeforeAnythingIsSent() {
        var bearer = ATTBearer()
        let value = [UInt8](repeating: 0xAA, count: 21)
        #expect(
            bearer.submit(.writing(0x0001, value), id: 1, now: .zero) == [.failed(1, .tooLong(octets: 24, mtu: 23))]
        )
        #expect(bearer.nextDeadline == nil)
        let fitting = [UInt8](repeating: 0xAA, count: 20)
        #expect(bearer.submit(.writing(0x0001, fitting), id: 2, now: .zero).count == 1)
        #expect(bearer.nextDeadline == .at(30))
        #expect(throws: ATTFailure.tooLong(octets: 24, mtu: 23)) {
            try bearer.submit(.write(WriteCommand(handle: 0x0001, value: value)))
        }
    }

    @Test func aRequestInLineIsMeasuredWhenItsTurnComes() {
        var bearer = ATTBearer()
        let value = [UInt8](repeating: 0xAA, count: 97)
        #expect(bearer.submit(.offeringMTU(517), id: 1, now: .zero) == [.sends("02 0502")])
        #expect(bearer.submit(.writing(0x0001, value), id: 2, now: .zero) == [])
        #expect(bearer.submit(.writing(0x0001, value + [0]), id: 3, now: .zero) == [])
        #expect(bearer.submit(.reading(0x0001), id: 4, now: .zero) == [])
        let response = ATTResponse.exchangeMTU(ExchangeMTUResponse(serverRxMTU: 100))
        let write = ATTRequest.writing(0x0001, value).encoded()
        #expect(bearer.received("03 6400") == [.completed(1, .success(response)), .send(write)])
        #expect(
            bearer.received("13") == [
                .completed(2, .success(.write(WriteResponse()))),
                .failed(3, .tooLong(octets: 101, mtu: 100)),
                .sends("0A 0100"),
            ]
        )
    }
}

@Suite("Cancelled requests")
struct ATTBearerCancelTests {
    @Test func oneInLineIsDropped() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.submit(.reading(0x0002), id: 2, now: .zero)
        _ = bearer.submit(.reading(0x0003), id: 3, now: .zero)
        #expect(bearer.cancel(2) == [.failed(2, .cancelled)])
        #expect(bearer.cancel(2) == [])
        #expect(bearer.received("0B 01") == [.completedRead(1, "01"), .sends("0A 0300")])
    }

    @Test func theLateAnswerToOneOnTheWireIsSwallowedBeforeTheNextGoesOut() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        #expect(bearer.cancel(1) == [.failed(1, .cancelled)])
        #expect(bearer.cancel(1) == [])
        #expect(bearer.submit(.reading(0x0002), id: 2, now: .at(1)) == [])
        #expect(bearer.nextDeadline == .at(30))
        #expect(bearer.received("0B 01", at: .at(2)) == [.report(.lateAnswer(.readResponse)), .sends("0A 0200")])
        #expect(bearer.nextDeadline == .at(32))
        #expect(bearer.received("0B 02", at: .at(3)) == [.completedRead(2, "02")])
    }

    @Test func aLateErrorIsSwallowedToo() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.cancel(1)
        #expect(bearer.received("01 0A 0100 0A") == [.report(.lateAnswer(.errorResponse))])
        #expect(bearer.submit(.reading(0x0002), id: 2, now: .zero) == [.sends("0A 0200")])
    }

    @Test func oneThatIsNeverAnsweredEndsTheBearerLikeAnyOther() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.submit(.reading(0x0002), id: 2, now: .zero)
        _ = bearer.cancel(1)
        #expect(bearer.timerFired(now: .at(30)) == [.failed(2, .timedOut), .close(.timedOut)])
    }

    @Test func theMTUHoldsEvenWhereNobodyWaitsForTheExchangeAnyMore() {
        var bearer = ATTBearer()
        _ = bearer.submit(.offeringMTU(517), id: 1, now: .zero)
        _ = bearer.cancel(1)
        #expect(bearer.received("03 F700") == [.report(.lateAnswer(.exchangeMTUResponse))])
        #expect(bearer.mtu == 247)
    }

    @Test func anExchangeTakenBackBeforeItWentOutMayBeMadeLater() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.submit(.offeringMTU(517), id: 2, now: .zero)
        _ = bearer.cancel(2)
        _ = bearer.received("0B 01")
        #expect(bearer.submit(.offeringMTU(517), id: 3, now: .zero) == [.sends("02 0502")])
    }

    @Test func anUnknownNumberChangesNothing() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.received("0B 01")
        #expect(bearer.cancel(1) == [])
        #expect(bearer.cancel(7) == [])
    }
}
