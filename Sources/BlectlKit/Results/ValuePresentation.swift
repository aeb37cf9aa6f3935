// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The octets of an attribute and their meaning, in the requested format or in the known format of the UUID.
struct ValuePresentation: Sendable {
    let bytes: [UInt8]
    let decoded: DecodedValue?
    let isRaw: Bool

    /// Presents the value of an attribute in its known format.
    ///
    /// - Parameter format: What `--as` asks for.
    init(_ bytes: [UInt8], of attribute: AttributeReference, format: ValueFormat?) throws(ValueFormatError) {
        if let format {
            self.init(bytes, decoded: try format.decode(bytes), isRaw: format == .raw)
        } else if let descriptor = attribute.descriptor {
            self.init(bytes, ofDescriptor: descriptor, under: attribute.characteristic)
        } else {
            // A value that does not fit its format is shown as octets.
            self.init(bytes, decoded: try? attribute.decode?(bytes))
        }
    }

    /// Presents the value of a characteristic; if it is unknown, in the format of its Presentation Format descriptor.
    init(_ bytes: [UInt8], ofCharacteristic uuid: BluetoothUUID, presentationFormat: PresentationFormat? = nil) {
        // A value that does not fit its format is shown as octets.
        let known = try? CharacteristicValue.decode(bytes, of: uuid)
        self.init(bytes, decoded: known ?? presentationFormat.flatMap { try? $0.decode(bytes) })
    }

    /// Presents the value of a descriptor.
    init(_ bytes: [UInt8], ofDescriptor uuid: BluetoothUUID, under characteristic: BluetoothUUID?) {
        self.init(bytes, decoded: try? DescriptorValue.decode(bytes, of: uuid, characteristic: characteristic))
    }

    private init(_ bytes: [UInt8], decoded: DecodedValue?, isRaw: Bool = false) {
        self.bytes = bytes
        self.decoded = decoded
        self.isRaw = isRaw
    }

    /// For people: the decoded value if its format is known, otherwise the octets, with text if they look like text.
    var text: String {
        if let decoded { return TerminalText.escaped(decoded.fullText) }
        guard !bytes.isEmpty else { return "(empty)" }
        let hex = Hex.string(bytes)
        guard bytes.count > 1, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.properties.isGraphemeBase }), TerminalText.escaped(text) == text
        else { return hex }
        return "\(hex)  \"\(text)\""
    }
}
