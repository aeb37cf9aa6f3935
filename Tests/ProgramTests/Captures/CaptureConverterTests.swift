// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost
@testable import Captures
@testable import Toolkit

@Suite("CaptureConverter")
struct CaptureConverterTests {
    /// What passes the seam while `body` runs in a world of one device, as the packets of a capture in hexadecimal, each
    /// with an arrow for its direction.
    private func packets(_ body: @escaping @Sendable (any Radio, any TimeSource) async throws -> Void) throws
        -> [String]
    {
        let converter = Mutex(CaptureConverter())
        let lines = Mutex<[String]>([])
        @Sendable func add(_ packets: [CaptureConverter.Packet]) {
            for packet in packets {
                lines.withLock { $0.append("\(packet.direction == .sent ? ">" : "<") \(Hex.string(packet.octets))") }
            }
        }
        let devices = try SimulatedDevice.builtIn()
        let time = VirtualTime()
        let failure = time.run {
            await withTaskScope { scope -> (any Error)? in
                let world = SimulatedWorld(seed: 1, adapter: [], devices: devices)
                let system = TappedRadioSystem(
                    SimulatedRadioSystem(world, time: time, scope: scope),
                    time: time,
                    linkTap: { link in add(converter.withLock { $0.packets(of: link) }) },
                    tap: { packet in add(converter.withLock { $0.packets(of: packet) }) }
                )
                do {
                    try await body(try system.radio(named: nil), time)
                    return nil
                } catch { return error }
            }
        }
        if let failure { throw failure }
        return lines.withLock { $0 }
    }

    /// Pulse HR, as the simulated air has it.
    private static func device() throws -> DeviceAddress {
        try #require(SimulatedDevice.builtIn().map { $0.definition(seed: 1) }.first { $0.advertisedName == "Pulse HR" })
            .address
    }

    @Test("an ATT PDU is ACL data of a connection that begins and ends")
    func link() throws {
        let device = try Self.device()
        let seen = try packets { radio, time in
            let channel = try await radio.connectATT(to: device, deadline: time.now + .seconds(5))
            try channel.send([0x02, 0x05, 0x02])
            _ = try await channel.receive()
            channel.close()
            channel.close()
        }
        #expect(seen.count == 4)
        let address = Hex.string(device.address.encoded())
        #expect(seen.first?.hasPrefix("< 043e1301") == true)
        #expect(seen.first?.contains(address) == true)
        // The handle is in octets 5 and 6 of the event, and with the flags of its direction in each packet of data.
        let handle = seen.first.map { String($0.dropFirst(12).prefix(4)) } ?? ""
        #expect(seen.dropFirst().first == "> 02\(handle)07000300040002" + "0502")
        #expect(seen.dropFirst(2).first?.hasPrefix("< 02\(handle.prefix(2))2") == true)
        #expect(seen.last == "< 04050400\(handle)16")
    }

    @Test("HCI packets are unchanged")
    func hci() throws {
        let seen = try packets { radio, _ in
            let channel = try radio.openHCI()
            try channel.send([0x01, 0x09, 0x10, 0x00])
            _ = try await channel.receive()
            channel.close()
        }
        #expect(seen.first == "> 01091000")
        #expect(seen.dropFirst().first?.hasPrefix("< 040e0a010910") == true)
        #expect(seen.count == 2)
    }

    @Test("a connection is announced once, by either side, and an invented handle is unused")
    func announcements() {
        let device = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
        func link(
            _ number: Int,
            _ handle: UInt16?,
            _ change: TappedLink.Change,
            on adapter: Int = 0
        ) -> TappedLink {
            TappedLink(
                number: number,
                adapter: ManagementIndex(adapter),
                device: device,
                connectionHandle: handle,
                role: .peripheral,
                change: change,
                instant: .zero,
                wall: WallTime(nanosecondsSince1970: 0)
            )
        }
        let complete = LEConnectionCompleteEvent.connection(to: device, as: .peripheral)
        var converter = CaptureConverter()
        #expect(converter.packets(of: .hci(complete)).count == 1)
        #expect(converter.packets(of: link(1, 0x0040, .opened)).isEmpty)
        #expect(converter.packets(of: .hci(DisconnectionCompleteEvent(0x0040, reason: .connectionTimeout))).count == 1)
        #expect(converter.packets(of: link(1, 0x0040, .ended(nil))).isEmpty)

        let first = converter.packets(of: link(2, nil, .opened))
        let second = converter.packets(of: link(3, nil, .opened))
        #expect(first.first.map { Hex.string($0.octets.prefix(8)) } == "043e130100000e01")
        #expect(second.first.map { Hex.string($0.octets.prefix(8)) } == "043e130100010e01")
        let lost = RadioError(.linkLost(.connectionTimeout), during: "connection")
        let ended = converter.packets(of: link(2, nil, .ended(lost)))
        #expect(ended.map { Hex.string($0.octets) } == ["04050400000e08"])
        let third = converter.packets(of: link(4, nil, .opened))
        #expect(third.first.map { Hex.string($0.octets.prefix(8)) } == "043e130100000e01")

        // Another adapter counts its links by itself.
        let other = converter.packets(of: link(5, nil, .opened, on: 1))
        #expect(other.first.map { Hex.string($0.octets.prefix(8)) } == "043e130100000e01")
        #expect(other.map(\.adapter) == [ManagementIndex(1)])
        #expect(converter.packets(of: link(4, nil, .ended(nil))).map(\.adapter) == [ManagementIndex(0)])
        #expect(converter.packets(of: link(5, nil, .ended(nil), on: 1)).map(\.adapter) == [ManagementIndex(1)])
    }
}
