// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("HCI packets (Vol 4, Part E, 5.4)")
struct HCIPacketTests {
    @Test("a command is its indicator, opcode, length and parameters")
    func command() {
        expectWire(HCIPacket.command(LESetScanEnable(isEnabled: true).packet), "01 0c20 02 01 00")
        expectWire(HCIPacket.command(HCICommandPacket(HCIOpcode(rawValue: 0xFC01), parameters: [])), "01 01fc 00")
    }

    @Test("an event is its indicator, code, length and parameters")
    func event() {
        expectWire(HCIPacket.event(HCIEventPacket(.hardwareError, parameters: [0x42])), "04 10 01 42")
    }

    @Test("the handle of data is separated from the flags")
    func acl() {
        expectWire(HCIPacket.acl(HCIACLPacket(0x0EFF, flags: 0x2, data: [1, 2, 3])), "02 ff2e 0300 010203")
    }

    @Test("other kinds of packets are kept")
    func other() throws {
        let bytes = octets("05 4000 0100 aa")
        let packet = try HCIPacket(decoding: bytes)
        #expect(packet == .other(indicator: 0x05, octets("4000 0100 aa")))
        #expect(packet.encoded() == bytes)
    }

    @Test("the length octet must match the packet", arguments: [0, 1, 25, 255] as [UInt8])
    func length(_ length: UInt8) {
        let body = [UInt8](repeating: 0xA5, count: 7)
        #expect(throws: DecodeError.self) { try HCIPacket(decoding: [0x04, 0xFF, length] + body) }
        #expect(throws: DecodeError.self) { try HCIPacket(decoding: [0x01, 0x0C, 0x20, length] + body) }
        let exact = [UInt8](repeating: 0xA5, count: Int(length))
        #expect(throws: Never.self) { try HCIPacket(decoding: [0x04, 0xFF, length] + exact) }
        #expect(throws: Never.self) { try HCIPacket(decoding: [0x01, 0x0C, 0x20, length] + exact) }
    }

    @Test("a packet holds no more than its length octet can express")
    func oversized() throws {
        let packet = HCIEventPacket(.leMeta, parameters: [UInt8](repeating: 7, count: 300))
        #expect(try HCIEventPacket(decoding: packet.encoded()) == packet)
        #expect(packet.parameters.count == 255)
    }

    @Test("random octets never trap, and decoded packets are encoded the same")
    func random() throws {
        var generator = SeededGenerator(seed: 0x4843_4950)
        for _ in 0..<20_000 {
            let indicator: UInt8 = [0x01, 0x02, 0x04, 0x05].randomElement(using: &generator) ?? 0x04
            let bytes = [indicator] + generator.octets(upTo: 300)
            guard let packet = try? HCIPacket(decoding: bytes) else { continue }
            #expect(packet.encoded() == bytes)
        }
    }
}

@Suite("HCI opcodes and names")
struct HCIOpcodeTests {
    @Test("an opcode consists of its group and its command")
    func parts() {
        #expect(HCIOpcode(.leController, 0x0041).rawValue == 0x2041)
    }

    @Test("no two commands share an opcode or a name")
    func unique() {
        let all = HCICommandCatalog.all
        #expect(Set(all.map { $0.opcode }).count == all.count)
        #expect(Set(all.map { $0.name }).count == all.count)
    }

    @Test("a known opcode is shown by name")
    func names() {
        #expect("\(HCIOpcode(rawValue: 0x2042))" == "LE Set Extended Scan Enable")
        #expect("\(HCIOpcode(rawValue: 0xFC01))" == "command 0xFC01")
        #expect("\(HCIOpcode.none)" == "no command")
    }
}

@Suite("Controller error codes (Vol 1, Part F)")
struct HCIStatusTests {
    @Test("codes print with their name and number")
    func names() {
        #expect("\(HCIStatus.success)" == "success")
        #expect("\(HCIStatus.connectionFailedToBeEstablished)" == "connection failed to be established (0x3E)")
        #expect("\(HCIStatus.commandDisallowed)" == "command disallowed (0x0C)")
        #expect("\(HCIStatus.remoteUserTerminatedConnection)" == "remote user terminated connection (0x13)")
        #expect("\(HCIStatus.instantPassed)" == "instant passed (0x28)")
        #expect("\(HCIStatus.controllerBusy)" == "controller busy (0x3A)")
        #expect("\(HCIStatus.unknownAdvertisingIdentifier)" == "unknown advertising identifier (0x42)")
        #expect(HCIStatus(rawValue: 0x47).name == "too early")
    }

    @Test("unassigned codes are kept", arguments: [0x2B, 0x31, 0x33, 0x3F, 0x48, 0xFF] as [UInt8])
    func unknown(_ code: UInt8) {
        let status = HCIStatus(rawValue: code)
        #expect(status.name == nil)
        #expect("\(status)" == "unknown status (0x\(Hex.string(code, minimumDigits: 2)))")
        #expect(status.encoded() == [code])
    }
}
