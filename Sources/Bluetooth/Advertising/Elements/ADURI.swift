// SPDX-License-Identifier: MIT

/// A URI. Common schemes are sent as one character.
///
/// Spec: Core Specification Supplement 11, Part A, 1.18
public struct ADURI: Hashable, Sendable {
    /// The character for the scheme; U+0001 if the URI is sent in full.
    public let scheme: Unicode.Scalar
    /// The part after the scheme.
    public let rest: String

    /// Creates the element.
    public init(scheme: Unicode.Scalar, rest: String) {
        self.scheme = scheme
        self.rest = rest
    }

    /// Creates a URI for sending, in the shortest form.
    public init(_ text: String) {
        // The empty entries of the table would match any text.
        let matches = URIScheme.names.enumerated().filter { !$0.element.isEmpty && text.hasPrefix($0.element) }
        guard let best = matches.max(by: { $0.element.utf8.count < $1.element.utf8.count }),
            let scalar = Unicode.Scalar(UInt32(best.offset))
        else {
            self.init(scheme: "\u{1}", rest: text)
            return
        }
        self.init(scheme: scalar, rest: String(text.dropFirst(best.element.count)))
    }

    /// The whole URI; `nil` if the scheme is unknown.
    public var text: String? {
        guard scheme.value >= 1, scheme.value < URIScheme.names.count else { return nil }
        return URIScheme.names[Int(scheme.value)] + rest
    }
}

extension ADURI: WireDecodable, WireEncodable, CustomStringConvertible {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let scalars = String(decoding: reader.rest(), as: UTF8.self).unicodeScalars
        guard let first = scalars.first else { throw DecodeError("URI", .truncated(needed: 1, available: 0)) }
        scheme = first
        rest = String(String.UnicodeScalarView(scalars.dropFirst()))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(String(Character(scheme)).utf8)
        writer.append(rest.utf8)
    }

    /// The whole URI, or the known part of it.
    public var description: String {
        text ?? "(scheme 0x\(Hex.string(scheme.value, minimumDigits: 4)))\(rest)"
    }
}
