// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Keys in HCI packets")
struct HCISecretsTests {
    struct Secret: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What is shown of the packet, with its indicator.
        let open: String
        /// The octets of the packet after that.
        let count: Int
        let line: String

        init(_ name: String, _ open: String, _ count: Int = 16, line: String) {
            testDescription = name
            self.open = open
            self.count = count
            self.line = line
        }
    }

    private static let secrets = [
        Secret(
            "LE Enable Encryption",
            "01 1920 1c 4000 0102030405060708 a1a2",
            line: "command 0x2019: (28 octets hidden)"
        ),
        Secret("LE Long Term Key Request Reply", "01 1a20 12 4000", line: "command 0x201A: (18 octets hidden)"),
        Secret(
            "LE Add Device To Resolving List",
            "01 2720 27 01 f5f4f3f2f1f0",
            32,
            line: "command 0x2027: (39 octets hidden)"
        ),
        Secret(
            "LE Create BIG",
            "01 6820 1f 000102 102700 7800 0a00 02 02 00 00 01",
            line: "command 0x2068: (31 octets hidden)"
        ),
        Secret(
            "LE Create BIG Test",
            "01 6920 24 000102 102700 0a00 03 7800 7800 02 00 00 01 02 00 01",
            line: "command 0x2069: (36 octets hidden)"
        ),
        Secret("LE BIG Create Sync", "01 6b20 19 00 0100 01", 21, line: "command 0x206B: (25 octets hidden)"),
        Secret("Create Physical Link", "01 3504 23 01 20 03", 32, line: "command 0x0435: (35 octets hidden)"),
        Secret("Accept Physical Link", "01 3604 23 01 20 03", 32, line: "command 0x0436: (35 octets hidden)"),
        Secret("PIN Code Request Reply", "01 0d04 17 f5f4f3f2f1f0", 17, line: "command 0x040D: (23 octets hidden)"),
        Secret("User Passkey Request Reply", "01 2e04 0a f5f4f3f2f1f0", 4, line: "command 0x042E: (10 octets hidden)"),
        Secret(
            "Remote OOB Data Request Reply",
            "01 3004 26 f5f4f3f2f1f0",
            32,
            line: "command 0x0430: (38 octets hidden)"
        ),
        Secret(
            "Remote OOB Extended Data Request Reply",
            "01 4504 46 f5f4f3f2f1f0",
            64,
            line: "command 0x0445: (70 octets hidden)"
        ),
        Secret("Write Stored Link Key", "01 110c 17", 23, line: "command 0x0C11: (23 octets hidden)"),
        Secret("Link Key Request Reply", "01 0b04 16 f5f4f3f2f1f0", line: "command 0x040B: (22 octets hidden)"),
        Secret("LE Encrypt", "01 1720 20", 32, line: "command 0x2017: (32 octets hidden)"),
        Secret(
            "the answer to Read Local OOB Data",
            "04 0e 24 01 570c 00",
            32,
            line: "Command Complete: command 0x0C57: success, (32 octets hidden)"
        ),
        Secret(
            "the answer to Read Local OOB Extended Data",
            "04 0e 44 01 7d0c 00",
            64,
            line: "Command Complete: command 0x0C7D: success, (64 octets hidden)"
        ),
        Secret(
            "the answer to LE Encrypt",
            "04 0e 14 01 1720 00",
            line: "Command Complete: command 0x2017: success, (16 octets hidden)"
        ),
        Secret(
            "the answer to LE Rand",
            "04 0e 0c 01 1820 00",
            8,
            line: "Command Complete: command 0x2018: success, (8 octets hidden)"
        ),
        Secret("Return Link Keys", "04 15 17", 23, line: "event 0x15: (23 octets hidden)"),
        Secret("User Passkey Notification", "04 3b 0a f5f4f3f2f1f0", 4, line: "event 0x3B: (10 octets hidden)"),
        Secret("Link Key Notification", "04 18 17 f5f4f3f2f1f0", 17, line: "event 0x18: (23 octets hidden)"),
        Secret("LE Generate DHKey Complete", "04 3e 22 09 00", 32, line: "event 0x3E: (34 octets hidden)"),
    ]

    @Test("keys are in no trace and no file", arguments: secrets)
    func hidden(_ secret: Secret) throws {
        let whole = octets(secret.open) + [UInt8](repeating: 0x5A, count: secret.count)
        let zeroed = octets(secret.open) + [UInt8](repeating: 0, count: secret.count)
        #expect(HCISecrets.zeroed(whole) == zeroed)
        // A packet that was cut off keeps no part of a key either.
        #expect(HCISecrets.zeroed(Array(whole.dropLast(1))) == Array(zeroed.dropLast(1)))
        let packet = try HCIPacket(decoding: whole)
        #expect(HCISecrets.areIn(packet))
        let line =
            switch packet {
            case .command(let command): "\(command)"
            case .event(let event): "\(event)"
            case .acl, .other: ""
            }
        #expect(line == secret.line)
    }

    @Test(
        "all other packets are unchanged",
        arguments: [
            "01 0c20 02 01 00", "01 2099 02 5a5a", "04 0e 04 01 0c20 00", "04 0f 04 00 01 1920", "04 08 04 00 4000 01",
            "04 3e 02 7f 5a", "02 4000 0700 0300 0400 0a 1200", "01", "01 19", "04", "04 3e", "",
        ]
    )
    func open(_ hex: String) {
        let bytes = octets(hex)
        #expect(HCISecrets.zeroed(bytes) == bytes)
        if let packet = try? HCIPacket(decoding: bytes) { #expect(!HCISecrets.areIn(packet)) }
    }
}
