// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothTesting
import SimulatedRadio
import Synchronization
import Testing

@Suite("Observations that come and go")
struct ObservationStormTests {
    /// A strap whose links last for some seconds.
    private static func world(_ seed: UInt64, lapse: Duration?) throws -> (SimulatedWorld, DeviceAddress) {
        var strap = try SimulatedDevice.builtIn("pulse-strap")
        strap.faults =
            lapse.map { lapse in
                [FaultRule(.connect, nil, .drop(.init(.after, delay: lapse, reason: .connectionTimeout)))]
            } ?? []
        return (SimulatedWorld(seed: seed, devices: [strap]), strap.address)
    }

    /// Observes again and again, and does not always wait for what was begun.
    private static func visit(_ peripheral: Peripheral, _ time: any TimeSource, _ scope: TaskScope, seed: UInt64)
        async throws -> Int
    {
        var random = SeededGenerator(seed: seed)
        var values = 0
        for _ in 0..<12 {
            try await time.sleep(for: random.duration(below: .seconds(2)))
            let observation = await peripheral.observation(limit: 64)
            let wanted: [BluetoothUUID] =
                random.happens(0.3) ? [0x2A37, 0x2A19] : random.happens(0.5) ? [0x2A37] : [0x2A19]
            let limit = random.happens(0.3) ? random.duration(below: .milliseconds(400)) : .seconds(60)
            let stay = random.duration(below: .seconds(6))
            do {
                try await untilDeadline(time.now + limit, time) {
                    for uuid in wanted { try await observation.subscribe(to: peripheral.characteristic(uuid)) }
                }
                let counted = Mutex(0)
                try await untilDeadline(time.now + stay, time) {
                    while true {
                        if case .value = try await observation.next().kind { counted.withLock { $0 += 1 } }
                    }
                }
                values += counted.withLock { $0 }
            } catch is RadioError {
            } catch is ConnectFailure {
            }
            if random.happens(0.3) {
                let moment = time.now + random.duration(below: .milliseconds(200))
                try await untilDeadline(moment, time) { await observation.end() }
            } else {
                await observation.end()
            }
        }
        return values
    }

    @Test(
        "observers come and go, and links are lost: values arrive, and nothing stays subscribed or waiting",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func storm(seed: UInt64) async throws {
        for (lapse, reconnection) in [(nil, nil), (Duration.seconds(7), RetryPolicy.unlimited()), (.seconds(7), nil)]
            as [(Duration?, RetryPolicy?)]
        {
            let (world, address) = try Self.world(seed, lapse: lapse)
            let (values, switches) = try await withSimulation(world) { simulation in
                let (system, time, scope) = (simulation.system, simulation.time, simulation.scope)
                let peripheral = Peripheral(
                    address,
                    radio: try system.radio(named: nil),
                    scope: scope,
                    time: time,
                    configuration: .init(reconnection: reconnection)
                )
                let values = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<3 as Range<UInt64> {
                        group.addTask { try await Self.visit(peripheral, time, scope, seed: seed * 10 + number) }
                    }
                    return try await group.reduce(0, +)
                }
                // Where a link has just been lost, the next one answers.
                try await time.sleep(for: .seconds(2))
                var switches: [[UInt8]] = []
                for uuid in [0x2A37, 0x2A19] as [BluetoothUUID] {
                    let descriptor = peripheral.characteristic(uuid).descriptor(.clientCharacteristicConfiguration)
                    for _ in 0..<3 {
                        if let value = try? await descriptor.read().value {
                            switches.append(value)
                            break
                        }
                        try await time.sleep(for: .seconds(2))
                    }
                }
                await peripheral.disconnect()
                return (values, switches)
            }
            #expect(values > 10, "seed \(seed)")
            #expect(switches == [[0, 0], [0, 0]], "seed \(seed)")
        }
    }
}
