// SPDX-License-Identifier: MIT

public import Bluetooth

/// The formats that a device gives to one value: that of a Presentation Format descriptor, or those of several ones in
/// the order of an Aggregate Format descriptor (0x2905), whose values follow each other.
///
/// Spec: Core 5.4, Vol 3, Part G, 3.3.3.5 and 3.3.3.6
public struct PresentationFormats: Hashable, Sendable {
    /// The key of the list of values that several formats decode to.
    package static let listKey = "values"

    /// The formats, at least one.
    public let parts: [PresentationFormat]

    /// A single format.
    public init(_ format: PresentationFormat) { parts = [format] }

    /// The formats that the handles of an Aggregate Format stand for; `nil` if one of them is not known.
    ///
    /// - Parameters:
    ///   - octets: The value of the Aggregate Format descriptor: handles of two octets each.
    ///   - known: The formats of the Presentation Format descriptors by their handles.
    public init?(aggregate octets: [UInt8], of known: [Handle: PresentationFormat]) {
        var reader = ByteReader(octets)
        var parts: [PresentationFormat] = []
        while !reader.isAtEnd {
            // Without one of the formats, the place of all values after it is not known.
            guard let handle = try? Handle(from: &reader), let format = known[handle] else { return nil }
            parts.append(format)
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    /// Decodes a value in these formats. Octets after the last become its surplus.
    public func decodeAsFarAsPossible(_ bytes: [UInt8]) -> DecodedValue {
        if parts.count == 1, let format = parts.first { return format.decodeAsFarAsPossible(bytes) }
        var reader = ByteReader(bytes)
        var texts: [String] = []
        var contents: [DecodedValue.Content] = []
        var fault: DecodingFault?
        for (index, format) in parts.enumerated() {
            // After a value that is cut off, the places of the next ones are not known.
            if fault?.isEnd == true {
                contents.append(.null)
                continue
            }
            let value = format.decodeNext(&reader)
            contents.append(value.content)
            if !value.text.isEmpty { texts.append(value.text) }
            if let inner = value.fault?.under(.element(index)).under(.member(Self.listKey)) {
                DecodingFault.keep(inner, in: &fault)
            }
        }
        return DecodedValue(
            text: texts.joined(separator: ", "),
            content: .object([.init(Self.listKey, .array(contents))]),
            surplus: fault?.isEnd == true ? [] : reader.rest(),
            fault: fault
        )
    }
}

extension PresentationFormats: WireDecodable, WireEncodable {
    /// Decodes the formats, one after the other, to the end.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        var parts = [try PresentationFormat(from: &reader)]
        while !reader.isAtEnd { parts.append(try PresentationFormat(from: &reader)) }
        self.parts = parts
    }

    /// Appends the octets of the formats.
    public func encode(into writer: inout ByteWriter) {
        for part in parts { writer.append(part) }
    }
}
