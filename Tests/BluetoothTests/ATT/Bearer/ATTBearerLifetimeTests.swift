// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("The end of a bearer: 30 s (Vol 3, Part F, 3.3.3), close, channel gone")
struct ATTBearerLifetimeTests {
    private static let justBefore = Instant.at(30) + .nanoseconds(-1)

    /// A bearer with an outstanding request and two waiting ones, and an outstanding and a waiting indication.
    private func busyBearer() -> ATTBearer {
        var bearer = ATTBearer()
        for number in 1...3 as ClosedRange<UInt64> {
            _ = bearer.submit(.reading(0x0001), id: .init(rawValue: number), now: .zero)
        }
        for number in 4...5 as ClosedRange<UInt64> {
            let indication = HandleValueIndication(handle: 0x0002, value: [])
            _ = bearer.submitIndication(indication, id: .init(rawValue: number), now: .at(5))
        }
        return bearer
    }

    private func everyoneFails(_ failure: ATTFailure) -> [ATTBearer.Action] {
        [
            .failed(1, failure), .failed(2, failure), .failed(3, failure), .indicationFailed(4, failure),
            .indicationFailed(5, failure),
        ]
    }

    // GAT/BV-01, BV-02, client: the peer never answers.
    @Test func silenceFor30SecondsEndsTheBearerWithoutARetry() {
        var bearer = busyBearer()
        #expect(bearer.nextDeadline == .at(30))
        #expect(bearer.timerFired(now: Self.justBefore) == [])
        #expect(bearer.timerFired(now: .at(30)) == everyoneFails(.timedOut) + [.close(.timedOut)])
        #expect(bearer.isClosed)
        #expect(bearer.nextDeadline == nil)
    }

    // GAT/BV-01, server: the indication is never confirmed.
    @Test func anIndicationWithoutConfirmationEndsTheBearer() {
        var bearer = ATTBearer()
        let indication = HandleValueIndication(handle: 0x0002, value: [1])
        #expect(bearer.submitIndication(indication, id: 1, now: .at(2)) == [.sends("1D 0200 01")])
        #expect(bearer.nextDeadline == .at(32))
        #expect(bearer.timerFired(now: .at(32)) == [.indicationFailed(1, .timedOut), .close(.timedOut)])
    }

    @Test func theEarlierOfTwoDeadlinesCounts() {
        var bearer = busyBearer()
        _ = bearer.received("0B 01", at: .at(20))
        #expect(bearer.nextDeadline == .at(35))
        _ = bearer.received("1E", at: .at(21))
        #expect(bearer.nextDeadline == .at(50))
    }

    @Test func anAnswerThatComesTooLateIsNoneThoughTheTimerIsLaterStill() {
        var bearer = busyBearer()
        #expect(bearer.received("0B 01", at: .at(30)) == everyoneFails(.timedOut) + [.close(.timedOut)])
        #expect(bearer.received("0B 01", at: .at(30)) == [])
    }

    @Test func aRequestThatComesTooLateFindsTheBearerClosed() {
        var bearer = busyBearer()
        #expect(
            bearer.submit(.reading(0x0001), id: 6, now: .at(31))
                == everyoneFails(.timedOut) + [.close(.timedOut), .failed(6, .closed)]
        )
        bearer = busyBearer()
        #expect(
            bearer.submitIndication(HandleValueIndication(handle: 0x0001, value: []), id: 6, now: .at(31))
                == everyoneFails(.timedOut) + [.close(.timedOut), .indicationFailed(6, .closed)]
        )
    }

    @Test func anAnswerJustInTimeIsTaken() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        #expect(bearer.received("0B 01", at: Self.justBefore) == [.completedRead(1, "01")])
        #expect(bearer.timerFired(now: .at(30)) == [])
        #expect(!bearer.isClosed)
    }

    @Test func theTimeOfOneInLineBeginsWhenItGoesOut() {
        var bearer = ATTBearer()
        _ = bearer.submit(.reading(0x0001), id: 1, now: .zero)
        _ = bearer.submit(.reading(0x0002), id: 2, now: .zero)
        _ = bearer.received("0B 01", at: .at(29))
        #expect(bearer.nextDeadline == .at(59))
        #expect(bearer.timerFired(now: .at(30)) == [])
    }

    @Test func everyoneIsToldOnceWhenTheChannelIsGone() {
        var bearer = busyBearer()
        #expect(bearer.channelClosed() == everyoneFails(.closed))
        #expect(bearer.channelClosed() == [])
        #expect(bearer.close() == [])
    }

    @Test func closingTellsEveryoneOnceAndClosesTheChannel() {
        var bearer = busyBearer()
        #expect(bearer.close() == everyoneFails(.closed) + [.close(.closed)])
        #expect(bearer.close() == [])
        #expect(bearer.channelClosed() == [])
    }

    @Test func oneThatWasCancelledIsNotToldAgain() {
        var bearer = busyBearer()
        _ = bearer.cancel(1)
        _ = bearer.cancel(3)
        #expect(bearer.cancel(4) == [.indicationFailed(4, .cancelled)])
        #expect(bearer.channelClosed() == [.failed(2, .closed), .indicationFailed(5, .closed)])
    }

    @Test func nothingHappensAfterTheEnd() {
        var bearer = ATTBearer(server: .attached)
        _ = bearer.received("0A 0100")
        _ = bearer.channelClosed()
        #expect(bearer.submit(.reading(0x0001), id: 1, now: .zero) == [.failed(1, .closed)])
        let indication = HandleValueIndication(handle: 0x0001, value: [])
        #expect(bearer.submitIndication(indication, id: 2, now: .zero) == [.indicationFailed(2, .closed)])
        #expect(throws: ATTFailure.closed) { try bearer.submit(.write(WriteCommand(handle: 0x0001, value: []))) }
        #expect(throws: ATTFailure.closed) {
            try bearer.submitNotification(HandleValueNotification(handle: 0x0001, value: []))
        }
        #expect(bearer.respond(.success(.read(ReadResponse(value: [])))) == [])
        #expect(bearer.cancel(1) == [])
        for pdu in ["", "0A 0100", "0B 01", "1B 0100 01", "1D 0100 01", "1E", "02 0502", "FF"] {
            #expect(bearer.received(pdu) == [], "\(pdu)")
        }
        #expect(bearer.timerFired(now: .at(1000)) == [])
        #expect(bearer.nextDeadline == nil)
    }
}
