// SPDX-License-Identifier: MIT

import BluetoothTesting
import Synchronization
import Testing

/// A thermostat whose temperature follows its setpoint, by code.
private final class CodedThermostat: Sendable {
    static let service: BluetoothUUID = 0xFF20
    static let temperature: BluetoothUUID = 0xFF21
    static let setpoint: BluetoothUUID = 0xFF22

    private let state = Mutex((temperature: UInt8(18), setpoint: UInt8(20), subscribers: 0))

    var subscribers: Int { state.withLock { $0.subscribers } }

    var definition: DeviceDefinition {
        DeviceDefinition("thermostat", name: "Thermostat") {
            DeviceAdvertising(name: "Thermostat", services: [Self.service])
            DeviceService(Self.service) {
                DeviceCharacteristic(Self.temperature, [.read, .notify])
                    .onRead { [self] _ in [follow()] }
                    .onSubscribe { [self] isSubscribed, _ in
                        state.withLock { $0.subscribers += isSubscribed ? 1 : -1 }
                    }
                    .sent(every: .seconds(1))
                DeviceCharacteristic(Self.setpoint, [.read, .write, .notify], value: .octets([20]))
                    .onWrite { [self] value, device in
                        guard let degrees = value.first, value.count == 1, (5...30).contains(degrees) else {
                            throw ATTRefusal(.valueNotAllowed)
                        }
                        state.withLock { $0.setpoint = degrees }
                        try device.send(value, of: Self.setpoint)
                    }
                DeviceCharacteristic(0xFF23, [.write])
                    .onWrite { _, device in try device.set([22], of: Self.setpoint) }
            }
            DeviceService(0x180F) {
                DeviceCharacteristic(BatteryLevel.self, [.read]).onRead { _ in BatteryLevel(percent: 41) }
            }
        }
    }

    /// A degree nearer to the setpoint each time.
    private func follow() -> UInt8 {
        state.withLock { state in
            if state.temperature < state.setpoint { state.temperature += 1 }
            if state.temperature > state.setpoint { state.temperature -= 1 }
            return state.temperature
        }
    }
}

@Suite("Firmware in Swift")
struct DeviceCodeTests {
    @Test("on the bench, code makes values, and what a stream sends")
    func bench() throws {
        let thermostat = CodedThermostat()
        var bench = try DeviceBench(thermostat.definition)
        let client = bench.connect()
        #expect(try bench.read(CodedThermostat.temperature, client) == [19])
        #expect(try bench.read(CodedThermostat.temperature, client) == [20])
        #expect(try bench.read(0x2A19, client) == [41])
        try bench.write([22], to: CodedThermostat.setpoint, client)
        try bench.subscribe(client, to: CodedThermostat.temperature)
        #expect(thermostat.subscribers == 1)
        bench.advance(by: .seconds(3))
        #expect(bench.takeValues(of: CodedThermostat.temperature, for: client) == [[21], [22], [22]])
    }

    @Test("code refuses a write, and an accepted one is stored and sent")
    func writes() throws {
        var bench = try DeviceBench(CodedThermostat().definition)
        let client = bench.connect()
        try bench.subscribe(client, to: CodedThermostat.setpoint)
        for wrong in [[4], [31], [], [20, 20]] as [[UInt8]] {
            #expect(throws: DeviceBench.Failure.refused(.valueNotAllowed)) {
                try bench.write(wrong, to: CodedThermostat.setpoint, client)
            }
        }
        #expect(try bench.read(CodedThermostat.setpoint, client) == [20])
        try bench.write([25], to: CodedThermostat.setpoint, client)
        #expect(try bench.read(CodedThermostat.setpoint, client) == [25])
        #expect(bench.takeValues(of: CodedThermostat.setpoint, for: client) == [[25]])
    }

    @Test("code changes the value of another characteristic")
    func other() throws {
        var bench = try DeviceBench(CodedThermostat().definition)
        let client = bench.connect()
        try bench.subscribe(client, to: CodedThermostat.setpoint)
        try bench.write([1], to: 0xFF23, client)
        #expect(try bench.read(CodedThermostat.setpoint, client) == [22])
        #expect(bench.takeValues(of: CodedThermostat.setpoint, for: client) == [[22]])
    }

    @Test("an error of code that is no refusal is Unlikely Error")
    func failure() throws {
        let device = DeviceDefinition("broken") {
            DeviceAdvertising(name: "Broken")
            DeviceService(CodedThermostat.service) {
                DeviceCharacteristic(CodedThermostat.temperature, [.read]).onRead { _ -> [UInt8] in
                    throw CancellationError()
                }
            }
        }
        var bench = try DeviceBench(device)
        let client = bench.connect()
        #expect(throws: DeviceBench.Failure.refused(.unlikelyError)) {
            try bench.read(CodedThermostat.temperature, client)
        }
    }

    @Test("a definition with code is equal to itself only")
    func equality() {
        let thermostat = CodedThermostat()
        let definition = thermostat.definition
        #expect(definition == definition)
        #expect(definition != thermostat.definition)
    }

    @Test("code runs in a simulation", .simulated { CodedThermostat().definition })
    func simulated() async throws {
        let simulation = try Simulation.current
        let thermostat = simulation.peripheral
        _ = try await thermostat.characteristic(CodedThermostat.setpoint).write([21])
        var seen: [UInt8] = []
        for try await value in thermostat.characteristic(CodedThermostat.temperature).values {
            seen += value.value
            if seen.count == 4 { break }
        }
        #expect(seen == [19, 20, 21, 21])
    }

    @Test("code runs where a program serves the device", .simulated {})
    func served() async throws {
        let simulation = try Simulation.current
        let (machine, phone) = (simulation.system, simulation.addMachine())
        let device = CodedThermostat().definition
        try await withTaskScope { scope in
            scope.spawn {
                try? await withPeripheralHost(of: device, on: machine) { host in
                    try await host.serve { _ in .goOn }
                }
            }
            let address = DeviceAddress(try #require(simulation.adapter.state).address, .public)
            let thermostat = simulation.peripheral(at: address, of: phone)
            #expect(try await thermostat.characteristic(CodedThermostat.temperature).read().value == [19])
            await #expect(throws: BluetoothError.self) {
                try await thermostat.characteristic(CodedThermostat.setpoint).write([99], within: .seconds(5))
            }
            await thermostat.disconnect()
        }
    }
}
