// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
package import Records

extension AttributeReference {
    /// The attribute of a value in records.
    @FieldBuilder<AttributeReference>
    package static var record: [RecordField<AttributeReference>] {
        RecordField.device { $0.device }
        RecordField("service", orNull: .uuid, "the service, if it is known") { $0.service }
        RecordField("characteristic", orNull: .uuid, "the characteristic, if it is known") { $0.characteristic }
        RecordField("characteristic_name", orNull: .string, "its assigned name") { $0.characteristicName }
        RecordField("descriptor", orNull: .uuid, "the descriptor, if one was named") { $0.descriptor }
        RecordField("handle", .integer, "the handle of the attribute") { $0.handle.rawValue }
    }

    /// The target of a command that is given one.
    static let targetField = RecordField<AttributeReference>("target", .string, "the target as it was given") {
        $0.target
    }
}

extension ValuePresentation {
    /// A value and its meaning in records.
    @FieldBuilder<ValuePresentation>
    package static var record: [RecordField<ValuePresentation>] {
        RecordField("value", .hex, "the bytes") { $0.bytes }
        RecordField("length", .integer("bytes"), "its length") { $0.bytes.count }
        meaning.of { $0 }
    }

    /// The meaning of a value, which may not have been read.
    @FieldBuilder<ValuePresentation?>
    package static var meaning: [RecordField<ValuePresentation?>] {
        RecordField("text", orNull: .string, "the value in words, if its format is known") { $0?.decoded?.fullText }
        RecordField("decoded", orNull: .any, "the decoded value, if its format is known; units are in the keys") {
            $0?.decoded?.content
        }
        RecordField(
            "decoding_error",
            orNull: .tree(.object(decodingErrorKeys)),
            "why the value does not fit its format; null if it does, or if the format is not known"
        ) { $0?.decoded?.faultContent }
    }

    private static let decodingErrorKeys = [
        RecordKey(
            "kind",
            .string,
            "`too-short` or `contradictory` (what is after the field is not decoded), `out-of-range`, `reserved` or "
                + "`surplus`"
        ),
        RecordKey("field", .string, orNull: true, "the way to the field in `decoded`, such as `rr_intervals_ms[1]`"),
        RecordKey("needed", .integer(unit: "bytes"), orNull: true, "what the field needs, if it is cut off"),
        RecordKey("available", .integer(unit: "bytes"), orNull: true, "what was left for it"),
        RecordKey("value", .number, orNull: true, "the number that is not allowed or reserved"),
        RecordKey("lowest", .number, orNull: true, "the lowest number that is allowed"),
        RecordKey("highest", .number, orNull: true, "the highest one"),
        RecordKey("octets", .hex, orNull: true, "the bytes after those of the format"),
        RecordKey("message", .string, "the same in words"),
    ]
}
