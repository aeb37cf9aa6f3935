// SPDX-License-Identifier: MIT

import Bluetooth

/// A public key of LE Secure Connections: a point of the curve P-256.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3.5.6.1; Vol 2, Part H, 7.6
struct P256PublicKey: Hashable, Sendable {
    let x: P256Number
    let y: P256Number

    /// The published key, which protects nothing.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.3.5.6.1
    static let debugX: [UInt8] =
        Hex.bytes("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6") ?? []

    /// The point with those coordinates; `nil` if it is not on the curve: a key that is not would give away parts of the
    /// private one (CVE-2018-5383).
    init?(x: P256Number, y: P256Number) {
        guard let point = P256Point(x: x, y: y), point.isOnCurve else { return nil }
        self.x = x
        self.y = y
    }

    fileprivate init?(_ point: P256Point) {
        guard let (x, y) = point.coordinates, let x = P256Number(octets: x), let y = P256Number(octets: y) else {
            return nil
        }
        self.x = x
        self.y = y
    }
}

/// A key pair of LE Secure Connections.
struct P256PrivateKey: Sendable {
    /// The number, most significant octet first.
    private let octets: [UInt8]
    let publicKey: P256PublicKey

    /// The order of the curve's group, which a private key is below.
    private static let order =
        Hex.bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551") ?? []

    /// A key pair from 32 random octets; `nil` for those that are no private key, about one in 2^32.
    init?(octets: [UInt8]) {
        guard octets.count == 32, octets.contains(where: { $0 != 0 }),
            octets.lexicographicallyPrecedes(Self.order),
            let key = P256PublicKey(P256Point.base.multiplied(by: octets))
        else { return nil }
        self.octets = octets
        publicKey = key
    }

    /// The DHKey with the public key of a peer; `nil` for a point that has none.
    func sharedKey(with peer: P256PublicKey) -> P256Number? {
        guard let (x, _) = P256Point(x: peer.x, y: peer.y)?.multiplied(by: octets).coordinates else { return nil }
        return P256Number(octets: x)
    }
}

/// A point of the curve in projective coordinates, of which the one with z = 0 is at infinity.
private struct P256Point {
    var x: P256Field
    var y: P256Field
    var z: P256Field

    private static let b = field("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b")

    static let base = P256Point(
        x: field("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
        y: field("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
        z: .one
    )

    private static func field(_ hex: String) -> P256Field { Hex.bytes(hex).flatMap { P256Field(octets: $0) } ?? .zero }

    private init(x: P256Field, y: P256Field, z: P256Field) {
        self.x = x
        self.y = y
        self.z = z
    }

    init?(x: P256Number, y: P256Number) {
        guard let x = P256Field(octets: x.octets), let y = P256Field(octets: y.octets) else { return nil }
        self.init(x: x, y: y, z: .one)
    }

    /// Whether a point that is not at infinity satisfies the equation: y² = x³ - 3x + b.
    var isOnCurve: Bool { y * y == x * x * x - (x + x + x) + Self.b }

    /// The coordinates x and y, most significant octet first; `nil` at infinity.
    var coordinates: (x: [UInt8], y: [UInt8])? {
        guard z != .zero else { return nil }
        let inverse = z.inverse
        return ((x * inverse).octets, (y * inverse).octets)
    }

    /// The multiple by a number, most significant octet first. Takes as long for each number.
    func multiplied(by octets: [UInt8]) -> Self {
        var result = Self(x: .zero, y: .one, z: .zero)
        for octet in octets {
            for bit in (0..<8).reversed() {
                result = result + result
                let more = result + self
                let mask = 0 &- UInt64(octet >> UInt8(bit) & 1)
                result = Self(
                    x: .choose(more.x, if: mask, else: result.x),
                    y: .choose(more.y, if: mask, else: result.y),
                    z: .choose(more.z, if: mask, else: result.z)
                )
            }
        }
        return result
    }

    /// The sum, by formulas that hold for each pair of points, also for equal ones.
    ///
    /// Spec: Renes, Costello, Batina: Complete addition formulas for prime order elliptic curves, algorithm 4
    static func + (p: Self, q: Self) -> Self {
        let (xx, yy, zz) = (p.x * q.x, p.y * q.y, p.z * q.z)
        let xy = (p.x + p.y) * (q.x + q.y) - (xx + yy)
        let yz = (p.y + p.z) * (q.y + q.z) - (yy + zz)
        let xz = (p.x + p.z) * (q.x + q.z) - (xx + zz)
        let u = xz - b * zz
        let (low, high) = (yy - (u + u + u), yy + (u + u + u))
        let zz3 = zz + zz + zz
        let v = b * xz - zz3 - xx
        let v3 = v + v + v
        let w = xx + xx + xx - zz3
        return Self(x: high * xy - yz * v3, y: high * low + w * v3, z: low * yz + xy * w)
    }
}
