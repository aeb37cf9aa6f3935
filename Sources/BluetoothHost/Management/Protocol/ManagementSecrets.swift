// SPDX-License-Identifier: MIT

import Bluetooth

/// The management packets that carry keys or passkeys. A trace never shows their octets, also not those of packets that
/// this module does not decode: another program's pairing over Basic Rate sends keys to every listener.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
enum ManagementSecrets {
    /// Load Link Keys, Load Long Term Keys, PIN Code Reply, User Passkey Reply, Read Local and Add Remote Out Of Band
    /// Data, Set Privacy, Load Identity Resolving Keys, Read Local Out Of Band Extended Data, Load Blocked Keys, and the
    /// one that carries an HCI command.
    private static let commands: Set<UInt16> = [
        0x0012, 0x0013, 0x0016, 0x001E, 0x0020, 0x0021, 0x002F, 0x0030, 0x003B, 0x0046, 0x005B,
    ]

    /// New Link Key, New Long Term Key, Passkey Notify, New Identity Resolving Key, New Signature Resolving Key, Local
    /// Out Of Band Extended Data Updated.
    private static let events: Set<UInt16> = [0x0009, 0x000A, 0x0017, 0x0018, 0x0019, 0x0022]

    /// The octets of a command or of its return parameters in hexadecimal; only their number if they are secret.
    static func text(command code: UInt16, _ octets: [UInt8]) -> String {
        SecretOctets.text(octets, isSecret: commands.contains(code))
    }

    /// The octets of an event in hexadecimal; only their number if they are secret.
    static func text(event code: UInt16, _ octets: [UInt8]) -> String {
        // Command Complete and Command Status begin with the command's opcode.
        if code <= 0x0002, octets.count >= 2 {
            return SecretOctets.text(octets, isSecret: commands.contains(UInt16(octets[0]) | UInt16(octets[1]) << 8))
        }
        return SecretOctets.text(octets, isSecret: events.contains(code))
    }
}
