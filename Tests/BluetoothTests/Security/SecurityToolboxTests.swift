// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

/// The sample data of the specification. Core 5.4, Vol 3, Part H, Appendix D, and 2.2.3 and 2.2.4 for legacy pairing.
@Suite("Security toolbox (Vol 3, Part H, 2.2 and Appendix D)")
struct SecurityToolboxTests {
    private func key(_ hex: String) throws -> SecurityKey { try #require(SecurityKey(octets: octets(hex))) }

    private func number(_ hex: String) throws -> P256Number { try #require(P256Number(octets: octets(hex))) }

    private func device(_ text: String, _ type: AddressType) throws -> DeviceAddress {
        DeviceAddress(try #require(BluetoothAddress(text)), type)
    }

    private static let u = "20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"
    private static let v = "55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"
    private static let dhKey = "ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698"
    private static let n1 = "d5cb8454d177733effffb2ec712baeab"
    private static let n2 = "a6e8e7cc25a75f6e216583f7ff3dc4cf"
    private static let macKey = "2965f176a1084a02fd3f6a20ce636e20"

    private func addresses() throws -> (DeviceAddress, DeviceAddress) {
        (try device("56:12:37:37:BF:CE", .public), try device("A7:13:70:2D:CF:C1", .public))
    }

    @Test("ah hashes prand of a resolvable private address (D.7)")
    func ah() throws {
        let irk = try key("ec0234a357c8ad05341010a60a397d9b")
        #expect(SecurityToolbox.ah(key: irk, prand: 0x70_8194) == 0x0D_FBAA)
        // Only 24 bits count.
        #expect(SecurityToolbox.ah(key: irk, prand: 0xFF70_8194) == 0x0D_FBAA)
    }

    @Test("c1 confirms a random number of legacy pairing (2.2.3)")
    func c1() throws {
        let request = PairingFeatures(
            ioCapability: .displayYesNo,
            requirements: [],
            maximumKeySize: 16,
            initiatorKeys: [.encryption, .identity, .signature],
            responderKeys: [.encryption, .identity, .signature]
        )
        let response = PairingFeatures(
            ioCapability: .noInputNoOutput,
            requirements: [],
            maximumKeySize: 8,
            initiatorKeys: [],
            responderKeys: [.encryption, .signature]
        )
        expectWire(SecurityManagerPDU.pairingRequest(request), "01 01 00 00 10 07 07")
        let value = SecurityToolbox.c1(
            key: .zero,
            random: try key("5783D52156AD6F0E6388274EC6702EE0"),
            request: request,
            response: response,
            initiator: try device("A1:A2:A3:A4:A5:A6", .random),
            responder: try device("B1:B2:B3:B4:B5:B6", .public)
        )
        #expect(Hex.string(value.octets) == "1e1e3fef878988ead2a74dc5bef13b86")
    }

    @Test("s1 makes the short term key (2.2.4)")
    func s1() throws {
        let value = SecurityToolbox.s1(
            key: .zero,
            responder: try key("000F0E0D0C0B0A091122334455667788"),
            initiator: try key("010203040506070899AABBCCDDEEFF00")
        )
        #expect(Hex.string(value.octets) == "9a1fe1f0e8b0f49b5b4216ae796da062")
    }

    @Test("f4 confirms a random number of Secure Connections (D.2)")
    func f4() throws {
        let value = SecurityToolbox.f4(u: try number(Self.u), v: try number(Self.v), x: try key(Self.n1), z: 0)
        #expect(Hex.string(value.octets) == "f2c916f107a9bd1cf1eda1bea974872d")
    }

    @Test("f5 makes the key for f6 and the long-term key (D.3)")
    func f5() throws {
        let (a1, a2) = try addresses()
        let keys = SecurityToolbox.f5(
            w: try number(Self.dhKey),
            n1: try key(Self.n1),
            n2: try key(Self.n2),
            a1: a1,
            a2: a2
        )
        #expect(Hex.string(keys.macKey.octets) == Self.macKey)
        #expect(Hex.string(keys.longTermKey.octets) == "6986791169d7cd23980522b594750a38")
    }

    @Test("f6 checks the features of a device (D.4)")
    func f6() throws {
        let (a1, a2) = try addresses()
        let features = PairingFeatures(
            ioCapability: .keyboardOnly,
            hasOutOfBandData: true,
            requirements: AuthenticationRequirements(rawValue: 0x01)
        )
        let value = SecurityToolbox.f6(
            w: try key(Self.macKey),
            n1: try key(Self.n1),
            n2: try key(Self.n2),
            r: try key("12a3343bb453bb5408da42d20c2d0fc8"),
            features: features,
            a1: a1,
            a2: a2
        )
        #expect(Hex.string(value.octets) == "e3c473989cd0e8c5d26c0b09da958f61")
    }

    @Test("g2 makes the number that users compare (D.5)")
    func g2() throws {
        let value = SecurityToolbox.g2(
            u: try number(Self.u),
            v: try number(Self.v),
            x: try key(Self.n1),
            y: try key(Self.n2)
        )
        #expect(value == 0x2F9E_D5BA)
        #expect(value % 1_000_000 == 938_554)
    }

    @Test("Keys and numbers have their lengths, and are hidden in every text")
    func hidden() throws {
        for length in [0, 15, 17, 32] {
            #expect(SecurityKey(octets: [UInt8](repeating: 1, count: length)) == nil)
        }
        #expect(P256Number(octets: [UInt8](repeating: 1, count: 31)) == nil)
        let key = try key(Self.n1)
        expectWire(key, "abae2b71ecb2ffff3e7377d15484cbd5")
        #expect(Hex.string(key.octets) == Self.n1)
        let identity = DeviceIdentity(address: try addresses().0, key: key)
        var dumped = ""
        dump(identity, to: &dumped)
        let decimal = String(key.value)
        for text in ["\(key)", "\(identity)", String(reflecting: identity), dumped, "\(try number(Self.dhKey))"] {
            #expect(text.contains("(hidden)"))
            #expect(!text.contains("d5cb") && !text.contains(decimal))
        }
    }
}
