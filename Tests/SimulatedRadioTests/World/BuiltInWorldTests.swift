// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("The built-in world")
struct BuiltInWorldTests {
    @Test func `the devices have their order`() throws {
        let names = try SimulatedWorld.builtIn().devices.map(\.name)
        #expect(
            names == [
                "pulse-strap", "thermometer", "uart-echo", "workbench", "ibeacon", "eddystone", "weather-mast",
                "shapeshifter", "museum", "sports-watch", "flaky-strap", "sensor-tag", "door-lock", "loose-contact",
                "hostile", "scale", "pressure-cuff", "glucose-meter", "glucose-sensor", "oximeter", "gym-bike",
                "foot-pod",
                "navigator", "desk-clock", "thingy",
            ]
        )
    }

    @Test func `addresses are what their types say, and no two are the same`() throws {
        let addresses = try SimulatedWorld.builtIn().devices.map(\.address)
        #expect(Set(addresses).count == addresses.count)
        #expect(!addresses.map(\.kind).contains(.reserved))
    }

    @Test func `advertising data are well formed and fit their PDUs`() throws {
        for device in try SimulatedWorld.builtIn().devices {
            for advertising in device.advertising {
                for event in 0..<4 as Range<UInt64> {
                    let data = advertising.data(.init(uptime: .seconds(1_000_000_000), event: event << 30 + event))
                    let isExtended = if case .extended = advertising.kind { true } else { false }
                    #expect(data.count <= (isExtended ? 1_650 : 31), "\(device.name): \(data.count)")
                    #expect(Self.isWellFormed(data), "\(device.name)")
                }
                let response = advertising.response(.start)
                #expect(response.count <= 31 && Self.isWellFormed(response), "\(device.name)")
            }
        }
    }

    /// Whether the fields' lengths add up, and no field is empty.
    private static func isWellFormed(_ data: [UInt8]) -> Bool {
        var rest = data[...]
        while let length = rest.popFirst() {
            guard length > 0, rest.count >= Int(length) else { return false }
            rest = rest.dropFirst(Int(length))
        }
        return true
    }

    @Test func `the hostile name has every kind of hostile character`() throws {
        let database = try SimulatedDevice.builtIn("hostile").database
        let name = try #require(database[0x0003]?.value)
        #expect(name.count == 29)
        #expect(name.contains(0x1B) && name.contains(0x07) && name.contains(0x0A))
        #expect(String(validating: name, as: UTF8.self) == nil)
        try DeviceProbe.run("hostile") { hostile in
            let value = try await hostile.read(.deviceName)
            // The part that fits into the smallest MTU.
            #expect(value == "0b" + Hex.string(name.prefix(22)))
        }
    }

    @Test func `devices without advertisements, names and data do no harm`() throws {
        let nobody = SimulatedDevice(
            name: "nobody",
            address: DeviceAddress(BluetoothAddress(rawValue: 1), .public),
            rssi: -127,
            advertising: []
        )
        let mute = SimulatedDevice(
            name: "mute",
            address: DeviceAddress(BluetoothAddress(rawValue: 2), .public),
            rssi: 127,
            advertising: [DeviceAdvertising(.connectable, interval: .zero, frames: [])]
        )
        let reports = try simulate(SimulatedWorld(devices: [nobody, mute])) { system, time in
            let reports = try await ScanSettings().scan(system, for: .seconds(1), time).reports
            let channel = try await system.radio(named: nil).connectATT(
                to: mute.address,
                deadline: time.now + .seconds(1)
            )
            #expect(try await channel.exchange("0a0100") == "010a010001")
            return reports
        }
        #expect(!reports.isEmpty)
        #expect(reports.allSatisfy { $0.report.address == mute.address && $0.report.data.isEmpty })
        let emptyAir = try simulate(SimulatedWorld(devices: [])) { system, time in
            try await ScanSettings().scan(system, for: .seconds(1), time)
        }
        #expect(emptyAir.lines.isEmpty)
    }
}
