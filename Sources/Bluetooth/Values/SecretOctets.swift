// SPDX-License-Identifier: MIT

/// Octets of which a trace may not show those that are secret.
package enum SecretOctets {
    /// The octets in hexadecimal; only their number if they are secret.
    package static func text(_ octets: [UInt8], isSecret: Bool) -> String {
        isSecret ? "(\(count: octets.count, "octet") hidden)" : Hex.string(octets)
    }
}
