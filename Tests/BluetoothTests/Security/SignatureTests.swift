// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("Signatures of writes (Vol 3, Part H, 2.4.5)")
struct SignatureTests {
    private static let key = SecurityKey(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210)

    private func write(_ hex: String) throws -> SignedWriteCommand {
        guard case .command(.signedWrite(let write)) = try ATTClientPDU(decoding: octets(hex)) else {
            throw DecodeError("Opcode", .invalid(value: 0))
        }
        return write
    }

    /// Made with the AES-CMAC of Python's `cryptography`.
    private static let samples: [(value: [UInt8], counter: UInt32, pdu: String)] = [
        ([0x2A], 0, "d2 0300 2a 00000000 13ea2dee329f7a40"),
        (
            Array("hello world!".utf8), 0x0102_0304,
            "d2 0300 68656c6c6f20776f726c6421 04030201 cd7208817b3aef4a"
        ),
        ([], 0xFFFF_FFFE, "d2 0300 feffffff a525187ee0396513"),
    ]

    @Test func `another implementation makes and accepts the same signatures`() throws {
        for sample in Self.samples {
            let command = try SignedWrite(sample.value, to: 3, signedWith: Self.key, counter: sample.counter)
                .command(mtu: 64)
            #expect(command.encoded() == octets(sample.pdu))
            let received = try write(sample.pdu)
            #expect(received.counter == sample.counter && received.isSigned(with: Self.key))
        }
    }

    @Test func `a signature is valid for one key, one attribute, one value and one number`() throws {
        let good = octets(Self.samples[1].pdu)
        for index in good.indices.dropFirst() {
            var bad = good
            bad[index] ^= 0x01
            #expect(try !write(Hex.string(bad)).isSigned(with: Self.key), "octet \(index)")
        }
        #expect(try !write(Hex.string(good)).isSigned(with: SecurityKey(Self.key.value ^ 1)))
    }
}

@Suite("The level of a link (Vol 3, Part C, 10.2.1)")
struct LinkSecurityTests {
    @Test(arguments: [
        (LinkSecurity.none, SecurityLevel.low),
        (LinkSecurity(isAuthenticated: true, isSecureConnections: true, keySize: 16, hasBond: true), .low),
        (LinkSecurity(isEncrypted: true, keySize: 16), .medium),
        (LinkSecurity(isEncrypted: true, isSecureConnections: true, keySize: 16), .medium),
        (LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16), .high),
        (LinkSecurity(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 15), .high),
        (LinkSecurity(isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16), .fips),
    ])
    func levels(_ link: LinkSecurity, _ level: SecurityLevel) { #expect(link.level == level) }
}
