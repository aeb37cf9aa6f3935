// SPDX-License-Identifier: MIT

/// The controller's number for a connection: 0x000…0xEFF.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.3
package struct ConnectionHandle: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `0x0040`
    package var description: String { "0x" + Hex.string(rawValue, minimumDigits: 4) }
}

extension ConnectionHandle: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt16) { rawValue = value }
}

extension ConnectionHandle: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        // A handle has 12 bits; controllers may set those above it.
        rawValue = try fields(\.rawValue, "connection handle") & 0x0FFF
    }
}
