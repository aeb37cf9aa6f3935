// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Signals of credit-based channels (Vol 3, Part A, 4)")
struct L2CAPSignalTests {
    @Test("each signal's octets")
    func octetsOfSignals() {
        let limits = CreditBasedLimits(mtu: 0x0102, mps: 0x00F7)
        let near = L2CAPChannelID(rawValue: 0x0040)
        let far = L2CAPChannelID(rawValue: 0x0041)
        let request = LECreditBasedConnectionRequest(
            spsm: SPSM(0x0080),
            source: near,
            limits: limits,
            initialCredits: 10
        )
        expectWire(L2CAPCommand(1, .connectionRequest(request)), "14 01 0a00 8000 4000 0201 f700 0a00")
        let response = LECreditBasedConnectionResponse(
            destination: far,
            limits: limits,
            initialCredits: 3,
            result: .successful
        )
        expectWire(L2CAPCommand(1, .connectionResponse(response)), "15 01 0a00 4100 0201 f700 0300 0000")
        expectWire(
            L2CAPCommand(2, .connectionResponse(.refusal(.noResources))),
            "15 02 0a00 0000 0000 0000 0000 0400"
        )
        expectWire(L2CAPCommand(3, .flowControlCredit(near, credits: 0x1234)), "16 03 0400 4000 3412")
        expectWire(L2CAPCommand(4, .disconnectionRequest(destination: far, source: near)), "06 04 0400 4100 4000")
        expectWire(L2CAPCommand(4, .disconnectionResponse(destination: far, source: near)), "07 04 0400 4100 4000")
        expectWire(L2CAPCommand(5, .commandReject(.notUnderstood)), "01 05 0200 0000")
        expectWire(L2CAPCommand(5, .commandReject(.signalingMTUExceeded(23))), "01 05 0400 0100 1700")
        expectWire(L2CAPCommand(5, .commandReject(.invalidCID(local: near, remote: far))), "01 05 0600 0200 4000 4100")
        expectWire(
            L2CAPCommand(6, .other(code: 0x12, data: octets("0600 0c00 0000 f401"))),
            "12 06 0800 06000c000000f401"
        )
    }

    @Test("every prefix of a signal is refused, and so are surplus octets")
    func lengths() {
        let whole = octets("14 01 0a00 8000 4000 0201 f700 0a00")
        for count in 0..<whole.count {
            #expect(throws: DecodeError.self) { try L2CAPCommand(decoding: Array(whole.prefix(count))) }
        }
        #expect(throws: DecodeError.self) { try L2CAPCommand(decoding: whole + [0]) }
        // The length field is right, and the fields are too short or too long for the code.
        #expect(throws: DecodeError.self) { try L2CAPCommand(decoding: octets("16 01 0300 4000 01")) }
        #expect(throws: DecodeError.self) { try L2CAPCommand(decoding: octets("16 01 0500 4000 0100 00")) }
        #expect(throws: DecodeError.self) { try L2CAPCommand(decoding: octets("16 00 0400 4000 0100")) }
    }

    @Test("the ranges of service numbers and their names")
    func numbers() {
        #expect(!SPSM(0).isValid && SPSM(1).isValid && SPSM(0x7F).isValid && SPSM(0x80).isValid)
        #expect(SPSM(0xFF).isValid && !SPSM(0x100).isValid)
        #expect("\(SPSM(0x80))" == "0x0080")
        #expect(SPSM.named.first { $0.name == "ots" }?.number == SPSM(0x0025))
        #expect("\(LECreditBasedConnectionResult(0x0004))" == "0x0004 no resources available")
        #expect("\(LECreditBasedConnectionResult(0x0103))" == "0x0103")
        #expect(LECreditBasedConnectionResult.insufficientEncryption.asksForSecurity)
        #expect(!LECreditBasedConnectionResult.insufficientAuthorization.asksForSecurity)
    }
}
