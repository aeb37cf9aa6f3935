// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
package import Records

extension AttributeReference {
    @FieldBuilder<AttributeReference>
    package static var record: [RecordField<AttributeReference>] {
        RecordField.device { $0.device }
        RecordField("service", orNull: .uuid, "service, if known") { $0.service }
        RecordField("characteristic", orNull: .uuid, "characteristic, if known") { $0.characteristic }
        RecordField("characteristic_name", orNull: .string, "its assigned name") { $0.characteristicName }
        RecordField("descriptor", orNull: .uuid, "descriptor, if named") { $0.descriptor }
        RecordField("handle", .integer, "its handle") { $0.handle.rawValue }
    }

    /// The target of a command that is given one.
    static let targetField = RecordField<AttributeReference>("target", .string, "target as given") {
        $0.target
    }
}

extension ValuePresentation {
    @FieldBuilder<ValuePresentation>
    package static var record: [RecordField<ValuePresentation>] {
        RecordField("value", .hex, "bytes") { $0.bytes }
        RecordField("length", .integer("bytes"), "its length") { $0.bytes.count }
        meaning.of { $0 }
    }

    /// The meaning of a value, which may not have been read.
    @FieldBuilder<ValuePresentation?>
    package static var meaning: [RecordField<ValuePresentation?>] {
        RecordField("text", orNull: .string, "value in words, if decoded") { $0?.decoded?.fullText }
        RecordField("decoded", orNull: .any, "decoded value, if its format is known; keys have the units") {
            $0?.decoded?.content
        }
        RecordField(
            "decoding_error",
            orNull: .tree(.object(decodingErrorKeys)),
            "why the value does not fit its known format"
        ) { $0?.decoded?.faultContent }
    }

    private static let decodingErrorKeys = [
        RecordKey(
            "kind",
            .string,
            "`too-short` or `contradictory` (what is after the field is not decoded), `out-of-range`, `reserved` or "
                + "`surplus`"
        ),
        RecordKey("field", .string, orNull: true, "way to the field in `decoded`, such as `rr_intervals_ms[1]`"),
        RecordKey("needed", .integer(unit: "bytes"), orNull: true, "what the field needs, if it is cut off"),
        RecordKey("available", .integer(unit: "bytes"), orNull: true, "what was left for it"),
        RecordKey("value", .number, orNull: true, "forbidden or reserved number"),
        RecordKey("lowest", .number, orNull: true, "lowest allowed number"),
        RecordKey("highest", .number, orNull: true, "highest allowed number"),
        RecordKey("octets", .hex, orNull: true, "bytes after those of the format"),
        RecordKey("message", .string, "the same in words"),
    ]
}
