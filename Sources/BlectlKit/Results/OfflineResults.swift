// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// A value that was decoded without a device.
struct DecodedValueResult: RecordedResult {
    /// The type that the octets were decoded as.
    let type: ValueType
    /// The octets and their meaning.
    let presentation: ValuePresentation
    /// The formats that apply: assigned ones and those of `--formats`.
    let formats: FormatCatalogue
    /// When it was decoded.
    let timestamp: Timestamp

    /// The same members as the record of a value that was read, without a device.
    var record: Record { Record("decoded-value", at: timestamp, type.members(of: presentation, formats)) }

    func text(_ style: TextStyle) -> String? { presentation.text }
}

/// A value that was encoded without a device.
struct EncodedValueResult: RecordedResult {
    /// The type whose format the octets have.
    let type: ValueType
    /// The octets, decoded again to show how they are understood.
    let presentation: ValuePresentation
    /// The formats that apply: assigned ones and those of `--formats`.
    let formats: FormatCatalogue
    /// When it was encoded.
    let timestamp: Timestamp

    var record: Record { Record("encoded-value", at: timestamp, type.members(of: presentation, formats)) }

    /// The octets in hexadecimal, as `write` accepts them.
    func text(_ style: TextStyle) -> String? { Hex.string(presentation.bytes) }
}

extension ValueType {
    /// The members that both directions share.
    fileprivate func members(of presentation: ValuePresentation, _ formats: FormatCatalogue) -> [String: JSONValue] {
        [
            "characteristic": .optional(characteristic?.description),
            "characteristic_name": .optional(characteristic.flatMap { formats.name(ofCharacteristic: $0) }),
            "decoding_error": (presentation.decoded?.faultContent).map { JSONValue($0) } ?? .null,
            "decoded": presentation.decoded.map { JSONValue($0.content) } ?? .null,
            "descriptor": .optional(descriptor?.description),
            "length": .integer(Int64(presentation.bytes.count)),
            "text": .optional(presentation.decoded?.fullText),
            "value": .string(Hex.string(presentation.bytes)),
        ]
    }
}
