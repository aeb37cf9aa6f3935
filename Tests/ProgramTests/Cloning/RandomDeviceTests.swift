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

@Suite("Clones of random devices")
struct RandomDeviceTests {
    /// Makes a device with services, includes, characteristics and descriptors at any handles.
    private struct Maker {
        var random: SeededGenerator

        mutating func definition() -> DeviceDefinition {
            var handle: UInt16 = 0
            let labels = (0..<Int.random(in: 1...6, using: &random)).map { "service \($0)" }
            let services = labels.indices.map { index in
                handle += UInt16.random(in: 1...3, using: &random)
                let includes = index == 0 || Bool.random(using: &random) ? [] : [labels[0]]
                var service = DeviceService(
                    uuid(),
                    isPrimary: Int.random(in: 0..<4, using: &random) > 0,
                    label: labels[index],
                    includes: includes,
                    handle: Handle(handle)
                )
                handle += UInt16(includes.count)
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    service.characteristics.append(characteristic(&handle))
                }
                return service
            }
            var device = DeviceDefinition(
                label: "random",
                address: DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random),
                services: services,
                hasStandardServices: false
            )
            device.advertising = [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])]
            return device
        }

        private mutating func uuid() -> BluetoothUUID {
            // Few different ones, so that some occur twice.
            BluetoothUUID(UInt16.random(in: 0xFE00...0xFE08, using: &random))
        }

        private mutating func value(upTo limit: Int) -> [UInt8] {
            (0..<Int.random(in: 0...limit, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }

        private mutating func characteristic(_ handle: inout UInt16) -> DeviceCharacteristic {
            let all: CharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify, .indicate]
            let bits = CharacteristicProperties(rawValue: UInt8.random(in: 0...255, using: &random))
            handle += UInt16.random(in: 1...3, using: &random)
            var characteristic = DeviceCharacteristic(
                uuid(),
                bits.intersection(all),
                value: .octets(value(upTo: 40)),
                handle: Handle(handle)
            )
            handle += UInt16.random(in: 1...3, using: &random)
            characteristic.valueHandle = Handle(handle)
            if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
                handle += 1
                if Bool.random(using: &random) {
                    // Somewhere else than usual.
                    handle += UInt16.random(in: 1...2, using: &random)
                    characteristic.descriptors.append(.clientConfiguration(handle: Handle(handle)))
                }
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                handle += UInt16.random(in: 1...3, using: &random)
                characteristic.descriptors.append(
                    DescriptorDefinition(0x2901, value: .fixed(value(upTo: 20)), handle: Handle(handle))
                )
            }
            return characteristic
        }
    }

    @Test(arguments: 0..<24)
    func `a device and its clone are equal`(_ seed: Int) throws {
        var maker = Maker(random: SeededGenerator(seed: UInt64(seed)))
        let device = maker.definition()
        let image = try device.image()
        let simulated = SimulatedDevice(
            name: "random",
            address: device.address,
            rssi: -60,
            advertising: device.advertising,
            database: image.database,
            firmware: image.firmware
        )
        let result = Mutex<CloneResult?>(nil)
        try OperationBench.run(.address(device.address.address, nil), among: [simulated]) { bench in
            try await bench.provider.withDevice { connected in
                let operation = CloneOperation(options: CloneOptions(readsValues: true))
                try await operation.perform(on: connected, in: bench.context)
            }
            guard case .other(let clone as CloneResult)? = bench.log.results.last else { return }
            result.withLock { $0 = clone }
        }
        let clone = try #require(result.withLock { $0 })
        #expect(clone.remarks.isEmpty)
        let comparison = try DeviceComparison(device, clone.definition, ignoring: .advertising)
        #expect(comparison.differences.isEmpty, "\(comparison.differences)")
        #expect(comparison.unknownValues.isEmpty && comparison.generatedValues.isEmpty)
        #expect(try clone.definition.image().database.hash == image.database.hash)
    }
}
