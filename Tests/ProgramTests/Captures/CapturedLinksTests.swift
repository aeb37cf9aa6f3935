// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothHost
@testable import CaptureCommands
@testable import Captures
@testable import Commands
@testable import Toolkit

/// Links whose beginning or end was reported by the controller, by the channels of a program, or not at all.
@Suite("CaptureConverter: links")
struct CapturedLinksTests {
    private static let first = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
    private static let second = DeviceAddress(BluetoothAddress(rawValue: 0xC0C1_C2C3_C4C5), .random)
    private static let resolvable = DeviceAddress(BluetoothAddress(rawValue: 0x4041_4243_4445), .random)
    /// The address of the central of a service before a channel opens.
    private static let unknown = DeviceAddress(BluetoothAddress(rawValue: 0), .public)

    /// The beginning of every event of a connection with handle 0x0040 in the role of the central.
    private static let complete = "043e13010040000001"
    private static let enhanced = "043e1f0a0040000001"
    private static let disconnection = "04050400400016"

    private static func completion(_ peer: DeviceAddress) -> LEConnectionCompleteEvent {
        .connection(to: peer, as: .central)
    }

    /// A request on a channel.
    private static func request(_ number: Int, to device: DeviceAddress) -> TappedPacket {
        TappedPacket(
            channel: .att(device),
            adapter: ManagementIndex(0),
            link: number,
            direction: .sent,
            bytes: [0x0A, 0x12, 0x00],
            instant: .zero,
            wall: WallTime(nanosecondsSince1970: 0)
        )
    }

    private static func link(_ number: Int, _ device: DeviceAddress, _ change: TappedLink.Change) -> TappedLink {
        TappedLink(
            number: number,
            adapter: ManagementIndex(0),
            device: device,
            connectionHandle: 0x0040,
            role: .central,
            change: change,
            instant: .zero,
            wall: WallTime(nanosecondsSince1970: 0)
        )
    }

    private static func hex(_ packets: [CaptureConverter.Packet]) -> [String] {
        packets.map { Hex.string($0.octets) }
    }

    /// An address as an event has it.
    private static func octets(_ device: DeviceAddress) -> String { Hex.string(device.address.encoded()) }

    // MARK: - Ends

    @Test("a link ends with its last channel")
    func lastChannel() {
        for order in [[1, 2], [2, 1]] {
            var converter = CaptureConverter()
            #expect(converter.packets(of: Self.link(1, Self.first, .opened)).count == 1)
            #expect(converter.packets(of: Self.link(2, Self.first, .opened)).isEmpty)
            #expect(converter.packets(of: Self.link(order[0], Self.first, .ended(nil))).isEmpty)
            #expect(converter.packets(of: Self.request(order[1], to: Self.first)).count == 1)
            let end = Self.hex(converter.packets(of: Self.link(order[1], Self.first, .ended(nil))))
            #expect(end == [Self.disconnection])
        }
    }

    @Test("the late end of a channel is not the end of the next link with that handle")
    func lateEnd() {
        var converter = CaptureConverter()
        _ = converter.packets(of: Self.link(1, Self.first, .opened))
        _ = converter.packets(of: .hci(DisconnectionCompleteEvent(0x0040, reason: .connectionTimeout)))
        #expect(converter.packets(of: Self.link(2, Self.second, .opened)).count == 1)
        #expect(converter.packets(of: Self.link(1, Self.first, .ended(nil))).isEmpty)
        let end = Self.hex(converter.packets(of: Self.link(2, Self.second, .ended(nil))))
        #expect(end == [Self.disconnection])
    }

    // MARK: - Beginnings

    @Test("a handle without a known end is announced again for another device only")
    func usedAgain() {
        // The channel to the controller is closed after the first event, so that the end of its link does not pass.
        for next in [Self.second, Self.resolvable] {
            var converter = CaptureConverter()
            _ = converter.packets(of: .hci(Self.completion(Self.first)))
            let opened = Self.hex(converter.packets(of: Self.link(1, next, .opened)))
            let expected = Self.complete + Self.octets(next)
            #expect(opened.count == 1 && opened.first?.hasPrefix(expected) == true, "\(opened)")
            #expect(converter.packets(of: Self.link(1, next, .ended(nil))).count == 1)
        }
        for same in [Self.first, Self.unknown] {
            var converter = CaptureConverter()
            _ = converter.packets(of: .hci(Self.completion(Self.first)))
            #expect(converter.packets(of: Self.link(1, same, .opened)).isEmpty, "\(same)")
        }
    }

    @Test("the identity of the program is added to the private address of the controller, once")
    func identityAdded() {
        var converter = CaptureConverter()
        _ = converter.packets(of: .hci(Self.completion(Self.resolvable)))
        let opened = Self.hex(converter.packets(of: Self.link(1, Self.second, .opened)))
        let expected = Self.enhanced + Self.octets(Self.second) + "000000000000" + Self.octets(Self.resolvable)
        #expect(opened.count == 1 && opened.first?.hasPrefix(expected) == true, "\(opened)")
        #expect(converter.packets(of: Self.link(2, Self.second, .opened)).isEmpty)
        #expect(converter.packets(of: Self.link(3, Self.resolvable, .opened)).isEmpty)
    }

    @Test("the device is announced under both addresses of a connection event")
    func bothAnnounced() {
        for used in [Self.second, Self.resolvable] {
            var converter = CaptureConverter()
            let event = LEEnhancedConnectionCompleteEvent(
                Self.completion(DeviceAddress(Self.second.address, .randomIdentity)),
                peerResolvableAddress: Self.resolvable.address
            )
            _ = converter.packets(of: .hci(event))
            #expect(converter.packets(of: Self.link(1, used, .opened)).isEmpty, "\(used)")
        }
    }

    // MARK: - Reading

    /// The events of a capture of these packets.
    private func events(_ packets: [CaptureConverter.Packet]) -> [CapturedEvent] {
        var decoder = CaptureDecoder()
        return packets.map { decoder.event($0.record) }
    }

    /// The number of ATT packets that `trace -d` prints.
    private func count(_ events: [CapturedEvent], of device: DeviceAddress) -> Int {
        let options = TraceOptions(
            files: ["-"],
            view: .packets,
            devices: [.address(device.address)],
            handles: [],
            targets: [],
            wantsATT: true,
            wantsHCI: false,
            direction: nil,
            begin: nil,
            end: nil,
            hint: nil
        )
        let filter = TraceFilter(options, addresses: [device.address])
        return events.count { filter.matches($0, CapturedGATT()) }
    }

    @Test("trace -d finds the packets of a link by the identity and by the private address of its device")
    func bothAddresses() throws {
        let both = LEEnhancedConnectionCompleteEvent(
            Self.completion(Self.second),
            peerResolvableAddress: Self.resolvable.address
        )
        for announcement in [TappedPacket.hci(Self.completion(Self.resolvable)), .hci(both)] {
            var converter = CaptureConverter()
            var packets = converter.packets(of: announcement)
            packets += converter.packets(of: Self.link(1, Self.second, .opened))
            packets += converter.packets(of: Self.request(1, to: Self.second))
            packets += converter.packets(of: Self.link(1, Self.second, .ended(nil)))
            let events = events(packets)
            #expect(count(events, of: Self.second) == 1)
            #expect(count(events, of: Self.resolvable) == 1)
            #expect(count(events, of: Self.first) == 0)
            #expect(events.last?.device?.address == Self.second.address)
            #expect(events.last?.privateAddress == Self.resolvable.address)
            let packet = record(PacketResult(event: try #require(events.last)))
            #expect(packet["address"] == .string(Self.second.address.description))
            #expect(packet["private_address"] == .string(Self.resolvable.address.description))

            // One link of one device, which is drawn in one lane.
            var diagram = SequenceDiagram()
            for event in events { diagram.add(event) }
            #expect(diagram.participants == ["host", Self.second.address.description])
            #expect(diagram.arrows.map(\.text) == ["connect", "Read Request 0x0012", "disconnect"])
        }
    }

    @Test("trace -d does not show packets of a private address for the earlier device with that handle")
    func staleDevice() throws {
        var converter = CaptureConverter()
        var packets = converter.packets(of: .hci(Self.completion(Self.first)))
        packets += converter.packets(of: Self.link(1, Self.resolvable, .opened))
        packets += converter.packets(of: Self.request(1, to: Self.resolvable))
        let events = events(packets)
        #expect(count(events, of: Self.resolvable) == 1)
        #expect(count(events, of: Self.first) == 0)
        // Its only address is the private one, which is not repeated.
        let packet = record(PacketResult(event: try #require(events.last)))
        #expect(packet["address"] == .string(Self.resolvable.address.description))
        #expect(packet["private_address"] == .null)
    }
}
