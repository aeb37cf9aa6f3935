// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

struct DecodedValueResult: RecordedResult {
    let type: ValueType
    let presentation: ValuePresentation
    /// The formats that apply: assigned ones and those of `--formats`.
    let formats: FormatCatalogue
    let timestamp: Timestamp

    /// The same fields as the record of a value that was read, without a device.
    static let record = RecordKind<Self>("decoded-value", "a value that was decoded") {
        ValueType.record.of { ($0.type, $0.formats) }
        ValuePresentation.record.of { $0.presentation }
    }

    func text(_ style: TextStyle) -> String? { presentation.text }
}

struct EncodedValueResult: RecordedResult {
    /// The type whose format the octets have.
    let type: ValueType
    /// The octets, decoded again to show how they are understood.
    let presentation: ValuePresentation
    /// The formats that apply: assigned ones and those of `--formats`.
    let formats: FormatCatalogue
    let timestamp: Timestamp

    static let record = RecordKind<Self>(
        "encoded-value",
        "a value that was encoded, and what it decodes to"
    ) {
        ValueType.record.of { ($0.type, $0.formats) }
        ValuePresentation.record.of { $0.presentation }
    }

    /// The octets in hexadecimal, as `write` accepts them.
    func text(_ style: TextStyle) -> String? { Hex.string(presentation.bytes) }
}

extension ValuePresentation {
    /// The octets as a value of a type.
    init(_ bytes: [UInt8], of type: ValueType, _ formats: FormatCatalogue) throws(BlectlError) {
        // A descriptor type includes its characteristic, so the descriptor has to be checked first.
        if let descriptor = type.descriptor {
            self.init(bytes, ofDescriptor: descriptor, under: type.characteristic)
        } else if let characteristic = type.characteristic {
            self.init(bytes, ofCharacteristic: characteristic, formats: formats)
        } else {
            throw BlectlError(.internalError, "a value has no type")
        }
    }
}

extension ValueType {
    @FieldBuilder<(ValueType, FormatCatalogue)>
    fileprivate static var record: [RecordField<(ValueType, FormatCatalogue)>] {
        RecordField("characteristic", orNull: .uuid, "characteristic; null for a descriptor of any") {
            $0.0.characteristic
        }
        RecordField("characteristic_name", orNull: .string, "its assigned name") { type, formats in
            type.characteristic.flatMap { formats.name(ofCharacteristic: $0) }
        }
        RecordField("descriptor", orNull: .uuid, "descriptor, if it is one") { $0.0.descriptor }
    }
}
