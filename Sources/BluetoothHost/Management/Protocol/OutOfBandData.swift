// SPDX-License-Identifier: MIT

package import Bluetooth

/// Data for a pairing that reaches the other device another way than by the link, as management commands carry it.
///
/// For Low Energy only the second pair counts, that of Secure Connections. The first is for Basic Rate, and zero.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Read Local Out Of Band Data Command
package struct OutOfBandData: Hashable, Sendable {
    /// The hash of a public key, and the random number in it.
    package struct Pair: Hashable, Sendable {
        /// The hash (confirmation value).
        package var hash: SecurityKey
        package var randomizer: SecurityKey

        package init(hash: SecurityKey, randomizer: SecurityKey) {
            self.hash = hash
            self.randomizer = randomizer
        }

        package static let zero = Self(hash: .zero, randomizer: .zero)
    }

    package var p192: Pair
    /// The pair for P-256; `nil` if there is none.
    package var p256: Pair?

    /// Creates data. For Low Energy the pair for P-192 is zero.
    package init(p192: Pair = .zero, p256: Pair?) {
        self.p192 = p192
        self.p256 = p256
    }
}

extension OutOfBandData: ManagementReturnParameters {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        p192 = try Pair(from: &reader)
        p256 = reader.isAtEnd ? nil : try Pair(from: &reader)
    }

    package func encode(into writer: inout ByteWriter) {
        writer.append(p192)
        if let p256 { writer.append(p256) }
    }

    package var details: String { p256 == nil ? "P-192" : "P-192 and P-256" }
}

extension OutOfBandData.Pair: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        hash = try fields(\.hash)
        randomizer = try fields(\.randomizer)
    }
}
