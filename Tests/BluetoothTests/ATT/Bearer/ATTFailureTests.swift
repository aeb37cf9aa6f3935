// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Failures and oddities of a bearer in words")
struct ATTFailureTests {
    @Test(
        arguments: [
            (
                .errorResponse(
                    ATTErrorResponse(requestOpcode: .readRequest, handle: 0x0003, code: .insufficientAuthentication)
                ),
                "ATT 0x05 insufficient authentication"
            ),
            (.timedOut, "no answer within 30 s"),
            (.tooLong(octets: 24, mtu: 23), "24 octets are more than the MTU of 23"),
            (
                .invalidResponse(ATTInvalidResponse(request: .readRequest, problem: .wrongOpcode, octets: [0x13])),
                "invalid answer to Read Request: Write Response (13)"
            ),
            (
                .invalidResponse(
                    ATTInvalidResponse(
                        request: .readByTypeRequest,
                        problem: .malformed(DecodeError("length", .invalid(value: 1))),
                        octets: [0x09, 0x01]
                    )
                ),
                "invalid answer to Read By Type Request: length: invalid value 0x01 (0901)"
            ),
            (
                .invalidResponse(
                    ATTInvalidResponse(
                        request: .readRequest,
                        problem: .tooLong(octets: 600, limit: 517),
                        octets: [0x0B]
                    )
                ),
                "invalid answer to Read Request: 600 octets where at most 517 are allowed"
            ),
        ] as [(ATTFailure, String)]
    )
    func aFailureSaysWhatHappened(failure: ATTFailure, text: String) {
        #expect(failure.description == text)
    }

    @Test(
        arguments: [
            (
                .oversizedPDU(.writeCommand, octets: 24, limit: 23),
                "dropped Write Command of 24 octets where at most 23 are allowed"
            ),
            // A request is answered with Invalid PDU.
            (
                .oversizedPDU(.writeRequest, octets: 24, limit: 23),
                "refused Write Request of 24 octets where at most 23 are allowed"
            ),
            (
                .malformedPDU(.readRequest, DecodeError("attribute handle", .truncated(needed: 2, available: 1))),
                "refused malformed Read Request: attribute handle: needs 2 octets, 1 left"
            ),
            (
                .malformedPDU(.writeCommand, DecodeError("attribute handle", .truncated(needed: 2, available: 1))),
                "dropped malformed Write Command: attribute handle: needs 2 octets, 1 left"
            ),
            (.lateAnswer(.readResponse), "ignored Read Response to a cancelled request"),
            (.lateAnswer(.handleValueConfirmation), "ignored a confirmation of a cancelled indication"),
            (
                .valueCut(.readResponse, octets: 513, limit: 512),
                "took 512 octets of Read Response, which has 513"
            ),
            (
                .lateError(
                    ATTErrorResponse(requestOpcode: .readByTypeRequest, handle: 0x0001, code: .attributeNotFound)
                ),
                "ignored Error Response Read By Type Request 0x0001 0x0A attribute not found about a request answered before"
            ),
            (.unknownRequest(ATTOpcode(0xBF)), "refused request unknown (0xBF)"),
            (.signedWriteIgnored(0x0007), "ignored a signed write to 0x0007: no key"),
            (.signatureRefused(0x0007, .wrong), "ignored a signed write to 0x0007: its signature is wrong"),
            (
                .signatureRefused(0x0007, .replayed),
                "ignored a signed write to 0x0007: its number was used before, so it is a replay"
            ),
        ] as [(ATTDiagnostic, String)]
    )
    func anOddityIsOneLine(diagnostic: ATTDiagnostic, text: String) {
        #expect(diagnostic.description == text)
    }

    @Test(arguments: [
        ("", "empty PDU"),
        ("0A 03", "malformed Read Request 0a03 (attribute handle: needs 2 octets, 1 left)"),
        ("09 01 0100", "malformed Read By Type Response 09010100 (length: invalid value 0x01)"),
        ("2C 0102", "unknown (0x2C) 0102"),
        ("2C", "unknown (0x2C)"),
    ])
    func aTraceDescribesAnyOctets(bytes: String, text: String) {
        #expect(ATTPDU.describe(octets(bytes)) == text)
    }
}
