// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("Management packets of pairings and keys")
struct ManagementSecurityTests {
    private static let hci0 = ManagementIndex(0)
    private static let peer = ManagementAddress(
        DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4455), .random)
    )
    private static let identity = ManagementAddress(BluetoothAddress(rawValue: 0x001B_DC07_32EF), .lePublic)
    private static let secret = SecurityKey(0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF)
    /// The addresses and the key as they are sent.
    private static let peerHex = "5544332211c4 02"
    private static let identityHex = "ef3207dc1b00 01"
    private static let secretHex = "ffeeddccbbaa99887766554433221100"

    private static let longTermKey = LongTermKey(
        device: identity,
        kind: .authenticatedP256,
        isCentral: true,
        encryptionSize: 16,
        value: secret
    )
    private static let legacyKey = LongTermKey(
        device: peer,
        kind: .unauthenticatedLegacy,
        isCentral: false,
        encryptionSize: 7,
        diversifier: 0x1234,
        randomNumber: 0x0102_0304_0506_0708,
        value: secret
    )
    private static let longTermKeyHex = identityHex + "03 01 10 0000 0000000000000000" + secretHex
    private static let legacyKeyHex = peerHex + "00 00 07 3412 0807060504030201" + secretHex
    private static let identityKey = IdentityResolvingKey(device: identity, value: secret)
    private static let pair = OutOfBandData.Pair(hash: secret, randomizer: .zero)
    private static let zeros = String(repeating: "00", count: 16)

    private static let commands: [(any ManagementCommand, String)] = [
        (SetBondable(true), "0900 0000 0100 01"),
        (SetSecureSimplePairing(true), "0b00 0000 0100 01"),
        (LoadLongTermKeys([]), "1300 0000 0200 0000"),
        (LoadLongTermKeys([longTermKey, legacyKey]), "1300 0000 4a00 0200" + longTermKeyHex + legacyKeyHex),
        (GetConnections(), "1500 0000 0000"),
        (SetIOCapability(.keyboardDisplay), "1800 0000 0100 04"),
        (PairDevice(peer, capability: .noInputNoOutput), "1900 0000 0800" + peerHex + "03"),
        (CancelPairDevice(peer), "1a00 0000 0700" + peerHex),
        (UnpairDevice(peer, disconnects: true), "1b00 0000 0800" + peerHex + "01"),
        (UserConfirmationReply(peer), "1c00 0000 0700" + peerHex),
        (UserConfirmationNegativeReply(peer), "1d00 0000 0700" + peerHex),
        (UserPasskeyReply(peer, passkey: 123_456), "1e00 0000 0b00" + peerHex + "40e20100"),
        (UserPasskeyNegativeReply(peer), "1f00 0000 0700" + peerHex),
        (ReadLocalOutOfBandData(), "2000 0000 0000"),
        (AddRemoteOutOfBandData(peer, OutOfBandData(p256: nil)), "2100 0000 2700" + peerHex + zeros + zeros),
        (
            AddRemoteOutOfBandData(peer, OutOfBandData(p256: pair)),
            "2100 0000 4700" + peerHex + zeros + zeros + secretHex + zeros
        ),
        (RemoveRemoteOutOfBandData(peer), "2200 0000 0700" + peerHex),
        (SetSecureConnections(.only), "2d00 0000 0100 02"),
        (SetPrivacy(.on, key: secret), "2f00 0000 1100 01" + secretHex),
        (SetPrivacy(.off), "2f00 0000 1100 00" + zeros), (SetAdvertising(.connectable), "2900 0000 0100 02"),
        (LoadIdentityResolvingKeys([identityKey]), "3000 0000 1900 0100" + identityHex + secretHex),
        (ReadLocalOutOfBandExtendedData(), "3b00 0000 0100 06"),
    ]

    @Test("Commands as the kernel reads them")
    func commandVectors() throws {
        for (command, hex) in Self.commands {
            func check<Command: ManagementCommand>(_ command: Command) throws {
                let packet = command.packet(to: Self.hci0)
                #expect(Hex.string(packet.encoded()) == Hex.string(octets(hex)), "\(Command.name)")
                let decoded = try ManagementCommandCatalog.command(in: try ManagementPacket(decoding: octets(hex)))
                #expect(decoded.map { AnyHashable($0) } == AnyHashable(command), "\(Command.name)")
                for length in 0..<packet.parameters.count where Command.self != AddRemoteOutOfBandData.self {
                    let cut = Array(packet.parameters.prefix(length))
                    #expect(throws: DecodeError.self, "\(Command.name)") { try Command(decoding: cut) }
                }
            }
            try check(command)
        }
    }

    @Test("Every command of the module has its own opcode, and the catalogue is in their order")
    func catalogue() {
        let opcodes = ManagementCommandCatalog.all.map { $0.opcode.rawValue }
        #expect(opcodes == opcodes.sorted() && Set(opcodes).count == opcodes.count)
        let tested = Set(Self.commands.map { $0.0.packet(to: Self.hci0).code })
        #expect(tested.union([1, 3, 4, 5, 0x0D]) == Set(opcodes))
    }

    private static let events: [(ManagementEvent, String)] = [
        (.known(NewLongTermKeyEvent(isToBeStored: true, longTermKey)), "0a00 0000 2500 01" + longTermKeyHex),
        (.known(NewLongTermKeyEvent(isToBeStored: false, legacyKey)), "0a00 0000 2500 00" + legacyKeyHex),
        (.known(DeviceConnectedEvent(peer)), "0b00 0000 0d00" + peerHex + "00000000 0000"),
        (
            .known(DeviceConnectedEvent(peer, flags: 8, data: [0x02, 0x01, 0x06])),
            "0b00 0000 1000" + peerHex + "08000000 0300 020106"
        ),
        (.known(DeviceDisconnectedEvent(peer, reason: .authenticationFailed)), "0c00 0000 0800" + peerHex + "04"),
        (.known(ConnectFailedEvent(peer, status: .timeout)), "0d00 0000 0800" + peerHex + "08"),
        (
            .known(UserConfirmationRequestEvent(peer, isOnlyConsent: false, value: 123_456)),
            "0f00 0000 0c00" + peerHex + "00 40e20100"
        ),
        (
            .known(UserConfirmationRequestEvent(peer, isOnlyConsent: true, value: 0)),
            "0f00 0000 0c00" + peerHex + "01 00000000"
        ),
        (.known(UserPasskeyRequestEvent(peer)), "1000 0000 0700" + peerHex),
        (.known(AuthenticationFailedEvent(peer, status: .authenticationFailed)), "1100 0000 0800" + peerHex + "05"),
        (.known(DeviceUnpairedEvent(identity)), "1600 0000 0700" + identityHex),
        (
            .known(PasskeyNotifyEvent(peer, passkey: 123_456, enteredCount: 2)),
            "1700 0000 0c00" + peerHex + "40e20100 02"
        ),
        (
            .known(
                NewIdentityResolvingKeyEvent(
                    isToBeStored: true,
                    privateAddress: BluetoothAddress(rawValue: 0x7081_940D_FBAA),
                    identityKey
                )
            ),
            "1800 0000 1e00 01 aafb0d948170" + identityHex + secretHex
        ),
        (
            .known(
                NewSignatureResolvingKeyEvent(
                    isToBeStored: true,
                    SignatureResolvingKey(device: identity, kind: .authenticatedRemote, value: secret)
                )
            ),
            "1900 0000 1900 01" + identityHex + "03" + secretHex
        ),
    ]

    @Test("Events as the kernel sends them; additions of a later kernel are ignored")
    func eventVectors() throws {
        for (event, hex) in Self.events {
            let packet = try ManagementPacket(decoding: octets(hex))
            #expect(try ManagementEvent(packet) == event)
            let parameters = try #require(event.parameters)
            #expect(Hex.string(parameters.packet(about: Self.hci0).encoded()) == Hex.string(octets(hex)))
            for length in 0..<packet.parameters.count {
                let octets = Array(packet.parameters.prefix(length))
                let cut = ManagementPacket(code: packet.code, adapter: Self.hci0, parameters: octets)
                #expect(throws: DecodeError.self, "\(parameters)") { try ManagementEvent(cut) }
            }
            let longer = ManagementPacket(code: packet.code, adapter: Self.hci0, parameters: packet.parameters + [1])
            #expect(try ManagementEvent(longer) == event)
        }
    }

    @Test("Return parameters")
    func returned() throws {
        #expect(try PairDevice.returnParameters(decoding: octets(Self.identityHex)) == Self.identity)
        #expect(try LoadLongTermKeys.returnParameters(decoding: []) == NoManagementReturnParameters())
        let short = octets(Self.secretHex + Self.zeros)
        let long = short + octets(Self.zeros + Self.secretHex)
        #expect(
            try ReadLocalOutOfBandData.returnParameters(decoding: short) == OutOfBandData(p192: Self.pair, p256: nil)
        )
        let data = try ReadLocalOutOfBandData.returnParameters(decoding: long)
        #expect(data.p256 == OutOfBandData.Pair(hash: .zero, randomizer: Self.secret))
        for length in 0..<64 where length != 32 {
            let cut = Array(long.prefix(length))
            #expect(throws: DecodeError.self) { try ReadLocalOutOfBandData.returnParameters(decoding: cut) }
        }
    }

    @Test("The data of Low Energy is that of an advertisement, and both values are needed")
    func extendedData() throws {
        typealias Command = ReadLocalOutOfBandExtendedData
        let (confirm, random) = ("1122" + Self.secretHex, "1123" + String(repeating: "01", count: 16))
        let whole = "06 2a00" + "021c02" + confirm + random + "020106"
        let answer = try Command.returnParameters(decoding: octets(whole))
        #expect(answer.pair?.hash == Self.secret)
        #expect(answer.pair?.randomizer.octets == [UInt8](repeating: 1, count: 16))
        #expect(!answer.details.contains("00112233") && !answer.details.contains("ffeedd"))
        for (hex, count) in [("021c02" + confirm, 21), (random, 18), ("", 0), ("1122aa", 3)] {
            let part = try Command.returnParameters(decoding: [6, UInt8(count), 0] + octets(hex))
            #expect(part.pair == nil, "\(hex)")
        }
        for length in 0..<(octets(whole).count) {
            #expect(throws: DecodeError.self) {
                try Command.returnParameters(decoding: Array(octets(whole).prefix(length)))
            }
        }
    }

    @Test("A list that claims more keys than it has is refused, and no list is longer than a packet")
    func lists() throws {
        for hex in ["", "01", "0100", "ffff" + Self.longTermKeyHex, "0200" + Self.longTermKeyHex] {
            #expect(throws: DecodeError.self) { try LoadLongTermKeys(decoding: octets(hex)) }
        }
        #expect(LoadLongTermKeys.maximumCount == 1_820)
        let keys = [LongTermKey](repeating: Self.longTermKey, count: 2_000)
        let packet = try LoadLongTermKeys(decoding: LoadLongTermKeys(keys).packet(to: Self.hci0).parameters)
        #expect(packet.keys.count == 1_820)
    }

    @Test("Addresses name their transport")
    func addresses() {
        #expect(Self.peer.device?.type == .random && Self.identity.device?.type == .public)
        let classic = ManagementAddress(BluetoothAddress(rawValue: 1), .basicRate)
        #expect(classic.device == nil && classic.description == "00:00:00:00:00:01 (br/edr)")
        #expect(Self.peer.description == "C4:11:22:33:44:55 (random)")
    }

    private func sent(_ hex: String) throws -> String {
        ManagementCommandCatalog.describe(sent: try ManagementPacket(decoding: octets(hex)))
    }

    private func received(_ hex: String) throws -> String {
        ManagementCommandCatalog.describe(received: try ManagementPacket(decoding: octets(hex)))
    }

    @Test("Each packet is one line in a trace")
    func lines() throws {
        #expect(
            try sent("1900 0000 0800" + Self.peerHex + "03")
                == "hci0 Pair Device: C4:11:22:33:44:55 (random), NoInputNoOutput"
        )
        #expect(try sent("1300 0000 0200 0000") == "hci0 Load Long Term Keys: 0 keys")
        #expect(
            try received(Self.events[0].1)
                == "hci0 New Long Term Key: 00:1B:DC:07:32:EF (public), authenticated secure-connections, 16 octets"
        )
        #expect(
            try received("1100 0000 0800" + Self.peerHex + "05")
                == "hci0 Authentication Failed: C4:11:22:33:44:55 (random), Authentication Failed"
        )
    }

    @Test("No trace shows a key or a passkey, whether the packet is known, unknown or malformed")
    func secrets() throws {
        func isSafe(_ text: String) -> Bool {
            let text = text.lowercased()
            let hidden = [Self.secretHex, String(Self.secretHex.prefix(12)), "00112233", "123456", "40e201"]
            return hidden.allSatisfy { !text.contains($0) }
        }
        for (_, hex) in Self.commands {
            let octets = octets(hex)
            #expect(isSafe(try sent(hex)), "\(hex)")
            // The same command cut short.
            guard octets.count > 10 else { continue }
            var cut = Array(octets.dropLast())
            (cut[4], cut[5]) = (UInt8(truncatingIfNeeded: cut.count - 6), UInt8((cut.count - 6) >> 8))
            #expect(isSafe(ManagementCommandCatalog.describe(sent: try ManagementPacket(decoding: cut))))
        }
        for (event, hex) in Self.events {
            guard case .known(is UserConfirmationRequestEvent) = event else {
                #expect(isSafe(try received(hex)), "\(hex)")
                continue
            }
        }
        // New Link Key of Basic Rate, which this module does not decode, and the answer to Read Local Out Of Band Data.
        let linkKey = "0900 0000 1a00 01" + "5544332211c4 00 04" + Self.secretHex + "00"
        #expect(try received(linkKey) == "hci0 event 0x0009: (26 octets hidden)")
        #expect(isSafe(try received("0100 0000 2300 2000 00" + Self.secretHex + Self.secretHex)))
        #expect(isSafe(try received("0100 0000 1300 2000 00" + Self.secretHex)))
        #expect(try received("0100 0000 1300 3b00 00" + Self.secretHex).hasSuffix("(16 octets hidden)"))
    }
}
