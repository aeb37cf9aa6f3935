// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import Records

extension LinkSecurity {
    @FieldBuilder<LinkSecurity>
    package static var record: [RecordField<LinkSecurity>] {
        RecordField("level", .string, "`low`, `medium`, `high` or `fips`") { $0.level.description }
        RecordField("encrypted", .boolean, "whether the link is encrypted") { $0.isEncrypted }
        RecordField("authenticated", .boolean, "whether its key protects against a man in the middle") {
            $0.isEncrypted && $0.isAuthenticated
        }
        RecordField(
            "secure_connections",
            .boolean,
            "whether its key comes from Secure Connections; the kernel tells it only of an authenticated one"
        ) { $0.isEncrypted && $0.isSecureConnections }
        RecordField("key_size", .integer("bytes"), "length of its key; 0 without encryption") {
            $0.isEncrypted ? $0.keySize : 0
        }
        RecordField("bonded", .boolean, "whether the keys of the other side are kept") { $0.hasBond }
    }

    /// The level as `--security` names it.
    var levelName: String {
        guard isEncrypted else { return "low" }
        guard isAuthenticated else { return "medium" }
        return isSecureConnections && keySize == 16 ? "fips" : "high"
    }
}

extension FieldType where Value == LinkSecurity {
    /// The security of a link, in every record that describes one.
    package static var security: FieldType { .object(LinkSecurity.record) }
}
