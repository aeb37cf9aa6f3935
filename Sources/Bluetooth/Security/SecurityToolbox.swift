// SPDX-License-Identifier: MIT

/// The cryptographic functions of the Security Manager, under the specification's names.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.2
public enum SecurityToolbox {
    /// The security function *e*: AES-128 of one block.
    static func e(key: SecurityKey, _ plaintext: UInt128) -> UInt128 {
        // A `SecurityKey` has 16 octets, so that there always is a cipher.
        guard let cipher = AES128(key: key.octets) else { return 0 }
        return number(cipher.encrypt(SecurityKey(plaintext).octets))
    }

    /// The random address hash function *ah*.
    ///
    /// - Parameters:
    ///   - key: The identity resolving key.
    ///   - prand: The upper 24 bits of a resolvable private address.
    /// - Returns: The lower 24 bits of that address.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.2.2
    public static func ah(key: SecurityKey, prand: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: e(key: key, UInt128(prand & 0xFF_FFFF)) & 0xFF_FFFF)
    }

    /// The confirm value generation function *c1* of LE legacy pairing.
    ///
    /// - Parameters:
    ///   - key: The temporary key.
    ///   - random: The random number that the value confirms.
    ///   - request: The features in the Pairing Request.
    ///   - response: The features in the Pairing Response.
    ///   - initiator: The address of the initiating device.
    ///   - responder: The address of the responding device.
    /// - Returns: The confirm value.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.2.3
    public static func c1(
        key: SecurityKey,
        random: SecurityKey,
        request: PairingFeatures,
        response: PairingFeatures,
        initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> SecurityKey {
        // p1 is the response, the request and both address types, most significant octet first: the reverse of this
        // order.
        var first = ByteWriter()
        first.uint8(addressType(initiator))
        first.uint8(addressType(responder))
        first.append(SecurityManagerPDU.pairingRequest(request).encoded())
        first.append(SecurityManagerPDU.pairingResponse(response).encoded())
        let p1 = number(first.bytes.reversed())
        // p2 is both addresses, the initiator's first, after 32 zero bits.
        let p2 = UInt128(initiator.address.rawValue) << 48 | UInt128(responder.address.rawValue)
        return SecurityKey(e(key: key, e(key: key, random.value ^ p1) ^ p2))
    }

    /// The key generation function *s1* of LE legacy pairing.
    ///
    /// - Parameters:
    ///   - key: The temporary key.
    ///   - responder: The random number of the responding device; the lower 64 bits are used.
    ///   - initiator: The random number of the initiating device; the lower 64 bits are used.
    /// - Returns: The short term key.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.2.4
    public static func s1(key: SecurityKey, responder: SecurityKey, initiator: SecurityKey) -> SecurityKey {
        let low = UInt128(UInt64.max)
        return SecurityKey(e(key: key, (responder.value & low) << 64 | initiator.value & low))
    }

    /// The confirm value generation function *f4* of Secure Connections.
    ///
    /// - Parameters:
    ///   - u: The X coordinate of the public key of the device that computes the value.
    ///   - v: The X coordinate of the public key of the other device.
    ///   - x: The random number that the value confirms.
    ///   - z: 0; with a passkey, 0x80 and one bit of it.
    /// - Returns: The confirm value.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.2.6
    public static func f4(u: P256Number, v: P256Number, x: SecurityKey, z: UInt8) -> SecurityKey {
        code(u.octets + v.octets + [z], key: x)
    }

    /// The key generation function *f5* of Secure Connections.
    ///
    /// - Parameters:
    ///   - w: The DHKey.
    ///   - n1: The random number of the initiating device.
    ///   - n2: The random number of the responding device.
    ///   - a1: The address of the initiating device.
    ///   - a2: The address of the responding device.
    /// - Returns: The key for `f6`, and the long-term key.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.2.7
    public static func f5(
        w: P256Number,
        n1: SecurityKey,
        n2: SecurityKey,
        a1: DeviceAddress,
        a2: DeviceAddress
    ) -> (macKey: SecurityKey, longTermKey: SecurityKey) {
        // The specification fixes the salt, from which the key of the derivation is made.
        let salt = SecurityKey(0x6C88_8391_AAF5_A538_6037_0BDB_5A60_83BE)
        let key = code(w.octets, key: salt)
        func output(_ counter: UInt8) -> SecurityKey {
            // Between the counter and the numbers is the key identifier "btle"; the last two octets are the length of
            // the output in bits.
            let head: [UInt8] = [counter, 0x62, 0x74, 0x6C, 0x65]
            return code(head + n1.octets + n2.octets + octets(a1) + octets(a2) + [0x01, 0x00], key: key)
        }
        return (output(0), output(1))
    }

    /// The check value generation function *f6* of Secure Connections.
    ///
    /// - Parameters:
    ///   - w: The key from `f5`.
    ///   - n1: The random number of the device that computes the value.
    ///   - n2: The random number of the other device.
    ///   - r: 0; with a passkey, the passkey; out of band, the random number of the other device.
    ///   - features: The pairing features that the device has sent.
    ///   - a1: The address of the device that computes the value.
    ///   - a2: The address of the other device.
    /// - Returns: The check value.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.2.8
    public static func f6(
        w: SecurityKey,
        n1: SecurityKey,
        n2: SecurityKey,
        r: SecurityKey,
        features: PairingFeatures,
        a1: DeviceAddress,
        a2: DeviceAddress
    ) -> SecurityKey {
        let capabilities = [
            features.requirements.rawValue, features.hasOutOfBandData ? 1 : 0, features.ioCapability.rawValue,
        ]
        return code(n1.octets + n2.octets + r.octets + capabilities + octets(a1) + octets(a2), key: w)
    }

    /// The numeric comparison value generation function *g2* of Secure Connections.
    ///
    /// - Parameters:
    ///   - u: The X coordinate of the public key of the initiating device.
    ///   - v: The X coordinate of the public key of the responding device.
    ///   - x: The random number of the initiating device.
    ///   - y: The random number of the responding device.
    /// - Returns: The value, 32 bits. Its last six decimal digits are shown.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.2.9
    public static func g2(u: P256Number, v: P256Number, x: SecurityKey, y: SecurityKey) -> UInt32 {
        UInt32(truncatingIfNeeded: code(u.octets + v.octets + y.octets, key: x).value)
    }

    // MARK: - Octets

    private static func code(_ message: [UInt8], key: SecurityKey) -> SecurityKey {
        SecurityKey(number(AESCMAC.code(of: message, key: key.octets) ?? []))
    }

    private static func number(_ octets: [UInt8]) -> UInt128 { octets.reduce(0) { $0 << 8 | UInt128($1) } }

    private static func addressType(_ device: DeviceAddress) -> UInt8 { device.type.connectionType.rawValue }

    /// 7 octets: the type and the address, most significant octet first.
    private static func octets(_ device: DeviceAddress) -> [UInt8] {
        [addressType(device)] + device.address.encoded().reversed()
    }
}
