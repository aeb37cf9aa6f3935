// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension LinkSecurity {
    var json: JSONValue {
        .object([
            "level": .string(level.description),
            "encrypted": .bool(isEncrypted),
            "authenticated": .bool(isEncrypted && isAuthenticated),
            "secure_connections": .bool(isEncrypted && isSecureConnections),
            "key_size": .integer(isEncrypted ? Int64(keySize) : 0),
            "bonded": .bool(hasBond),
        ])
    }

    /// The same as fields of a script's `check`.
    var fields: [String: RecordValue] {
        [
            "level": .text(level.description),
            "encrypted": .literal("\(isEncrypted)"),
            "authenticated": .literal("\(isEncrypted && isAuthenticated)"),
            "secure_connections": .literal("\(isEncrypted && isSecureConnections)"),
            "key_size": .literal("\(isEncrypted ? keySize : 0)"),
            "bonded": .literal("\(hasBond)"),
        ]
    }

    /// The level as `--security` names it.
    var levelName: String {
        guard isEncrypted else { return "low" }
        guard isAuthenticated else { return "medium" }
        return isSecureConnections && keySize == 16 ? "fips" : "high"
    }
}
