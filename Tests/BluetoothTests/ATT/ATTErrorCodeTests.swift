// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Error codes (Vol 3, Part F, 3.4.1.1)")
struct ATTErrorCodeTests {
    private static let names: [UInt8: String] = [
        0x01: "invalid handle", 0x02: "read not permitted", 0x03: "write not permitted", 0x04: "invalid PDU",
        0x05: "insufficient authentication", 0x06: "request not supported", 0x07: "invalid offset",
        0x08: "insufficient authorization", 0x09: "prepare queue full", 0x0A: "attribute not found",
        0x0B: "attribute not long", 0x0C: "encryption key size too short", 0x0D: "invalid attribute value length",
        0x0E: "unlikely error", 0x0F: "insufficient encryption", 0x10: "unsupported group type",
        0x11: "insufficient resources", 0x12: "database out of sync", 0x13: "value not allowed",
        0xFC: "write request rejected",
        0xFD: "client characteristic configuration descriptor improperly configured",
        0xFE: "procedure already in progress", 0xFF: "out of range",
    ]

    @Test func everyCodeHasItsNameOrItsNumber() {
        for octet in UInt8.min ... .max {
            let code = ATTErrorCode(octet)
            let fallback =
                (0x80...0x9F).contains(octet)
                ? "application error" : "unknown (0x\(Hex.string(octet, minimumDigits: 2)))"
            #expect(code.description == Self.names[octet] ?? fallback)
            #expect(code.isApplicationError == (0x80...0x9F).contains(octet))
        }
    }

    @Test func theNamedCodesAreTheAssignedOnes() {
        let named: [ATTErrorCode] = [
            .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPDU, .insufficientAuthentication,
            .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
            .attributeNotLong, .encryptionKeySizeTooShort, .invalidAttributeValueLength, .unlikelyError,
            .insufficientEncryption, .unsupportedGroupType, .insufficientResources, .databaseOutOfSync,
            .valueNotAllowed, .writeRequestRejected, .cccdImproperlyConfigured, .procedureAlreadyInProgress,
            .outOfRange,
        ]
        #expect(named.map(\.rawValue) == Array(0x01...0x13) + Array(0xFC...0xFF))
    }
}
