// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

/// What simulations of Bluetooth often get wrong, because both ends share their objects or skip the link between them.
@Suite("Fidelity of the simulated world")
struct FidelityTests {
    private static let short = BluetoothUUID(0xFF01)
    private static let long = BluetoothUUID(0xFF02)
    private static let refusing = BluetoothUUID(0xFF03)

    /// A device that takes two centrals, with an MTU of 100 octets.
    private static func device() throws -> SimulatedDevice {
        var definition = DeviceDefinition(
            label: "plain",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01), .random),
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .milliseconds(100),
                    data: [0x02, 0x01, 0x06, 0x03, 0x03, 0x0F, 0x18],
                    scanResponse: [0x04, 0x09, 0x41, 0x42, 0x43]
                )
            ],
            services: [
                DeviceService(
                    0xFF00,
                    characteristics: [
                        DeviceCharacteristic(short, [.read, .write, .notify], value: .octets([1])),
                        DeviceCharacteristic(long, [.read, .notify], value: .octets([UInt8](0..<90))),
                        DeviceCharacteristic(refusing, .read, onRead: .refuse(ATTErrorCode(rawValue: 0x81))),
                    ]
                )
            ]
        )
        definition.limits.maximumMTU = 100
        definition.limits.maximumConnections = 2
        return try SimulatedDevice(definition)
    }

    /// A running world with the device, and a machine in it.
    private func withDevice(
        _ body: @escaping @Sendable (RunningWorld, SimulatedDevice, VirtualTime, TaskScope) async throws -> Void
    ) throws {
        let device = try Self.device()
        try share(SimulatedWorld(devices: [device])) { world, time, scope in try await body(world, device, time, scope)
        }
    }

    private static func connect(
        _ world: RunningWorld,
        _ device: SimulatedDevice,
        _ time: VirtualTime
    ) async throws -> any ATTChannel {
        try await world.join().radio(named: nil).connectATT(to: device.address, deadline: time.now + .seconds(5))
    }

    /// The value handle of a characteristic, and the handle of its configuration, in the octet order of a PDU.
    private static func handles(_ uuid: BluetoothUUID, _ device: SimulatedDevice) throws -> (String, String) {
        let characteristic = try #require(device.database.characteristic(uuid))
        let configuration = device.database.descriptor(.clientCharacteristicConfiguration, of: characteristic)
        return (
            Hex.string(characteristic.valueHandle.encoded()), configuration.map { Hex.string($0.encoded()) } ?? ""
        )
    }

    /// The PDUs that come within a time, with their moments.
    private static func received(
        _ channel: any ATTChannel,
        for duration: Duration,
        _ time: VirtualTime
    ) async -> [(moment: Instant, pdu: String)] {
        let found = Box<[(moment: Instant, pdu: String)]>([])
        _ = try? await untilDeadline(time.now + duration, time) {
            while let pdu = try? await channel.receive() { found.set(found.value + [(time.now, Hex.string(pdu))]) }
        }
        return found.value
    }

    @Test func `an advertisement has the octets that the device states, and so has the scan response`() throws {
        let device = try Self.device()
        try simulate(SimulatedWorld(devices: [device])) { system, time in
            let reports = try await ScanSettings().scan(system, for: .seconds(2), time).reports.map(\.report)
            let (responses, advertisements) = (
                reports.filter { $0.properties.contains(.scanResponse) },
                reports.filter { !$0.properties.contains(.scanResponse) }
            )
            #expect(Set(advertisements.map { Hex.string($0.data) }) == ["02010603030f18"])
            #expect(Set(responses.map { Hex.string($0.data) }) == ["0409414243"])
            // Again and again, and not once for each scan.
            #expect(advertisements.count > 15 && responses.count > 15)
            #expect(advertisements.allSatisfy { $0.address == device.address && $0.rssi != nil })
        }
    }

    @Test func `a central knows only what it has received from the device`() throws {
        try withDevice { world, device, time, scope in
            let requests = { try #require(await world.control.devices().first).requests }
            let radio = try world.join().radio(named: nil)
            let peripheral = Peripheral(device.address, radio: radio, scope: scope, time: time)
            let services = try await peripheral.services()
            #expect(services.count == 3)
            let afterServices = try await requests()
            let service = try #require(services.last)
            let characteristics = try await service.characteristics()
            #expect(characteristics.count == 3)
            // It had to ask for them.
            let afterCharacteristics = try await requests()
            #expect(afterServices > 0 && afterCharacteristics > afterServices)
            await peripheral.disconnect()
        }
    }

    @Test func `a value is sent to subscribers, only while they are subscribed and connected`() throws {
        try withDevice { world, device, time, _ in
            let (value, configuration) = try Self.handles(Self.short, device)
            let target = WorldRequest.Target.characteristic(Self.short, service: nil)
            let listener = try await Self.connect(world, device, time)
            let other = try await Self.connect(world, device, time)
            try await world.control.set([2], of: target, on: "plain")
            #expect(await Self.received(listener, for: .seconds(1), time).isEmpty)
            #expect(try await listener.exchange("12\(configuration)0100") == "13")
            try await world.control.set([3], of: target, on: "plain")
            #expect(await Self.received(listener, for: .seconds(1), time).map(\.pdu) == ["1b\(value)03"])
            #expect(await Self.received(other, for: .seconds(1), time).isEmpty)
            listener.close()
            try await time.sleep(for: .seconds(1))
            // Without a bond, the device has forgotten the subscription.
            let again = try await Self.connect(world, device, time)
            #expect(try await again.exchange("0a\(configuration)") == "0b0000")
            try await world.control.set([4], of: target, on: "plain")
            #expect(await Self.received(again, for: .seconds(1), time).isEmpty)
        }
    }

    @Test func `a value is cut to the MTU, which both ends have to agree on`() throws {
        try withDevice { world, device, time, _ in
            let (value, configuration) = try Self.handles(Self.long, device)
            let target = WorldRequest.Target.characteristic(Self.long, service: nil)
            let channel = try await Self.connect(world, device, time)
            let octets = [UInt8](0..<90)
            #expect(try await channel.exchange("0a\(value)") == "0b" + Hex.string(octets.prefix(22)))
            #expect(try await channel.exchange("12\(configuration)0100") == "13")
            try await world.control.set(octets, of: target, on: "plain")
            #expect(
                await Self.received(channel, for: .seconds(1), time).map(\.pdu)
                    == ["1b\(value)" + Hex.string(octets.prefix(20))]
            )
            #expect(try await channel.exchange("02f700") == "036400")
            #expect(try await channel.exchange("0a\(value)") == "0b" + Hex.string(octets))
            try await world.control.set(octets, of: target, on: "plain")
            #expect(
                await Self.received(channel, for: .seconds(1), time).map(\.pdu) == ["1b\(value)" + Hex.string(octets)]
            )
        }
    }

    @Test func `updates wait for the link: each connection event takes as many as it has room for`() throws {
        try withDevice { world, device, time, _ in
            let (_, configuration) = try Self.handles(Self.short, device)
            let target = WorldRequest.Target.characteristic(Self.short, service: nil)
            let channel = try await Self.connect(world, device, time)
            #expect(try await channel.exchange("12\(configuration)0100") == "13")
            for number in 0..<30 as Range<UInt8> { try await world.control.set([number], of: target, on: "plain") }
            let updates = await Self.received(channel, for: .seconds(5), time)
            #expect(updates.map { $0.pdu.suffix(2) } == (0..<30).map { Hex.string([UInt8($0)])[...] })
            let events = Dictionary(grouping: updates) { $0.moment }.mapValues(\.count)
            // Thirty packets at six for each connection event, 30 ms apart.
            #expect(events.count == 5 && events.values.allSatisfy { $0 == 6 }, "\(events)")
            let moments = events.keys.sorted()
            #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(30) })
        }
    }

    @Test func `an error of an attribute comes from the device, and the link stays`() throws {
        try withDevice { world, device, time, scope in
            let radio = try world.join().radio(named: nil)
            let peripheral = Peripheral(device.address, radio: radio, scope: scope, time: time)
            let results = try await peripheral.read([
                peripheral.characteristic(Self.refusing), peripheral.characteristic(Self.short),
            ])
            guard case .failure(GATTError.refused(let response))? = results.first else {
                Issue.record("\(results)")
                return
            }
            #expect(response.code.rawValue == 0x81)
            #expect(try results.last?.get().value == [1])
            await peripheral.disconnect()
        }
    }

    @Test func `access that a characteristic does not permit is refused by the device`() throws {
        try withDevice { world, device, time, _ in
            let channel = try await Self.connect(world, device, time)
            let (value, configuration) = try Self.handles(Self.long, device)
            #expect(try await channel.exchange("12\(value)01") == "0112\(value)03")
            // It notifies, and cannot indicate.
            #expect(try await channel.exchange("12\(configuration)0200").hasPrefix("0112\(configuration)"))
        }
    }
}
