// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

private let link: ConnectionHandle = 0x0040
private let set = LEAdvertisingHandle(rawValue: 0x01)
private let strap = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)

/// A command, and the packet that carries it.
struct CommandVector: Sendable, CustomTestStringConvertible {
    let command: any HCICommand
    let hex: String

    init(_ command: any HCICommand, _ hex: String) {
        self.command = command
        self.hex = hex
    }

    var testDescription: String { type(of: command).name }

    private static let parameters = LEConnectionParameters(
        minimumInterval: LEInterval(rawValue: 0x0018),
        maximumInterval: LEInterval(rawValue: 0x0028),
        latency: 4,
        supervisionTimeout: LEInterval(rawValue: 0x002A),
        minimumEventLength: LEInterval(rawValue: 1),
        maximumEventLength: LEInterval(rawValue: 2)
    )

    private static let initiation = LEExtendedCreateConnection.Initiation(
        scanInterval: LEInterval(rawValue: 0x0060),
        scanWindow: LEInterval(rawValue: 0x0030),
        parameters: parameters
    )

    static let all: [CommandVector] = links + advertising + extendedAdvertising + connections

    private static let links: [CommandVector] = [
        CommandVector(HCIDisconnect(link), "0604 03 4000 13"),
        CommandVector(HCIReadRemoteVersionInformation(link), "1d04 02 4000"),
        CommandVector(HCISetEventMask(mask: 0x3DBF_F807_FFFB_FFFF), "010c 08 fffffbff07f8bf3d"),
        CommandVector(HCIReset(), "030c 00"),
        CommandVector(HCIReadLocalVersionInformation(), "0110 00"),
        CommandVector(HCIReadLocalSupportedCommands(), "0210 00"),
        CommandVector(HCIReadLocalSupportedFeatures(), "0310 00"),
        CommandVector(HCIReadBDADDR(), "0910 00"),
        CommandVector(HCIReadRSSI(link), "0514 02 4000"),
        CommandVector(HCIReadTransmitPowerLevel(link), "2d0c 03 4000 00"),
        CommandVector(LESetEventMask(mask: 0x1F), "0120 08 1f00000000000000"),
        CommandVector(LEReadBufferSize(), "0220 00"),
        CommandVector(LEReadLocalSupportedFeatures(), "0320 00"),
        CommandVector(LESetRandomAddress(strap.address), "0520 06 f5f4f3f2f1f0"),
        CommandVector(LEReadSupportedStates(), "1c20 00"),
        CommandVector(LEReadTransmitPower(), "4b20 00"),
        CommandVector(
            LESubrateRequest(
                link,
                LESubrateParameters(
                    factors: 2...4,
                    maximumLatency: 1,
                    continuationNumber: 3,
                    supervisionTimeout: LEInterval(rawValue: 0x2A)
                )
            ),
            "7e20 0c 4000 0200 0400 0100 0300 2a00"
        ),
    ]

    private static let advertising: [CommandVector] = [
        CommandVector(
            LESetAdvertisingParameters(
                minimumInterval: LEInterval(.milliseconds(100)),
                maximumInterval: LEInterval(.milliseconds(150)),
                kind: .scannable,
                ownAddressType: .random,
                peer: strap,
                filterPolicy: .connectAcceptList
            ),
            "0620 0f a000 f000 02 01 01 f5f4f3f2f1f0 07 02"
        ),
        CommandVector(LEReadAdvertisingPhysicalChannelTxPower(), "0720 00"),
        CommandVector(LESetAdvertisingEnable(isEnabled: true), "0a20 01 01"),
        CommandVector(LESetAdvertisingEnable(isEnabled: false), "0a20 01 00"),
    ]

    private static let extendedAdvertising: [CommandVector] = [
        CommandVector(LESetAdvertisingSetRandomAddress(set, strap.address), "3520 07 01 f5f4f3f2f1f0"),
        CommandVector(
            LESetExtendedAdvertisingParameters(
                set: set,
                properties: [.connectable, .includeTxPower],
                minimumInterval: LEInterval(rawValue: 0x0001_86A0),
                maximumInterval: LEInterval(rawValue: 0x00FF_FFFF),
                ownAddressType: .random,
                peer: strap,
                filterPolicy: .acceptList,
                txPower: -4,
                primaryPHY: .coded,
                secondaryMaximumSkip: 3,
                secondaryPHY: .le2M,
                sid: 0x0F,
                reportsScanRequests: true
            ),
            "3620 19 01 4100 a08601 ffffff 07 01 01 f5f4f3f2f1f0 03 fc 03 03 02 0f 01"
        ),
        CommandVector(LEReadMaximumAdvertisingDataLength(), "3a20 00"),
        CommandVector(LEReadNumberOfSupportedAdvertisingSets(), "3b20 00"),
        CommandVector(LERemoveAdvertisingSet(set), "3c20 01 01"),
        CommandVector(LEClearAdvertisingSets(), "3d20 00"),
    ]

    private static let connections: [CommandVector] = [
        CommandVector(
            LECreateConnection(
                scanInterval: LEInterval(rawValue: 0x0060),
                scanWindow: LEInterval(rawValue: 0x0030),
                peer: strap,
                ownAddressType: .resolvableOrPublic,
                parameters: parameters
            ),
            "0d20 19 6000 3000 00 01 f5f4f3f2f1f0 02 1800 2800 0400 2a00 0100 0200"
        ),
        CommandVector(LECreateConnectionCancel(), "0e20 00"),
        CommandVector(LEReadFilterAcceptListSize(), "0f20 00"),
        CommandVector(LEClearFilterAcceptList(), "1020 00"),
        CommandVector(LEAddDeviceToFilterAcceptList(strap), "1120 07 01 f5f4f3f2f1f0"),
        CommandVector(LERemoveDeviceFromFilterAcceptList(strap), "1220 07 01 f5f4f3f2f1f0"),
        CommandVector(LEConnectionUpdate(link, parameters), "1320 0e 4000 1800 2800 0400 2a00 0100 0200"),
        CommandVector(LEReadChannelMap(link), "1520 02 4000"),
        CommandVector(LEReadRemoteFeatures(link), "1620 02 4000"),
        CommandVector(
            LERemoteConnectionParameterRequestReply(link, parameters),
            "2020 0e 4000 1800 2800 0400 2a00 0100 0200"
        ),
        CommandVector(LERemoteConnectionParameterRequestNegativeReply(link), "2120 03 4000 3b"),
        CommandVector(
            LESetDataLength(link, transmit: LEDataLength(octets: 251, microseconds: 2_120)),
            "2220 06 4000 fb00 4808"
        ),
        CommandVector(LEReadSuggestedDefaultDataLength(), "2320 00"),
        CommandVector(
            LEWriteSuggestedDefaultDataLength(transmit: LEDataLength(octets: 27, microseconds: 328)),
            "2420 04 1b00 4801"
        ),
        CommandVector(LEReadMaximumDataLength(), "2f20 00"),
        CommandVector(LEReadPHY(link), "3020 02 4000"),
        CommandVector(LESetDefaultPHY(LEPHYPreference(transmit: nil, receive: nil)), "3120 03 03 00 00"),
        CommandVector(
            LESetPHY(link, LEPHYPreference(transmit: [.le2M], receive: [.le1M, .coded]), coding: .s8),
            "3220 07 4000 00 02 05 0200"
        ),
        CommandVector(
            LESetPHY(link, LEPHYPreference(transmit: [.coded], receive: nil)),
            "3220 07 4000 02 04 00 0000"
        ),
        CommandVector(
            LEExtendedCreateConnection(ownAddressType: .random, peer: strap, le1M: initiation, coded: initiation),
            """
            4320 2a 00 01 01 f5f4f3f2f1f0 05
            6000 3000 1800 2800 0400 2a00 0100 0200 6000 3000 1800 2800 0400 2a00 0100 0200
            """
        ),
        CommandVector(
            LEExtendedCreateConnection(usesAcceptList: true, peer: strap, le1M: nil, le2M: initiation),
            "4320 1a 01 00 01 f5f4f3f2f1f0 02 6000 3000 1800 2800 0400 2a00 0100 0200"
        ),
    ]
}

@Suite("HCI commands (Vol 4, Part E, 7)")
struct CommandVectorTests {
    @Test("each command is written and read exactly", arguments: CommandVector.all)
    func exact(_ vector: CommandVector) throws {
        let packet = octets(vector.hex)
        func check<Command: HCICommand>(_ command: Command) throws {
            #expect(Hex.string(command.packet.encoded()) == Hex.string(packet))
            expectWire(command, Hex.string(packet.dropFirst(3)))
            let decoded = try #require(try HCICommandCatalog.command(in: HCICommandPacket(decoding: packet)))
            #expect(decoded as? Command == command)
            #expect(command.description.hasPrefix(Command.name))
            #expect(command.packet.description == command.description)
        }
        try check(vector.command)
    }

    @Test("every known command has a vector")
    func coverage() {
        let tested = Set(CommandVector.all.map { type(of: $0.command).opcode })
        let elsewhere: [HCIOpcode] = [
            LESetScanParameters.opcode, LESetScanEnable.opcode, LESetExtendedScanParameters.opcode,
            LESetExtendedScanEnable.opcode, LESetAdvertisingData.opcode, LESetScanResponseData.opcode,
            LESetExtendedAdvertisingData.opcode, LESetExtendedScanResponseData.opcode,
            LESetExtendedAdvertisingEnable.opcode,
        ]
        #expect(Set(HCICommandCatalog.all.map { $0.opcode }) == tested.union(elsewhere))
    }

    @Test("legacy advertising data are always 31 octets and their length")
    func legacyData() throws {
        let zeros = String(repeating: "00", count: 28)
        let full = [UInt8](repeating: 0xAA, count: 31)
        expectWire(try #require(LESetAdvertisingData([2, 1, 6])), "03 020106" + zeros)
        expectWire(try #require(LESetScanResponseData(full)), "1f" + Hex.string(full))
        expectWire(try #require(LESetAdvertisingData([])), "00 000000" + zeros)
        #expect(LESetAdvertisingData(full + [0]) == nil)
        #expect(LESetScanResponseData(full + [0]) == nil)
        for length in [32, 255] as [UInt8] {
            #expect(throws: DecodeError("Advertising_Data_Length", .invalid(value: UInt64(length)))) {
                try LESetAdvertisingData(decoding: [length] + full)
            }
        }
    }

    @Test("extended advertising data travel in fragments of 251 octets")
    func extendedData() throws {
        let whole = try #require(LEAdvertisingDataFragment(set, .complete, mayFragment: false, [2, 1, 6]))
        expectWire(LESetExtendedAdvertisingData(whole), "01 03 01 03 020106")
        let first = try #require(LEAdvertisingDataFragment(set, .first, [0xAB]))
        expectWire(LESetExtendedScanResponseData(first), "01 01 00 01 ab")
        #expect(LEAdvertisingDataFragment(set, .complete, [UInt8](repeating: 0, count: 252)) == nil)
        let tooLong = octets("01 03 01 fc") + [UInt8](repeating: 0, count: 252)
        #expect(throws: DecodeError("Advertising_Data_Length", .invalid(value: 252))) {
            try LEAdvertisingDataFragment(decoding: tooLong)
        }
    }

    @Test("data are cut into fragments that add up to the whole", arguments: [0, 1, 251, 252, 502, 503, 1_650])
    func fragments(_ length: Int) {
        let data = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let fragments = LEAdvertisingDataFragment.fragments(of: data, set: set)
        #expect(fragments.flatMap(\.data) == data)
        #expect(fragments.count == max(1, (length + 250) / 251))
        let operations = fragments.map(\.operation)
        if fragments.count == 1 {
            #expect(operations == [.complete])
        } else {
            #expect(operations.first == .first)
            #expect(operations.last == .last)
            #expect(operations.dropFirst().dropLast().allSatisfy { $0 == .intermediate })
        }
    }

    @Test("advertising sets are started and stopped together")
    func enable() throws {
        let sets = [
            LESetExtendedAdvertisingEnable.AdvertisingSet(set),
            LESetExtendedAdvertisingEnable.AdvertisingSet(
                LEAdvertisingHandle(rawValue: 0xEF),
                duration: LEInterval(.seconds(10)),
                maximumEvents: 7
            ),
        ]
        expectWire(
            try #require(LESetExtendedAdvertisingEnable(isEnabled: true, sets: sets)),
            "01 02 01 0000 00 ef e803 07"
        )
        expectWire(try #require(LESetExtendedAdvertisingEnable(isEnabled: false, sets: [])), "00 00")
        let most = [LESetExtendedAdvertisingEnable.AdvertisingSet](repeating: sets[0], count: 63)
        let largest = try #require(LESetExtendedAdvertisingEnable(isEnabled: true, sets: most))
        #expect(try LESetExtendedAdvertisingEnable(decoding: largest.packet.parameters) == largest)
        #expect(LESetExtendedAdvertisingEnable(isEnabled: true, sets: most + most) == nil)
    }

    @Test("values that the specification does not allow are refused")
    func malformed() {
        let vectors = [
            "0620 0f a000 f000 05 01 01 f5f4f3f2f1f0 07 02", "0620 0f a000 f000 02 04 01 f5f4f3f2f1f0 07 02",
            "0620 0f a000 f000 02 01 01 f5f4f3f2f1f0 07 04", "0a20 01 02", "3720 04 01 05 00 00",
            "3720 04 01 03 02 00", "3920 02 01 40", "3220 07 4000 00 02 05 0300",
            "4320 0a 00 01 01 f5f4f3f2f1f0 08", "0d20 19 6000 3000 02 01 f5f4f3f2f1f0 02 1800280004002a0001000200",
        ]
        for vector in vectors {
            #expect(throws: DecodeError.self, "\(vector)") {
                try HCICommandCatalog.command(in: HCICommandPacket(decoding: octets(vector)))
            }
        }
    }

    @Test("random parameters never trap, and decoded ones are encoded the same")
    func random() throws {
        var generator = SeededGenerator(seed: 0x434D_4453)
        for type in HCICommandCatalog.all {
            for _ in 0..<400 {
                let packet = HCICommandPacket(type.opcode, parameters: generator.octets(upTo: 48))
                #expect(!packet.description.isEmpty)
                guard let command = try? HCICommandCatalog.command(in: packet) else { continue }
                let written = HCICommandPacket(type.opcode, parameters: command.encoded())
                #expect(try HCICommandCatalog.command(in: written)?.encoded() == written.parameters)
            }
        }
    }
}

@Suite("Supported commands (Vol 4, Part E, 6.27)")
struct HCISupportedCommandsTests {
    @Test("each command has its own bit")
    func bits() {
        let bits = HCICommandCatalog.all.compactMap { $0.supportBit }
        #expect(Set(bits).count == bits.count)
        #expect(bits.count == HCICommandCatalog.all.count - 1)
    }

    @Test("a table lists the commands that it was made of")
    func table() {
        let table = HCISupportedCommands([LESetExtendedScanParameters.self, LESetExtendedScanEnable.self])
        #expect(table.contains(LESetExtendedScanEnable.self))
        #expect(!table.contains(LESetScanEnable.self))
        #expect(table.contains(HCIReadLocalSupportedCommands.self))
        let bytes = [UInt8](repeating: 0, count: 37) + [0x60] + [UInt8](repeating: 0, count: 26)
        expectWire(table, Hex.string(bytes))
    }
}
