// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Testing

@Suite("Management packets")
struct ManagementVectorTests {
    private static let hci1 = ManagementIndex(1)

    @Test("Commands as btmgmt sends them")
    func commands() throws {
        func expect(_ command: some ManagementCommand, to adapter: ManagementIndex, _ hex: String) throws {
            expectWire(command.packet(to: adapter), hex)
            let packet = try ManagementPacket(decoding: octets(hex))
            let decoded = try ManagementCommandCatalog.command(in: packet)
            #expect(decoded.map { AnyHashable($0) } == AnyHashable(command))
        }
        try expect(ReadManagementVersion(), to: .none, "0100 ffff 0000")
        try expect(ReadControllerIndexList(), to: .none, "0300 ffff 0000")
        try expect(ReadControllerInformation(), to: Self.hci1, "0400 0100 0000")
        try expect(SetPowered(true), to: Self.hci1, "0500 0100 0100 01")
        try expect(SetPowered(false), to: Self.hci1, "0500 0100 0100 00")
        try expect(SetLowEnergy(true), to: ManagementIndex(0), "0d00 0000 0100 01")
    }

    private static let list = "0100 ffff 0900 0300 00 0200 0000 0300"
    private static let events: [(ManagementEvent, ManagementIndex, String)] = [
        (
            .known(ManagementCommandCompleteEvent(SetLowEnergy.self, [.powered, .lowEnergy])), hci1,
            "0100 0100 0700 0d00 00 01020000"
        ),
        (
            .known(
                ManagementCommandCompleteEvent(
                    ReadControllerIndexList.self,
                    .init([ManagementIndex(0), ManagementIndex(3)])
                )
            ), .none, list
        ),
        (
            .known(ManagementCommandStatusEvent(SetPowered.opcode, status: .permissionDenied)), hci1,
            "0200 0100 0300 0500 14"
        ),
        (.known(ControllerErrorEvent(errorCode: 0x07)), hci1, "0300 0100 0100 07"),
        (.known(IndexAddedEvent()), hci1, "0400 0100 0000"), (.known(IndexRemovedEvent()), hci1, "0500 0100 0000"),
        (.known(NewSettingsEvent([.powered, .basicRate])), hci1, "0600 0100 0400 81000000"),
        (
            .unknown(ManagementPacket(code: 0x0012, adapter: hci1, parameters: [0xAB])), hci1,
            "1200 0100 0100 ab"
        ),
    ]

    @Test("Events as the kernel sends them")
    func eventVectors() throws {
        for (event, adapter, hex) in Self.events {
            let packet = try ManagementPacket(decoding: octets(hex))
            #expect(packet.adapter == adapter)
            #expect(try ManagementEvent(packet) == event)
            guard let parameters = event.parameters else { continue }
            expectWire(parameters.packet(about: adapter), hex)
            for length in 0..<packet.parameters.count where length < 3 && packet.code <= 6 {
                let cut = ManagementPacket(
                    code: packet.code,
                    adapter: adapter,
                    parameters: Array(packet.parameters.prefix(length))
                )
                #expect(throws: DecodeError.self, "\(event)") { try ManagementEvent(cut) }
            }
        }
    }

    @Test("The information of a controller, also with additions of a later kernel")
    func information() throws {
        let information = ReadControllerInformation.ReturnParameters(
            address: BluetoothAddress(rawValue: 0x00AA_0100_0000),
            version: .core5_4,
            manufacturer: 0x05F1,
            supportedSettings: ManagementSettings(rawValue: 0x0001_BEFF),
            currentSettings: [.powered, .bondable, .basicRate],
            deviceClass: 0x00_010C,
            name: Array("lab".utf8),
            shortName: Array(repeating: 0x41, count: 40)
        )
        let hex =
            "000000 01aa00 0d f105 ffbe0100 91000000 0c0100" + "6c6162" + String(repeating: "00", count: 246)
            + String(repeating: "41", count: 10) + "00"
        expectWire(information, hex)
        #expect(octets(hex).count == 280)
        let longer = octets(hex) + [1, 2, 3]
        #expect(try ReadControllerInformation.returnParameters(decoding: longer) == information)
    }

    @Test("A list that claims to be longer than it is, is refused")
    func lists() throws {
        for hex in ["", "02", "0200", "0200 0000", "ffff 0000"] {
            #expect(throws: DecodeError.self) {
                try ReadControllerIndexList.returnParameters(decoding: octets(hex))
            }
        }
        #expect(try ReadControllerIndexList.returnParameters(decoding: octets("0000")).adapters == [])
    }

    @Test("Every packet is one line in a trace")
    func lines() throws {
        func sent(_ hex: String) throws -> String {
            ManagementCommandCatalog.describe(sent: try ManagementPacket(decoding: octets(hex)))
        }
        func received(_ hex: String) throws -> String {
            ManagementCommandCatalog.describe(received: try ManagementPacket(decoding: octets(hex)))
        }
        #expect(try sent("0300 ffff 0000") == "kernel Read Controller Index List")
        #expect(try sent("0d00 0100 0100 01") == "hci1 Set Low Energy: on")
        #expect(try sent("0d00 0100 0100 07").hasPrefix("hci1 Set Low Energy: malformed"))
        #expect(try sent("4200 0100 0100 07") == "hci1 command 0x0042: 07")
        #expect(try received(Self.list) == "kernel Command Complete: Read Controller Index List: hci0 hci3")
        #expect(try received("0200 0100 0300 0500 14") == "hci1 Command Status: Set Powered: Permission Denied")
        #expect(try received("0600 0100 0400 81020000") == "hci1 New Settings: powered br/edr le")
        #expect(try received("1200 0100 0100 ab") == "hci1 event 0x0012: ab")
        #expect(try received("0600 0100 0100 ab").hasPrefix("hci1 event 0x0006: malformed"))
    }

    @Test("Random octets are a packet or an error, and every packet has a line")
    func random() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8(truncatingIfNeeded: generator.next() >> 56)
            }
            if bytes.count >= 6 {
                // A known code and the right length, more often than by chance.
                (bytes[0], bytes[1]) = (bytes[0] & 0x0F, 0)
                (bytes[4], bytes[5]) = (UInt8(bytes.count - 6), 0)
            }
            guard let packet = try? ManagementPacket(decoding: bytes) else { continue }
            #expect(packet.encoded() == bytes)
            #expect(!ManagementCommandCatalog.describe(sent: packet).isEmpty)
            #expect(!ManagementCommandCatalog.describe(received: packet).isEmpty)
        }
    }

    @Test("Commands and events have the names of the registry")
    func registeredNames() {
        for command in ManagementCommandCatalog.all {
            #expect(ProtocolNames.managementCommand(command.opcode.rawValue) == command.name)
        }
        var count = 0
        for code in UInt16(0)...0xFF {
            let zeros = [UInt8](repeating: 0, count: 400)
            let packet = ManagementPacket(code: code, adapter: .none, parameters: zeros)
            guard let event = try? ManagementEvent(packet).parameters else { continue }
            count += 1
            #expect(ProtocolNames.managementEvent(code) == type(of: event).form.name)
        }
        #expect(count >= 15)
    }

    @Test("Statuses and settings have names; unknown ones show their number")
    func names() {
        #expect(ManagementStatus.radioBlocked.description == "RFKilled")
        #expect(ManagementStatus(rawValue: 0x42).description == "status 0x42")
        #expect(ManagementSettings(rawValue: 1 << 31 | 1).description == "powered bit 31")
        #expect(ManagementSettings([]).description == "none")
        // As btmgmt prints the settings of a controller with isochronous channels, private addresses and transfers.
        let later = ManagementSettings(rawValue: 0b1_1111 << 20)
        #expect(later.names == ["iso-broadcaster", "sync-receiver", "ll-privacy", "past-sender", "past-receiver"])
        let asleep = DeviceDisconnectedEvent.Reason(rawValue: 5)
        #expect(asleep.description == "terminated by local host for suspend")
        #expect(DeviceDisconnectedEvent.Reason(rawValue: 6).description == "reason 6")
    }
}
