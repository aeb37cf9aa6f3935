// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import SimulatedRadio
import Testing

@Suite("Values as a sequence")
struct ValuesTests {
    /// Runs a test with the heart rate strap.
    private func withStrap(
        reconnects: Bool = false,
        _ body: @escaping @Sendable (FacadeBench, Peripheral) async throws -> Void
    ) throws {
        try FacadeBench.run { bench in
            let address = try await bench.address()
            let configuration = Peripheral.Configuration(reconnection: reconnects ? .unlimited() : nil)
            try await withCentral(on: bench.system) { central in
                try await central.withPeripheral(address, configuration: configuration) { try await body(bench, $0) }
            }
        }
    }

    @Test("measurements come once a second, decoded")
    func measurements() throws {
        try withStrap { bench, strap in
            var rates: [UInt16] = []
            let start = bench.time.now
            for try await measurement in strap.values(of: HeartRateMeasurement.self) {
                #expect(measurement.contact == .detected)
                rates.append(measurement.heartRate)
                if rates.count == 5 { break }
            }
            #expect(rates.allSatisfy { (40...180).contains($0) })
            #expect(bench.time.now - start > .seconds(4))
            #expect(bench.time.now - start < .seconds(7))
        }
    }

    @Test("leaving the loop unsubscribes, and the link stays")
    func unsubscribed() throws {
        try withStrap { bench, strap in
            for try await _ in strap.characteristic(.heartRateMeasurement).values {
                let count = try await bench.control.subscribers(of: FacadeBench.heartRate, on: FacadeBench.strap)
                #expect(count == 1)
                break
            }
            try await bench.time.sleep(for: .seconds(1))
            let count = try await bench.control.subscribers(of: FacadeBench.heartRate, on: FacadeBench.strap)
            #expect(count == 0)
            #expect(await strap.isConnected)
        }
    }

    @Test("two sequences of one characteristic each get every value")
    func two() throws {
        try withStrap { bench, strap in
            async let first = Self.rates(3, of: strap)
            async let second = Self.rates(3, of: strap)
            let both = try await (first, second)
            #expect(both.0 == both.1)
        }
    }

    private static func rates(_ count: Int, of strap: Peripheral) async throws -> [UInt16] {
        var rates: [UInt16] = []
        for try await measurement in strap.values(of: .heartRateMeasurement) {
            rates.append(measurement.heartRate)
            if rates.count == count { break }
        }
        return rates
    }

    @Test("a value that does not fit the format is reported and left out")
    func malformed() throws {
        try withStrap { bench, strap in
            let events = Record<String>()
            var rates: [UInt16] = []
            let values = strap.values(of: HeartRateMeasurement.self) { event in
                events.add(event.text)
            }
            for try await measurement in values {
                rates.append(measurement.heartRate)
                guard rates.count == 1 else { break }
                _ = try await bench.control.send([0x01, 0x48], of: FacadeBench.heartRate, on: FacadeBench.strap)
                _ = try await bench.control.send([0x00, 0xC8], of: FacadeBench.heartRate, on: FacadeBench.strap)
            }
            #expect(rates.last == 200)
            #expect(events.all == ["subscribed", "malformed 0148"])
        }
    }

    @Test("a slow reader learns how many values it has missed, and where")
    func dropped() throws {
        try withStrap { bench, strap in
            let events = Record<String>()
            var values: [[UInt8]] = []
            for try await event in strap.characteristic(.heartRateMeasurement).values(
                limit: 2,
                onEvent: { events.add($0.text) }
            ) {
                values.append(event.value)
                guard values.count == 1 else { break }
                for number in 1...5 {
                    _ = try await bench.control.send(
                        [0, UInt8(number)],
                        of: FacadeBench.heartRate,
                        on: FacadeBench.strap
                    )
                }
                // Less than the time to the strap's own next value.
                try await bench.time.sleep(for: .milliseconds(300))
            }
            #expect(values.last == [0, 4])
            #expect(events.all == ["subscribed", "dropped 3"])
        }
    }

    @Test("a lost link ends the sequence with the words of the tool")
    func lost() throws {
        try withStrap { bench, strap in
            let address = strap.address.address
            let error = try await #require(throws: BluetoothError.self) {
                for try await _ in strap.values(of: .heartRateMeasurement) {
                    try await bench.control.disconnect(FacadeBench.strap)
                }
            }
            #expect(error.action == "listen to Heart Rate Measurement of \(address)")
            #expect(error.reason == "the device closed the connection (HCI remote user terminated connection (0x13))")
        }
    }

    @Test("with reconnection a lost link is reported and made again, and values go on")
    func restored() throws {
        try withStrap(reconnects: true) { bench, strap in
            let events = Record<String>()
            var count = 0
            for try await _ in strap.values(of: .heartRateMeasurement, onEvent: { events.add($0.text) }) {
                count += 1
                if count == 2 { try await bench.control.disconnect(FacadeBench.strap) }
                if count == 4 { break }
            }
            #expect(
                events.all == [
                    "subscribed",
                    "lost: the device closed the connection (HCI remote user terminated connection (0x13))",
                    "restored, attempt 1",
                ]
            )
        }
    }

    @Test("a characteristic that does not send is refused in words")
    func notObservable() throws {
        try withStrap { _, strap in
            let error = try await #require(throws: BluetoothError.self) {
                for try await _ in strap.characteristic(.bodySensorLocation).values {}
            }
            #expect(error.reason == "it neither notifies nor indicates, only: read")
        }
    }

    @Test("a device that never answers the subscription ends it at the configured time limit")
    func silent() throws {
        try FacadeBench.run { bench in
            let address = try await bench.address()
            try await withCentral(on: bench.system) { central in
                let strap = try await central.connect(to: address, configuration: .init(timeout: .seconds(3)))
                try await bench.control.setPaused(FacadeBench.strap, true)
                let start = bench.time.now
                let error = try await #require(throws: BluetoothError.self) {
                    for try await _ in strap.values(of: .heartRateMeasurement) {}
                }
                #expect(bench.time.now - start == .seconds(3))
                #expect(error.reason == "timed out after 3 s")
                try await bench.control.setPaused(FacadeBench.strap, false)
            }
        }
    }
}
