// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Pairing")
struct PairingTests {
    /// Table 2.8 of the specification, in its own order: a row for each responder, a column for each initiator. `.` is
    /// just works, `i` a passkey that the initiator displays, `r` one that the responder displays, `b` one that is
    /// entered at both, `n` numeric comparison.
    private static let legacy = ["..r.r", "..r.r", "iib.i", ".....", "iir.i"]
    private static let secureConnections = ["..r.r", ".nr.n", "iib.i", ".....", "inr.n"]

    private func letter(_ method: PairingMethod) -> Character {
        switch method {
        case .justWorks: "."
        case .passkeyEntry(.initiatorDisplays): "i"
        case .passkeyEntry(.responderDisplays): "r"
        case .passkeyEntry(.bothEnter): "b"
        case .numericComparison: "n"
        case .outOfBand: "o"
        }
    }

    @Test("The method is that of the table (Vol 3, Part H, 2.3.5.1, table 2.8)", arguments: [false, true])
    func table(isSecureConnections: Bool) {
        let rows = IOCapability.allCases.map { responder in
            String(
                IOCapability.allCases.map { initiator in
                    letter(
                        PairingMethod(
                            initiator: initiator,
                            responder: responder,
                            isSecureConnections: isSecureConnections
                        )
                    )
                }
            )
        }
        #expect(rows == (isSecureConnections ? Self.secureConnections : Self.legacy))
    }

    private func method(
        _ request: AuthenticationRequirements,
        _ response: AuthenticationRequirements,
        data: (Bool, Bool) = (false, false)
    ) -> PairingMethod {
        PairingMethod(
            request: PairingFeatures(ioCapability: .displayYesNo, hasOutOfBandData: data.0, requirements: request),
            response: PairingFeatures(ioCapability: .displayYesNo, hasOutOfBandData: data.1, requirements: response)
        )
    }

    @Test("The input and output count only if one device demands protection (tables 2.6 and 2.7)")
    func protection() {
        let secure: AuthenticationRequirements = [.secureConnections]
        let protected: AuthenticationRequirements = [.secureConnections, .manInTheMiddleProtection]
        #expect(method(secure, secure) == .justWorks)
        #expect(method(protected, secure) == .numericComparison)
        #expect(method(secure, protected) == .numericComparison)
        // One device without Secure Connections makes the pairing a legacy one.
        #expect(method(protected, .manInTheMiddleProtection) == .justWorks)
        #expect(!PairingMethod.justWorks.isAuthenticated && PairingMethod.numericComparison.isAuthenticated)
    }

    @Test("Legacy pairing needs the data of both devices, Secure Connections that of one (tables 2.6 and 2.7)")
    func outOfBand() {
        #expect(method([], [], data: (true, false)) == .justWorks)
        #expect(method([], [], data: (true, true)) == .outOfBand)
        #expect(method(.secureConnections, .secureConnections, data: (false, true)) == .outOfBand)
        #expect(method(.secureConnections, .secureConnections, data: (true, false)) == .outOfBand)
        #expect(method(.secureConnections, .secureConnections) == .justWorks)
    }

    @Test("Security Manager PDUs (3.5)")
    func pdus() throws {
        let features = PairingFeatures(
            ioCapability: .keyboardDisplay,
            requirements: [.bonding, .manInTheMiddleProtection, .secureConnections],
            initiatorKeys: [.encryption, .identity],
            responderKeys: [.encryption, .identity, .link]
        )
        expectWire(SecurityManagerPDU.pairingRequest(features), "01 04 00 0d 10 03 0b")
        expectWire(SecurityManagerPDU.pairingResponse(features), "02 04 00 0d 10 03 0b")
        expectWire(SecurityManagerPDU.pairingFailed(.confirmValueFailed), "05 04")
        expectWire(SecurityManagerPDU.securityRequest(.bonding), "0b 01")
        // Reserved values, and a length of key that no device may have.
        for hex in ["01 05 00 0d 10 03 0b", "01 04 02 0d 10 03 0b", "01 04 00 0d 06 03 0b", "01 04 00 0d 11 03 0b"] {
            #expect(throws: DecodeError.self) { try SecurityManagerPDU(decoding: octets(hex)) }
        }
        // A random number is not kept.
        let random = try SecurityManagerPDU(decoding: [0x04] + [UInt8](repeating: 0xAB, count: 16))
        #expect(random == .other(code: 0x04))
    }

    @Test("Every reason of a failure has a name and a sentence, and an unknown one its number (table 3.7)")
    func failures() {
        let names = (1...16).map { PairingFailure(rawValue: $0).description }
        #expect(names.first == "passkey entry failed" && names.last == "busy")
        #expect(Set(names).count == 16)
        #expect(PairingFailure.numericComparisonFailed.description == "numeric comparison failed")
        #expect(PairingFailure.confirmValueFailed.meaning == "the passkey or the out-of-band data is wrong")
        #expect(Set((1...16).map { PairingFailure(rawValue: $0).meaning }).count == 16)
        for unknown in [0x00, 0x11, 0xFF] as [UInt8] {
            #expect(PairingFailure(rawValue: unknown).description.hasPrefix("unknown (0x"))
            #expect(PairingFailure(rawValue: unknown).meaning == "the device gives an unknown reason")
        }
    }
}
