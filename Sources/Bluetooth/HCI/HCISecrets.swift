// SPDX-License-Identifier: MIT

/// The HCI packets that carry keys, passkeys or out-of-band data, which no trace and no file may show. The kernel shows
/// its own commands to every raw socket, and those that encrypt a link contain the key.
///
/// Spec: Core 5.4, Vol 4, Part E, 7; for physical links Core 5.2, Vol 4, Part E, 7.1.37 and 7.1.38
package enum HCISecrets {
    /// The commands by their opcodes, with the number of octets of the parameters before the secret ones. Rand and EDIV
    /// of a key are not secret, because they pass on the air in plain text.
    private static let commands: [UInt16: Int] = [
        // Link Key Request Reply, PIN Code Request Reply, User Passkey Request Reply, and the two Remote OOB Data
        // Request Replies: the address of the device comes first.
        0x040B: 6, 0x040D: 6, 0x042E: 6, 0x0430: 6, 0x0445: 6,
        // Write Stored Link Key.
        0x0C11: 0,
        // LE Encrypt.
        0x2017: 0,
        // LE Enable Encryption: handle, Rand and EDIV come first.
        0x2019: 12,
        // LE Long Term Key Request Reply: the handle comes first.
        0x201A: 2,
        // LE Add Device To Resolving List: the device's address and its type come first.
        0x2027: 7,
        // LE Create BIG, LE Create BIG Test, LE BIG Create Sync: the numbers and the properties come before the
        // Broadcast_Code.
        0x2068: 15, 0x2069: 20, 0x206B: 4,
        // Create Physical Link, Accept Physical Link: the handle, the length and the type come before the key.
        0x0435: 3, 0x0436: 3,
    ]

    /// The commands with secret return parameters: Read Local OOB Data, Read Local OOB Extended Data, LE Encrypt, and
    /// LE Rand, because hosts make keys from its numbers.
    private static let secretAnswers: Set<UInt16> = [0x0C57, 0x0C7D, 0x2017, 0x2018]

    /// The events by their codes, with the number of octets of the parameters before the secret ones: Return Link Keys;
    /// Link Key Notification and User Passkey Notification, in which the address of the device comes first.
    private static let events: [UInt8: Int] = [0x15: 0, 0x18: 6, 0x3B: 6]

    /// LE Generate DHKey Complete.
    private static let subevents: Set<UInt8> = [0x09]

    package static func areIn(_ packet: HCIPacket) -> Bool {
        switch packet {
        case .command(let command): commands[command.opcode.rawValue] != nil
        case .event(let event): areIn(event)
        case .acl, .other: false
        }
    }

    private static func areIn(_ event: HCIEventPacket) -> Bool {
        let parameters = event.parameters
        switch event.code {
        case .commandComplete:
            return parameters.count >= 3 && secretAnswers.contains(opcode(in: parameters, at: 1))
        case .leMeta:
            return parameters.first.map { subevents.contains($0) } ?? false
        default:
            return events[event.code.rawValue] != nil
        }
    }

    /// A packet with its indicator, with zeros in place of secrets; also one that is cut off or malformed.
    package static func zeroed(_ packet: [UInt8]) -> [UInt8] {
        guard let kept = openLength(of: packet), kept < packet.count else { return packet }
        return packet.prefix(kept) + [UInt8](repeating: 0, count: packet.count - kept)
    }

    /// The number of octets before the secret ones; `nil` if there are none.
    private static func openLength(of packet: [UInt8]) -> Int? {
        switch packet.first {
        // After the indicator, the opcode and the length.
        case 0x01 where packet.count >= 4:
            return commands[opcode(in: packet, at: 1)].map { 4 + $0 }
        // After the indicator, the code and the length.
        case 0x04 where packet.count >= 3:
            switch HCIEventCode(rawValue: packet[1]) {
            case .commandComplete:
                guard packet.count >= 6, secretAnswers.contains(opcode(in: packet, at: 4)) else { return nil }
                // The number of commands, the opcode and the status are kept.
                return 7
            case .leMeta:
                // The subevent code and the status are kept.
                return packet.count >= 4 && subevents.contains(packet[3]) ? 5 : nil
            default:
                return events[packet[1]].map { 3 + $0 }
            }
        default:
            return nil
        }
    }

    /// The opcode in two octets, the lower one first.
    private static func opcode(in octets: [UInt8], at index: Int) -> UInt16 {
        UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }

    /// The parameters of a command in hexadecimal; only their number if the command has secrets.
    static func text(command opcode: HCIOpcode, _ parameters: [UInt8]) -> String {
        SecretOctets.text(parameters, isSecret: commands[opcode.rawValue] != nil)
    }

    /// The return parameters of a command in hexadecimal; only their number if they have secrets.
    static func text(answerTo opcode: HCIOpcode, _ parameters: [UInt8]) -> String {
        SecretOctets.text(parameters, isSecret: secretAnswers.contains(opcode.rawValue))
    }

    /// The parameters of an event in hexadecimal; only their number if the event has secrets.
    static func text(of event: HCIEventPacket) -> String { SecretOctets.text(event.parameters, isSecret: areIn(event)) }
}
