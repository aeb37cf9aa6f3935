// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import ControllerRadio

@Suite("Data of links")
struct LinkDataTests {
    private static func frame(_ count: Int, _ octet: UInt8 = 0) -> L2CAPFrame {
        L2CAPFrame(.att, [UInt8](repeating: octet, count: count))
    }

    @Test func `a frame goes in pieces that the controller takes, and comes together again`() {
        var scheduler = ACLScheduler(packetLength: 27, packetCount: 10)
        scheduler.open(0x40)
        let frame = Self.frame(60, 0xA5)
        scheduler.enqueue(frame, on: 0x40)
        let packets = scheduler.packets()
        #expect(packets.map(\.data.count) == [27, 27, 10])
        #expect(packets.map(\.flags) == [0b00, 0b01, 0b01])
        #expect(scheduler.waitingFrames(on: 0x40) == 0 && !scheduler.isAtRest(0x40))
        var reassembler = FrameReassembler()
        #expect(packets.compactMap { reassembler.append($0) } == [frame])
        scheduler.completed(3, on: 0x40)
        #expect(scheduler.isAtRest(0x40))
    }

    @Test func `no more packets than the controller has buffers for`() {
        var scheduler = ACLScheduler(packetLength: 27, packetCount: 2)
        scheduler.open(0x40)
        for _ in 0..<4 { scheduler.enqueue(Self.frame(5), on: 0x40) }
        #expect(scheduler.packets().count == 2)
        #expect(scheduler.packets().isEmpty)
        scheduler.completed(1, on: 0x40)
        #expect(scheduler.packets().count == 1)
        // Nobody can give back more than was taken.
        scheduler.completed(.max, on: 0x40)
        scheduler.completed(5, on: 0x41)
        for _ in 0..<9 { scheduler.enqueue(Self.frame(5), on: 0x40) }
        #expect(scheduler.packets().count == 2)
    }

    @Test func `links take turns by packets`() {
        var scheduler = ACLScheduler(packetLength: 27, packetCount: 1)
        for handle in [0x40, 0x41, 0x42] as [ConnectionHandle] { scheduler.open(handle) }
        scheduler.enqueue(Self.frame(500), on: 0x40)
        scheduler.enqueue(Self.frame(5), on: 0x41)
        scheduler.enqueue(Self.frame(40), on: 0x42)
        var order: [ConnectionHandle] = []
        for _ in 0..<6 {
            let packets = scheduler.packets()
            order += packets.map(\.connection)
            for packet in packets { scheduler.completed(1, on: packet.connection) }
        }
        #expect(order == [0x40, 0x41, 0x42, 0x40, 0x42, 0x40])
    }

    @Test func `a link whose packets stay in the controller leaves room for others`() {
        var scheduler = ACLScheduler(packetLength: 27, packetCount: 4)
        let others = [0x41, 0x42, 0x43] as [ConnectionHandle]
        for handle in [0x40] + others { scheduler.open(handle) }
        for _ in 0..<9 { scheduler.enqueue(Self.frame(5), on: 0x40) }
        // Half of the buffers, although three links have nothing to send.
        #expect(scheduler.packets().map(\.connection) == [0x40, 0x40])
        for handle in others { for _ in 0..<2 { scheduler.enqueue(Self.frame(5), on: handle) } }
        var order: [ConnectionHandle] = []
        for _ in 0..<6 {
            let packets = scheduler.packets().map(\.connection)
            order += packets
            for handle in packets { scheduler.completed(1, on: handle) }
        }
        #expect(order.sorted { $0.rawValue < $1.rawValue } == others.flatMap { [$0, $0] })
        // Alone it gets all of them.
        for handle in others { scheduler.close(handle) }
        #expect(scheduler.packets().count == 2)
    }

    @Test func `a link that ends gives its buffers back`() {
        var scheduler = ACLScheduler(packetLength: 27, packetCount: 2)
        scheduler.open(0x40)
        for _ in 0..<5 { scheduler.enqueue(Self.frame(5), on: 0x40) }
        #expect(scheduler.packets().count == 2)
        scheduler.open(0x41)
        scheduler.enqueue(Self.frame(5), on: 0x41)
        #expect(scheduler.packets().isEmpty)
        scheduler.close(0x40)
        #expect(scheduler.packets().map(\.connection) == [0x41])
        scheduler.enqueue(Self.frame(5), on: 0x40)
        #expect(scheduler.packets().isEmpty && scheduler.isAtRest(0x40))
    }

    @Test func `packets that break the rules make no frame`() {
        func packet(_ flags: UInt8, _ data: [UInt8]) -> HCIACLPacket { HCIACLPacket(0x40, flags: flags, data: data) }
        let whole = packet(0b10, [0x01, 0x00, 0x04, 0x00, 0x0A])
        var reassembler = FrameReassembler()
        // It continues nothing, goes beyond its end, or is another kind.
        #expect(reassembler.append(packet(0b01, [0x0A])) == nil)
        #expect(reassembler.append(packet(0b10, [0x01, 0x00, 0x04, 0x00, 0x0A, 0x0B])) == nil)
        #expect(reassembler.append(packet(0b11, [0x01, 0x00, 0x04, 0x00, 0x0A])) == nil)
        // A header in two pieces, an empty packet, and a beginning that interrupts another.
        #expect(reassembler.append(packet(0b10, [])) == nil)
        #expect(reassembler.append(packet(0b10, [0x01, 0x00])) == nil)
        #expect(reassembler.append(packet(0b01, [0x04, 0x00, 0x0A])) == L2CAPFrame(.att, [0x0A]))
        #expect(reassembler.append(packet(0b10, [0x09, 0x00, 0x04, 0x00, 0x0A])) == nil)
        #expect(reassembler.append(whole) == L2CAPFrame(.att, [0x0A]))
        #expect(reassembler.append(packet(0b01, [0x0A])) == nil)
        #expect(reassembler.append(packet(0b10, [0x00, 0x00, 0x04, 0x00])) == L2CAPFrame(.att, []))
    }

    @Test func `the last data of a link are not those of the next one with its handle`() {
        var early = EarlyData()
        let (last, first) = (HCIACLPacket(0x40, flags: 0b10, data: [1]), HCIACLPacket(0x40, flags: 0b10, data: [2]))
        early.ended(0x40, now: .zero)
        early.keep(last, now: .at(19))
        early.keep(first, now: .at(20))
        #expect(early.taken(of: 0x40, now: .at(21)) == [first])
    }

    @Test func `data wait for their link for a moment`() {
        var early = EarlyData()
        let packet = HCIACLPacket(0x40, flags: 0b10, data: [1])
        early.keep(packet, now: .zero)
        early.keep(HCIACLPacket(0x41, flags: 0b10, data: [2]), now: .zero)
        #expect(early.taken(of: 0x40, now: .at(499)) == [packet])
        #expect(early.taken(of: 0x40, now: .at(499)).isEmpty)
        #expect(early.taken(of: 0x41, now: .at(500)).isEmpty)
        for _ in 0..<1_000 { early.keep(packet, now: .at(600)) }
        #expect(early.taken(of: 0x40, now: .at(601)).count == EarlyData.limit)
    }
}
