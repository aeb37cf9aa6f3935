// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import SimulatedRadio
import Testing

/// A private service of an application.
private struct Echo: TypedService {
    static let uuid: BluetoothUUID = 0xFFF0
    let peripheral: Peripheral

    func say(_ text: String) async throws { try await peripheral.write(text, to: .echo) }
}

extension CharacteristicKey where Value == String {
    fileprivate static var echo: Self { .text(0x2A00) }
}

@Suite("Typed reads, writes and services")
struct TypedAccessTests {
    private func with(
        _ device: String,
        _ body: @escaping @Sendable (FacadeBench, Peripheral) async throws -> Void
    ) throws {
        try FacadeBench.run { bench in
            let address = try await bench.address(device)
            try await withCentral(on: bench.system) { central in
                try await central.withPeripheral(address) { try await body(bench, $0) }
            }
        }
    }

    @Test("a typed read or write sends the same requests as an untyped one")
    func roundTrips() throws {
        try inVirtualTime { time, scope in
            let device = ServedDevice(try ServedDatabase.make(), time, scope)
            let central = Central(device, scope: scope, time: time)
            let peripheral = central.peripheral(.scripted)
            _ = try await peripheral.connection()
            _ = device.takeLog()
            _ = try await peripheral.read(.batteryLevel)
            let typed = device.takeLog()
            _ = try await peripheral.characteristic(0x2A19).read()
            let untyped = device.takeLog()
            #expect(typed == untyped)
            #expect(typed.count == 1)
            await peripheral.disconnect()
        }
    }

    @Test("the heart rate service reports where it is worn, and resets its energy")
    func heartRate() throws {
        try with("Pulse HR") { bench, strap in
            let service = strap.service(HeartRateService.self)
            #expect(try await service.location() == .chest)
            var energies: [UInt16?] = []
            for try await measurement in service.measurements() {
                energies.append(measurement.energyExpended)
                if energies.count == 30 { break }
            }
            try await service.resetEnergyExpended()
            for try await measurement in service.measurements() {
                guard let energy = measurement.energyExpended else { continue }
                #expect(energy <= energies.compactMap(\.self).last ?? 0)
                break
            }
        }
    }

    @Test("the battery has its level")
    func battery() throws {
        try with("Pulse HR") { bench, strap in
            let service = strap.service(BatteryService.self)
            #expect(try await service.level() == BatteryLevel(percent: 87))
            let target = WorldRequest.Target.characteristic(0x2A19, service: nil)
            let events = Record<String>()
            var levels: [UInt8] = []
            let app = Running(bench.scope, bench.time) {
                var levels: [UInt8] = []
                for try await level in service.levels(onEvent: { events.add($0.text) }) {
                    levels.append(level.percent)
                    if levels.count == 2 { break }
                }
                return levels
            }
            try await bench.time.sleep(for: .seconds(1))
            try await bench.control.set([12], of: target, on: "Pulse HR")
            try await bench.control.set([11], of: target, on: "Pulse HR")
            try await bench.time.sleep(for: .seconds(1))
            #expect(app.outcome?.text == "[12, 11]")
            levels.removeAll()
        }
    }

    @Test("device information leaves out what the device lacks")
    func information() throws {
        try with("Thermo 1") { _, device in
            let information = try await device.service(DeviceInformationService.self).information()
            #expect(information.manufacturer == "blectl simulation")
            #expect(information.regulatoryCertification == nil)
        }
    }

    @Test("a SensorTag measures while a sensor is switched on")
    func sensorTag() throws {
        try with("SensorTag") { bench, device in
            let tag = device.service(SensorTagService.self)
            try await tag.setPeriod(of: .accelerometer, milliseconds: 200)
            try await tag.set(.accelerometer, isOn: true)
            var count = 0
            let start = bench.time.now
            for try await reading in tag.readings(SensorTag.Acceleration.self) {
                #expect(abs(reading.x) <= 2 && abs(reading.y) <= 2 && abs(reading.z) <= 2)
                count += 1
                if count == 5 { break }
            }
            #expect(bench.time.now - start < .milliseconds(1_700))
            try await tag.set(.accelerometer, isOn: false)
        }
    }

    /// A tag with a thermometer that sends 21.75 °C as a CC2650 does, and the service that tells its model.
    private static func tag(_ mark: BluetoothUUID) throws -> GATTDatabase {
        try GATTDatabase(services: [
            .genericAccess(name: "Tag"),
            ServiceDefinition(
                SensorTag.uuid(0xAA00),
                characteristics: [
                    CharacteristicDefinition(
                        SensorTag.uuid(0xAA01),
                        [.read, .notify],
                        value: .fixed([0xE0, 0x0A, 0x30, 0x0B])
                    )
                ]
            ),
            ServiceDefinition(mark),
        ])
    }

    @Test("a typed reading is decoded as the model sends it, which its services tell at one request each")
    func models() throws {
        typealias Reading = SensorTag.InfraredTemperature
        for (mark, object, requests) in [
            (SensorTag.uuid(0xAA80), 21.75, 6), (SensorTag.uuid(0xAA10), 76.458, 2), (0xFFF0, nil, 7),
        ] as [(BluetoothUUID, Double?, Int)] {
            try inVirtualTime { time, scope in
                let device = ServedDevice(try Self.tag(mark), time, scope)
                let peripheral = Central(device, scope: scope, time: time).peripheral(.scripted)
                _ = try await peripheral.connection()
                _ = device.takeLog()
                if let object {
                    #expect(try await peripheral.read(Reading.self).object == object)
                } else {
                    await #expect(throws: BluetoothError.self) { try await peripheral.read(Reading.self) }
                }
                let log = device.takeLog()
                #expect(log.count == requests, "\(log)")
                // What the services tell is known from then on.
                _ = try? await peripheral.read(Reading.self)
                #expect(device.takeLog().count == 1)
                await peripheral.disconnect()
            }
        }
    }

    @Test("the clock of a device is read and set by one type")
    func clock() throws {
        try with("Desk Clock") { _, device in
            let service = device.service(CurrentTimeService.self)
            var time = try await service.time()
            time.dateTime = DateTime("2027-02-03T04:05:06")
            try await service.set(time)
            #expect(try await service.time().dateTime.map { "\($0)".hasPrefix("2027-02-03T04:05") } == true)
        }
    }

    @Test("the error for a missing or refused attribute has its name and the address")
    func refused() throws {
        try with("Pulse HR") { _, strap in
            let address = strap.address.address
            let missing = try await #require(throws: BluetoothError.self) { _ = try await strap.read(.currentTime) }
            #expect(
                "\(missing)"
                    == "cannot read Current Time from \(address): the device has no characteristic Current Time (0x2A2B)"
            )
            let refused = try await #require(throws: BluetoothError.self) {
                _ = try await strap.read(.heartRateMeasurement)
            }
            #expect(refused.reason == "the device refused (ATT 0x02 read not permitted)")
            let unwritable = try await #require(throws: BluetoothError.self) {
                try await strap.write(BatteryLevel(percent: 3))
            }
            #expect(unwritable.action == "write Battery Level to \(address)")
        }
    }

    @Test("an application error has the name of its service")
    func applicationError() throws {
        try with("Pulse HR") { _, strap in
            let controlPoint = CharacteristicKey<[UInt8]>(0x2A39) {
                $0
            } encode: {
                $0
            }
            let error = try await #require(throws: BluetoothError.self) {
                try await strap.write([2], to: controlPoint)
            }
            #expect(error.reason.hasPrefix("the device refused (ATT 0x80 Heart Rate: "))
        }
    }

    @Test("a private service takes ten lines")
    func own() throws {
        try with("Pulse HR") { _, strap in
            let error = try await #require(throws: BluetoothError.self) {
                try await strap.service(Echo.self).say("hello")
            }
            #expect(error.reason == "the device refused (ATT 0x03 write not permitted)")
        }
    }

    @Test("a value that does not fit its characteristic is not sent")
    func unencodable() throws {
        try with("Desk Clock") { _, device in
            let error = try await #require(throws: BluetoothError.self) {
                try await device.service(CurrentTimeService.self).set(CurrentTime())
            }
            #expect(error.cause is FieldError)
        }
    }
}
