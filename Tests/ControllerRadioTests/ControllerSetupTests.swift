// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import ControllerRadio

@Suite("Setup of a controller")
struct ControllerSetupTests {
    private static let randomAddress = BluetoothAddress(rawValue: 0xC0_00_00_00_00_01)

    /// A controller as a table of answers. What it has no answer for, it refuses as unknown.
    private struct Controller {
        var answers: [HCIOpcode: [UInt8]] = [:]

        init(
            version: UInt8 = 0x0C,
            commands: [any HCICommand.Type]? = [LESetDefaultPHY.self],
            lmpFeatures: UInt64 = 0b11 << 37,
            leFeatures: LEFeatures = [],
            address: UInt64 = 0x00_1A_7D_DA_71_13,
            buffers: (UInt16, UInt8) = (251, 8),
            sharedBuffers: (UInt16, UInt16)? = nil
        ) {
            for type in [HCIReset.opcode, HCISetEventMask.opcode, LESetEventMask.opcode, LESetDefaultPHY.opcode] {
                answers[type] = []
            }
            for type in [
                LEWriteSuggestedDefaultDataLength.opcode, WriteLEHostSupport.opcode, LESetRandomAddress.opcode,
            ] {
                answers[type] = []
            }
            answers[HCIReadLocalVersionInformation.opcode] = [version, 0, 0, version, 0x0F, 0x00, 0, 0]
            if let commands { answers[HCIReadLocalSupportedCommands.opcode] = HCISupportedCommands(commands).encoded() }
            var writer = ByteWriter()
            writer.uint64(lmpFeatures)
            answers[HCIReadLocalSupportedFeatures.opcode] = writer.bytes
            answers[HCIReadBDADDR.opcode] = HCIReadBDADDR.ReturnParameters(BluetoothAddress(rawValue: address))
                .encoded()
            answers[LEReadLocalSupportedFeatures.opcode] = leFeatures.encoded()
            answers[LEReadBufferSize.opcode] =
                LEReadBufferSize.ReturnParameters(packetLength: buffers.0, packetCount: buffers.1).encoded()
            answers[LEReadFilterAcceptListSize.opcode] = [16]
            if let (length, count) = sharedBuffers {
                var writer = ByteWriter()
                writer.uint16(length)
                writer.uint8(64)
                writer.uint16(count)
                writer.uint16(8)
                answers[HCIReadBufferSize.opcode] = writer.bytes
            }
        }

        /// The commands that a setup sends, and how it ends.
        func setUp() -> (commands: [HCICommandPacket], end: ControllerSetup.Step) {
            var setup = ControllerSetup(randomAddress: randomAddress)
            var step = setup.begin()
            var sent: [HCICommandPacket] = []
            while case .send(let packet) = step, sent.count < 100 {
                sent.append(packet)
                step = setup.answered(
                    answers[packet.opcode].map { .success($0) }
                        ?? .failure(CommandRefusal(status: .unknownHCICommand))
                )
            }
            return (sent, step)
        }

        var facts: ControllerFacts? { if case .ready(let facts) = setUp().end { facts } else { nil } }

        func parameters(of opcode: HCIOpcode) -> [UInt8]? { setUp().commands.first { $0.opcode == opcode }?.parameters }
    }

    @Test func `a controller with subrating is told that its host has it, too`() throws {
        var controller = Controller(
            commands: [LESetHostFeature.self, LESetDefaultSubrate.self],
            leFeatures: .connectionSubrating
        )
        #expect(controller.parameters(of: LESetHostFeature.opcode) == [38, 1])
        #expect(controller.parameters(of: LESetDefaultSubrate.opcode) == [1, 0, 0xF4, 1, 0, 0, 0, 0, 0x80, 0x0C])
        #expect(try #require(controller.parameters(of: LESetEventMask.opcode))[4] & 0b100 != 0)
        controller = Controller(commands: [], leFeatures: .connectionSubrating)
        #expect(controller.parameters(of: LESetHostFeature.opcode) == nil)
        #expect(try #require(controller.parameters(of: LESetEventMask.opcode))[4] & 0b100 == 0)
    }

    @Test func `a controller is reset, asked, and told what is wanted, in that order`() {
        let (commands, end) = Controller().setUp()
        #expect(
            commands.map(\.opcode) == [
                HCIReset.opcode, HCIReadLocalVersionInformation.opcode, HCIReadLocalSupportedCommands.opcode,
                HCIReadLocalSupportedFeatures.opcode, HCIReadBDADDR.opcode, LEReadLocalSupportedFeatures.opcode,
                LEReadBufferSize.opcode, LEReadFilterAcceptListSize.opcode, HCISetEventMask.opcode,
                LESetEventMask.opcode, LESetDefaultPHY.opcode,
            ]
        )
        guard case .ready(let facts) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(facts.packetLength == 251 && facts.packetCount == 8 && facts.acceptListSize == 16)
        #expect(facts.company == 15 && facts.hciVersion.description == "5.3")
        #expect(facts.publicAddress == BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_13))
        #expect(facts.ownAddressType == .public)
    }

    @Test func `without buffers of its own, Low Energy has those of Basic Rate`() {
        let shared = Controller(buffers: (0, 0), sharedBuffers: (1_021, 6)).facts
        #expect(shared?.packetLength == 1_021 && shared?.packetCount == 6)
        #expect(Controller(buffers: (0, 0)).setUp().end == .unusable(HCIReadBufferSize.opcode, .unknownHCICommand))
        #expect(Controller(buffers: (0, 0), sharedBuffers: (0, 0)).facts == nil)
    }

    @Test func `without a public address, a static random one is set`() {
        let controller = Controller(address: 0)
        #expect(controller.facts?.ownAddressType == .random)
        #expect(controller.parameters(of: LESetRandomAddress.opcode) == Self.randomAddress.encoded())
        #expect(Controller().parameters(of: LESetRandomAddress.opcode) == nil)
    }

    @Test func `a controller without Low Energy, or without its commands, is unusable`() {
        #expect(Controller(lmpFeatures: 0).setUp().end == .unusable(LEReadBufferSize.opcode, nil))
        var controller = Controller()
        for opcode in [HCIReset.opcode, LEReadBufferSize.opcode, HCISetEventMask.opcode, LESetEventMask.opcode] {
            var lacking = controller
            lacking.answers[opcode] = nil
            #expect(lacking.setUp().end == .unusable(opcode, .unknownHCICommand))
        }
        controller.answers[LEReadBufferSize.opcode] = [0x1B]
        #expect(controller.setUp().end == .unusable(LEReadBufferSize.opcode, nil))
    }

    @Test func `what is not needed may be refused or cut`() {
        var controller = Controller(leFeatures: [.dataPacketLengthExtension])
        for opcode in [
            HCIReadLocalVersionInformation.opcode, HCIReadLocalSupportedCommands.opcode,
            HCIReadLocalSupportedFeatures.opcode, HCIReadBDADDR.opcode, LEReadFilterAcceptListSize.opcode,
            LEWriteSuggestedDefaultDataLength.opcode,
        ] { controller.answers[opcode] = nil }
        #expect(controller.facts?.packetCount == 8)
        for opcode in controller.answers.keys where controller.answers[opcode]?.count ?? 0 > 3 {
            guard opcode != LEReadBufferSize.opcode else { continue }
            controller.answers[opcode] = [0x00]
        }
        #expect(controller.facts != nil)
    }

    @Test func `a controller with Basic Rate is told that the host has Low Energy`() {
        #expect(Controller(lmpFeatures: 0b10 << 37).parameters(of: WriteLEHostSupport.opcode) == [0x01, 0x00])
        #expect(Controller(lmpFeatures: 0b11 << 37).parameters(of: WriteLEHostSupport.opcode) == nil)
    }

    @Test(
        arguments: [
            // Version, features, and the subevents that may come.
            (0x06, LEFeatures(rawValue: .max), [1, 2, 3, 4, 5]),
            (0x07, LEFeatures(rawValue: .max), [1, 2, 3, 4, 5, 6]),
            (0x08, LEFeatures(rawValue: .max), [1, 2, 3, 4, 5, 6, 7, 10]),
            (0x0C, [], [1, 2, 3, 4, 5]),
            (0x0C, [.dataPacketLengthExtension, .le2MPHY], [1, 2, 3, 4, 5, 7, 12]),
            (0x09, [.extendedAdvertising], [1, 2, 3, 4, 5, 10, 13, 17, 18, 19]),
        ] as [(UInt8, LEFeatures, [UInt64])]
    )
    func `events are asked for as far as the version and the features define them`(
        version: UInt8,
        features: LEFeatures,
        subevents: [UInt64]
    ) {
        let mask = EventMasks.lowEnergy(.typical(features: features, version: version))
        #expect((1...64).filter { mask >> ($0 - 1) & 1 == 1 } == subevents)
    }

    @Test func `the LE Meta event is asked for`() {
        #expect(EventMasks.all >> 61 & 1 == 1)
        #expect(EventMasks.all >> 4 & 1 == 1)
        #expect(EventMasks.all.nonzeroBitCount == 9)
    }
}
