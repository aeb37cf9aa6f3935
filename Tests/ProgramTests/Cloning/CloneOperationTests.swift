// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@testable import CaptureCommands
@testable import Commands
@testable import Toolkit

/// Clones of simulated devices, and clones of those.
@Suite("Cloning a device")
struct CloneOperationTests {
    /// The clone of a simulated device, with what it advertises.
    private static func clone(_ device: SimulatedDevice, _ options: CloneOptions) throws -> CloneResult {
        let result = Mutex<CloneResult?>(nil)
        try OperationBench.run(.address(device.address.address, nil), among: [device]) { bench in
            let heard = try await hear(device.address.address, bench)
            try await bench.provider.withDevice { connected in
                let operation = CloneOperation(options: options, advertising: heard)
                try await operation.perform(on: connected, in: bench.context)
            }
            guard case .other(let clone as CloneResult)? = bench.log.results.last else { return }
            result.withLock { $0 = clone }
        }
        return try #require(result.withLock { $0 })
    }

    private static func hear(_ address: BluetoothAddress, _ bench: OperationBench) async throws -> HeardAdvertising {
        let listener = AdvertisingListener(selector: .address(address, nil))
        let time = bench.context.time
        let controller = try HCIController.open(bench.radio, scope: bench.context.scope, time: time)
        try await controller.withScan(ScanParameters(), time: time) { scan in
            _ = try await untilDeadline(time.now + .seconds(10), time) {
                try await scan.forEach { report in
                    _ = await listener.add(report)
                    return .goOn
                }
            }
        }
        await controller.close()
        return await listener.heard
    }

    /// A clone as a device of the simulated air.
    private static func simulated(_ definition: DeviceDefinition) throws -> SimulatedDevice {
        let image = try definition.image()
        return SimulatedDevice(
            name: image.name,
            address: image.address,
            rssi: -60,
            advertising: image.advertising,
            database: image.database,
            firmware: image.firmware,
            link: SimulatedDevice.Link(maximumMTU: image.maximumMTU)
        )
    }

    private static func original(_ device: SimulatedDevice) -> DeviceDefinition {
        var definition = DeviceDefinition(label: device.name, address: device.address, hasStandardServices: false)
        definition.advertising = device.advertising
        return definition
    }

    private static let connectable = [
        "pulse-strap", "thermometer", "uart-echo", "workbench", "shapeshifter", "museum", "sports-watch",
    ]

    private static func device(_ name: String) throws -> SimulatedDevice {
        try #require(try SimulatedWorld.builtIn().device(named: name))
    }

    @Test(arguments: connectable)
    func `the clone of a clone is equal to the clone`(_ name: String) throws {
        let device = try Self.device(name)
        let options = CloneOptions(readsValues: true)
        let first = try Self.clone(device, options)
        #expect(
            try first.definition.image().database.attributes.map(\.handle) == device.database.attributes.map(\.handle)
        )
        let second = try Self.clone(try Self.simulated(first.definition), options)
        let comparison = try DeviceComparison(first.definition, second.definition)
        #expect(comparison.differences.isEmpty, "\(comparison.differences)")
        #expect(comparison.unknownValues.isEmpty && comparison.generatedValues.isEmpty)
        #expect(first.definition.services == second.definition.services)
        #expect(first.remarks == second.remarks)
    }

    @Test(arguments: connectable)
    func `a clone advertises what the device advertises`(_ name: String) throws {
        let device = try Self.device(name)
        let clone = try Self.clone(device, CloneOptions())
        var definition = clone.definition
        definition.services = []
        let comparison = try DeviceComparison(Self.original(device), definition)
        #expect(comparison.differences.isEmpty && comparison.isAdvertisingCompared, "\(comparison.differences)")
    }

    @Test func `the hash of a database is left to the server, and stays the same`() throws {
        let device = try Self.device("sports-watch")
        let clone = try Self.clone(device, CloneOptions(readsValues: true)).definition
        let hash = clone.services.flatMap(\.characteristics).first { $0.uuid == .databaseHash }
        #expect(hash != nil && hash?.value == nil)
        #expect(try clone.image().database.hash == device.database.hash)
    }

    @Test func `protected values are noted with the security that they need`() throws {
        let clone = try Self.clone(try Self.device("workbench"), CloneOptions(readsValues: true)).definition
        let characteristics = clone.services.flatMap(\.characteristics)
        func found(_ number: String) -> DeviceCharacteristic? {
            characteristics.first { $0.uuid.description == "b1ec\(number)-5ec7-4c3a-9d0e-51a1b1ec0001" }
        }
        #expect(found("0301")?.permissions?.read == .encrypted, "an error does not tell it from an authenticated one")
        #expect(found("0303")?.permissions?.read == .authorized)
        guard case .refuse? = found("0304")?.onRead else {
            Issue.record("\(String(describing: found("0304")))")
            return
        }
        #expect(found("0305")?.onRead == .silence)
    }

    @Test func `sent values are sent again at the same times`() throws {
        let options = CloneOptions(readsValues: true, recordingTime: .seconds(10))
        let first = try Self.clone(try Self.device("pulse-strap"), options)
        #expect(first.recorded >= 9)
        let second = try Self.clone(try Self.simulated(first.definition), options)
        let recordings = [first, second].map { clone in
            clone.definition.services.flatMap(\.characteristics).compactMap { characteristic -> [ValueReplay.Sample]? in
                guard case .replay(let replay)? = characteristic.value else { return nil }
                #expect(replay.period.map { $0 >= .seconds(10) && $0 < .seconds(11) } == true)
                return replay.samples
            }
        }
        try #require(!recordings[0].isEmpty && recordings[0].count == recordings[1].count)
        for (one, other) in zip(recordings[0], recordings[1]) {
            // At the end, a value may come just before or after the limit.
            for (sample, again) in zip(one, other) {
                #expect(sample.value == again.value)
                let distance = again.at - sample.at
                #expect(max(distance, .zero - distance) < .milliseconds(100))
            }
            #expect(abs(one.count - other.count) <= 1)
        }
        let idle = [first, second].map { clone in
            clone.definition.services.flatMap(\.characteristics).map { $0.stream?.idleValue }
        }
        #expect(idle[0] == idle[1], "a read returns what was read, not a recording")
    }

    @Test func `a readable value that is also sent has the read value, and then the sent ones`() throws {
        let level = DeviceCharacteristic(
            0x2A19,
            [.read, .notify],
            value: .octets([87]),
            stream: DeviceStream(every: .fixed(.seconds(1)))
        )
        var definition = DeviceDefinition(
            label: "charged",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_01), .random)
        )
        definition.advertising = [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])]
        definition.services = [DeviceService(0x180F, characteristics: [level])]
        let options = CloneOptions(readsValues: true, recordingTime: .seconds(5))
        let clone = try Self.clone(try SimulatedDevice(definition), options).definition
        let cloned = try #require(clone.services.flatMap(\.characteristics).first { $0.uuid == 0x2A19 })
        guard case .replay(let replay)? = cloned.value else {
            Issue.record("no replay: \(String(describing: cloned.value))")
            return
        }
        #expect(replay.samples.count >= 4 && replay.samples.allSatisfy { $0.value == [87] })
        #expect(cloned.stream?.idleValue == [87])
    }

    @Test func `a clone without values has only the name, the appearance and descriptors`() throws {
        let device = try Self.device("sports-watch")
        let clone = try Self.clone(device, CloneOptions()).definition
        #expect(clone.label == "trail-x4" || !clone.label.isEmpty)
        for service in clone.services where service.uuid != .genericAccess {
            #expect(service.characteristics.allSatisfy { $0.value == nil })
        }
        let access = try #require(clone.services.first { $0.uuid == .genericAccess })
        #expect(access.characteristics.allSatisfy { $0.value != nil })
        let full = try Self.clone(device, CloneOptions(readsValues: true)).definition
        let comparison = try DeviceComparison(clone, full)
        #expect(comparison.differences.isEmpty && !comparison.unknownValues.isEmpty)
    }
}
