// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothProfiles
import Terminal

/// The octets of an attribute and their meaning, in the requested format or in the known format of the UUID.
package struct ValuePresentation: Sendable {
    /// The octets as they came from the device.
    package let bytes: [UInt8]
    /// Their meaning; `nil` if no format is known.
    package let decoded: DecodedValue?
    /// Whether the octets themselves are wanted, without any presentation (`--as raw`).
    package let isRaw: Bool

    /// Presents the value of an attribute in its known format.
    ///
    /// - Parameter format: The format of `--as`.
    package init(_ bytes: [UInt8], of attribute: AttributeReference, format: ValueFormat?) throws(ValueFormatError) {
        if let format {
            self.init(bytes, decoded: try format.decode(bytes), isRaw: format == .raw)
        } else if let descriptor = attribute.descriptor {
            self.init(bytes, ofDescriptor: descriptor, under: attribute.characteristic)
        } else {
            self.init(bytes, decoded: attribute.decode?(bytes))
        }
    }

    /// Presents a value whose meaning is known from elsewhere.
    package init(_ bytes: [UInt8], meaning decoded: DecodedValue) { self.init(bytes, decoded: decoded) }

    /// Presents the value of a characteristic; if it is unknown, in the formats of its Presentation Format and
    /// Aggregate Format descriptors.
    package init(
        _ bytes: [UInt8],
        ofCharacteristic uuid: BluetoothUUID,
        formats: FormatCatalogue = .assigned,
        presentationFormats: PresentationFormats? = nil
    ) {
        let known = formats.format(of: uuid)?.decodeAsFarAsPossible(bytes)
        self.init(bytes, decoded: known ?? presentationFormats?.decodeAsFarAsPossible(bytes))
    }

    package init(_ bytes: [UInt8], ofDescriptor uuid: BluetoothUUID, under characteristic: BluetoothUUID?) {
        let decoded = DescriptorValue.decodeAsFarAsPossible(bytes, of: uuid, characteristic: characteristic)
        self.init(bytes, decoded: decoded)
    }

    package init(octets bytes: [UInt8]) { self.init(bytes, decoded: nil) }

    /// Stores a presentation. All others end here.
    private init(_ bytes: [UInt8], decoded: DecodedValue?, isRaw: Bool = false) {
        self.bytes = bytes
        self.decoded = decoded
        self.isRaw = isRaw
    }

    /// Octets without a format, as `write` takes them.
    package static func text(ofOctets bytes: [UInt8]) -> String { bytes.isEmpty ? "(empty)" : "0x\(Hex.string(bytes))" }

    /// For people: the decoded value if its format is known, otherwise the octets, with text if they look like text.
    /// The octets of a value that could not be decoded to its end follow the reason.
    ///
    /// Octets begin with `0x`, so that nobody takes them for a number, and so that `write` takes what `read` prints.
    package var text: String {
        if let decoded {
            let text = TerminalText.escaped(decoded.fullText)
            guard let fault = decoded.fault, fault.isEnd, !bytes.isEmpty else { return text }
            return "\(text): \(Self.text(ofOctets: bytes))"
        }
        let hex = Self.text(ofOctets: bytes)
        // Some characters, such as fillers, count as graphemes and show nothing. The comparison with the escaped text
        // finds them.
        guard bytes.count > 1, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.properties.isGraphemeBase }), TerminalText.escaped(text) == text
        else { return hex }
        return "\(hex)  \"\(text)\""
    }
}
