// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("Enhanced bearers of ATT")
struct ATTEnhancedBearerTests {
    @Test func `the MTU counts from the first PDU, and is not exchanged by either side`() throws {
        var bearer = ATTBearer(enhancedMTU: 64, server: .attached)
        #expect(bearer.mtu == 64 && bearer.maximumMTU == 64)
        #expect(bearer.received("02 0502") == [.sends("0102000006")])
        #expect(bearer.received("03 0502") == [.report(.unsolicitedResponse(.exchangeMTUResponse))])
        #expect(bearer.mtu == 64)
        #expect(bearer.submit(.offeringMTU(517), id: 1, now: .zero) == [.failed(1, .mtuAlreadyExchanged)])
        let whole = HandleValueNotification(handle: 3, value: [UInt8](repeating: 1, count: 61))
        #expect(try bearer.submitNotification(whole) == [.send(whole.encoded())])
        let long = HandleValueNotification(handle: 3, value: [UInt8](repeating: 1, count: 62))
        #expect(throws: ATTFailure.tooLong(octets: 65, mtu: 64)) { try bearer.submitNotification(long) }
    }

    @Test func `the values whose indications are not confirmed are known`() {
        var bearer = ATTBearer(enhancedMTU: 64)
        _ = bearer.submitIndication(HandleValueIndication(handle: 3, value: [1]), id: 3, now: .zero)
        _ = bearer.submitIndication(HandleValueIndication(handle: 5, value: [1]), id: 5, now: .zero)
        #expect(bearer.isIndicating(3) && bearer.isIndicating(5) && !bearer.isIndicating(7))
        #expect(bearer.received("1e") == [.indicationConfirmed(3), .sends("1d050001")])
        #expect(!bearer.isIndicating(3) && bearer.isIndicating(5))
        _ = bearer.received("1e")
        #expect(!bearer.isIndicating(5))
    }
}
