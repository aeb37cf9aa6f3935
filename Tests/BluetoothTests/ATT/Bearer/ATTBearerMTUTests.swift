// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("The MTU of a bearer (Vol 3, Part F, 3.4.2)")
struct ATTBearerMTUTests {
    @Test(arguments: [0, 1, 22, 23, 24, 247, 516, 517, 518, 65535] as [UInt16])
    func theSmallerOfBothHoldsButNeverLessThan23(theirs: UInt16) {
        let expected = max(23, min(517, theirs))
        var client = ATTBearer(maximumMTU: 517)
        _ = client.submit(.offeringMTU(517), id: 1, now: .zero)
        #expect(client.mtu == 23)
        let response = ExchangeMTUResponse(serverRxMTU: theirs)
        #expect(
            client.pduReceived(response.encoded(), now: .zero) == [.completed(1, .success(.exchangeMTU(response)))]
        )
        #expect(client.mtu == expected)

        for server in [ATTBearer.Server.none, .attached] {
            var bearer = ATTBearer(maximumMTU: 517, server: server)
            let request = ATTRequest.offeringMTU(theirs)
            #expect(bearer.pduReceived(request.encoded(), now: .zero) == [.sends("03 0502")])
            #expect(bearer.mtu == expected)
        }
    }

    @Test func anOfferBelow23Counts23() {
        #expect(ATTBearer(maximumMTU: 5).maximumMTU == 23)
    }

    @Test func theClientAsksOnce() {
        var bearer = ATTBearer()
        _ = bearer.submit(.offeringMTU(517), id: 1, now: .zero)
        #expect(bearer.submit(.offeringMTU(517), id: 2, now: .zero) == [.failed(2, .mtuAlreadyExchanged)])
        _ = bearer.received("03 F700")
        #expect(bearer.submit(.offeringMTU(517), id: 3, now: .zero) == [.failed(3, .mtuAlreadyExchanged)])
    }

    @Test func theClientAsksOnceEvenWhereTheExchangeWasRefused() {
        var bearer = ATTBearer()
        _ = bearer.submit(.offeringMTU(517), id: 1, now: .zero)
        _ = bearer.received("01 02 0000 06")
        #expect(bearer.mtu == 23)
        #expect(bearer.submit(.offeringMTU(517), id: 2, now: .zero) == [.failed(2, .mtuAlreadyExchanged)])
    }

    @Test func twoExchangesInLineAreOneTooMany() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        #expect(bearer.submit(.offeringMTU(517), id: 2, now: .zero) == [])
        #expect(bearer.submit(.offeringMTU(517), id: 3, now: .zero) == [.failed(3, .mtuAlreadyExchanged)])
    }

    @Test func aTruncatedResponseFailsTheExchange() {
        var bearer = ATTBearer()
        _ = bearer.submit(.offeringMTU(517), id: 1, now: .zero)
        let invalid = ATTInvalidResponse(
            request: .exchangeMTURequest,
            problem: .malformed(DecodeError("server Rx MTU", .truncated(needed: 2, available: 1))),
            octets: [0x03, 0xF7]
        )
        #expect(bearer.received("03 F7") == [.failed(1, .invalidResponse(invalid))])
        #expect(bearer.mtu == 23)
    }

    @Test func bothDevicesMayAskAndAgree() {
        var bearer = ATTBearer(maximumMTU: 517)
        _ = bearer.submit(.offeringMTU(517), id: 1, now: .zero)
        #expect(bearer.received("02 F700") == [.sends("03 0502")])
        #expect(bearer.mtu == 247)
        _ = bearer.received("03 F700")
        #expect(bearer.mtu == 247)
    }

    /// An earbud that offers 679 as client and 103 as server, and sends with the larger MTU (BlueZ issue 2224).
    @Test func aDeviceThatNamesTwoSizesGetsTheSmallerAndMaySendTheLarger() {
        var bearer = ATTBearer(maximumMTU: 517)
        _ = bearer.received("02 A702")
        #expect(bearer.mtu == 517)
        _ = bearer.submit(.offeringMTU(517), id: 1, now: .zero)
        _ = bearer.received("03 6700")
        #expect(bearer.mtu == 103)
        _ = bearer.submit(.reading(0x0001), id: 2, now: .zero)
        let value = [UInt8](repeating: 7, count: 516)
        let completed = ATTBearer.Action.completed(2, .success(.read(ReadResponse(value: value))))
        #expect(bearer.pduReceived([0x0B] + value, now: .zero) == [completed])
    }

    @Test func aRepeatedRequestIsAnsweredLikeTheFirst() {
        var bearer = ATTBearer(maximumMTU: 247)
        #expect(bearer.received("02 6400") == [.sends("03 F700")])
        #expect(bearer.received("02 0502") == [.report(.repeatedMTURequest), .sends("03 F700")])
        #expect(bearer.mtu == 100)
    }

    /// Vol 3, Part F, 3.4.2.2: the response to a request before the end of an exchange has the MTU before it.
    @Test func aResponseHasTheMTUAtTheTimeOfItsRequest() {
        var bearer = ATTBearer(maximumMTU: 517)
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.submit(.reading(0x0002), id: 2, now: .zero)
        #expect(bearer.received("02 F700") == [.sends("03 0502")])
        #expect(bearer.received("0B 07") == [.completedRead(1, "07"), .sends("0A 0200")])
        #expect(bearer.responseMTU == 23)
        #expect(bearer.mtu == 247)
        #expect(bearer.received("0B 07") == [.completedRead(2, "07")])
        #expect(bearer.responseMTU == 247)
    }

    @Test func aSizeThatShrinksDuringARequestHoldsForItsResponse() {
        var bearer = ATTBearer(maximumMTU: 517)
        _ = bearer.received("02 F700")
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.received("02 6400")
        _ = bearer.received("0B 07")
        #expect(bearer.responseMTU == 100)
    }

    @Test func nothingLongerThanWhatIsOfferedIsTaken() {
        var bearer = ATTBearer(maximumMTU: 100)
        let notification = [0x1B, 0x01, 0x00] + [UInt8](repeating: 7, count: 97)
        #expect(
            bearer.pduReceived(notification, now: .zero) == [
                .received(.notification(HandleValueNotification(handle: 0x0001, value: Array(notification[3...]))))
            ]
        )
        let problem = ATTDiagnostic.oversizedPDU(.handleValueNotification, octets: 101, limit: 100)
        #expect(bearer.pduReceived(notification + [7], now: .zero) == [.report(problem)])
    }

    @Test func aValueOfMoreThan512OctetsIsHandedOnForTheOwnerToJudge() {
        var bearer = ATTBearer.exchanged(517)
        let value = [UInt8](repeating: 7, count: 514)
        #expect(
            bearer.pduReceived([0x1B, 0x01, 0x00] + value, now: .zero) == [
                .received(.notification(HandleValueNotification(handle: 0x0001, value: value)))
            ]
        )
    }
}
