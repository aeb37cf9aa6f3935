// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("HCI events (Vol 4, Part E, 7.7)")
struct HCIEventTests {
    @Test(
        "unknown events and subevents are kept as they came",
        arguments: ["0402 0102", "3e02 7f01", "ff00", "3e01 7f"]
    )
    func unknown(_ hex: String) throws {
        let bytes = octets(hex)
        let event = try HCIEvent(HCIEventPacket(decoding: bytes))
        guard case .unknown = event else {
            Issue.record("\(event)")
            return
        }
        #expect(event.packet.encoded() == bytes)
    }

    @Test("an LE Meta event without subevent code is refused")
    func empty() {
        #expect(throws: DecodeError.self) { try HCIEvent(HCIEventPacket(.leMeta, parameters: [])) }
    }

    @Test("Command Complete")
    func commandComplete() throws {
        expectWire(LESetScanEnable(isEnabled: true), "01 00")
        let event = CommandCompleteEvent(LESetScanEnable.self, HCINoReturnParameters())
        #expect(event.packet.encoded() == octets("0e 04 01 0c20 00"))
        #expect(try HCIEvent(event.packet) == .known(event))
        #expect("\(event)" == "Command Complete: LE Set Scan Enable: success")
        let failed = CommandCompleteEvent(LESetScanEnable.opcode, failed: .commandDisallowed)
        #expect(failed.packet.encoded() == octets("0e 04 01 0c20 0c"))
        #expect("\(failed)" == "Command Complete: LE Set Scan Enable: command disallowed (0x0C)")
        let credits = try HCIEvent(HCIEventPacket(decoding: octets("0e 03 01 0000")))
        #expect(credits == .known(CommandCompleteEvent(opcode: .none, returnParameters: [])))
        #expect("\(credits)" == "Command Complete: no command")
    }

    @Test("Command Status")
    func commandStatus() throws {
        let event = CommandStatusEvent(HCIOpcode(rawValue: 0x2016), status: .unknownConnectionIdentifier)
        expectWire(event, "02 01 1620")
        #expect(try HCIEvent(event.packet) == .known(event))
    }

    @Test("random octets never trap in any event, and each decoded event has a description")
    func random() {
        var generator = SeededGenerator(seed: 0x4556_5453)
        let codes: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x30]
        for round in 0..<60_000 {
            let parameters = generator.octets(upTo: round.isMultiple(of: 8) ? 255 : 48)
            let packet: HCIEventPacket
            if round.isMultiple(of: 3) {
                let code = codes.randomElement(using: &generator) ?? 0x0E
                packet = HCIEventPacket(HCIEventCode(rawValue: code), parameters: parameters)
            } else {
                let subevent = UInt8.random(in: 0...0x2A, using: &generator)
                packet = HCIEventPacket(.leMeta, parameters: [subevent] + parameters)
            }
            #expect(!packet.description.isEmpty)
            // A decoded event encodes to octets that decode to the same event.
            guard let event = try? HCIEvent(packet) else { continue }
            #expect((try? HCIEvent(event.packet)) == event)
        }
    }
}
