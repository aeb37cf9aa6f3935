// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import SimulatedRadio

@Suite("Heart rate strap")
struct HeartRateStrapTests {
    private static let measurement: BluetoothUUID = 0x2A37

    /// A measurement with its time.
    private struct Sample: Hashable, Sendable {
        let seconds: Double
        let measurement: HeartRateMeasurement
    }

    private static func samples(_ count: Int, seed: UInt64 = 1) throws -> [Sample] {
        let box = Box<[Sample]>([])
        try DeviceProbe.run("pulse-strap", seed: seed) { strap in
            let start = strap.time.now
            let answer = try await strap.exchange("12" + strap.configuration(measurement) + "0100")
            #expect(answer == "13")
            for _ in 0..<count {
                let pdu = try await strap.receive()
                #expect(Hex.string(pdu.prefix(3)) == "1b" + (try strap.handle(measurement)))
                let value = try HeartRateMeasurement(decoding: Array(pdu.dropFirst(3)))
                let seconds = Double((strap.time.now - start).clampedNanoseconds) / 1e9
                box.set(box.value + [Sample(seconds: seconds, measurement: value)])
            }
        }
        return box.value
    }

    @Test func `the first answers are exact, octet by octet`() throws {
        try DeviceProbe.run("pulse-strap") { strap in
            // Generic Access 0001…0005, Generic Attribute …000d, Heart Rate …0015, Battery …0019, Device Information
            // …0022.
            let first = try await strap.exchange("100100ffff0028")
            #expect(first == "1106" + "010005000018" + "06000d000118" + "0e0015000d18")
            #expect(try await strap.exchange("101600ffff0028") == "1106" + "160019000f18" + "1a0022000a18")
            #expect(try await strap.exchange("102300ffff0028") == "0110" + "2300" + "0a")
            let characteristics = try await strap.exchange("080e0015000328")
            #expect(characteristics == "0907" + "0f00101000372a" + "1200021300382a" + "1400081500392a")
            #expect(try await strap.exchange("080100ffff192a") == "0903" + "180057")
            #expect(try await strap.read(0x2A38) == "0b01")
        }
    }

    @Test func `a measurement comes each second`() throws {
        let samples = try Self.samples(100)
        for (earlier, later) in zip(samples, samples.dropFirst()) {
            let gap = later.seconds - earlier.seconds
            // One second, rounded up to the next connection event of 30 ms.
            #expect(abs(gap - 1) < 0.031)
        }
        #expect(abs(samples[99].seconds - 100) < 0.1)
    }

    @Test func `the intervals add up to the time, and the rate follows from them`() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            let samples = try Self.samples(600, seed: seed)
            let touching = samples.filter { $0.measurement.contact == .detected }
            #expect(touching.count > 560)
            #expect(samples.allSatisfy { $0.measurement.rrIntervals.isEmpty || $0.measurement.contact == .detected })
            let intervals = touching.flatMap(\.measurement.rrIntervals).map { Double($0) / 1_024 }
            let lost = Double(samples.count - touching.count)
            #expect(abs(intervals.reduce(0, +) + lost - 600) < 8)
            for (index, sample) in samples.enumerated() where index > 10 {
                let recent = samples[..<(index + 1)].flatMap(\.measurement.rrIntervals).suffix(5).map(Double.init)
                guard samples[(index - 8)...index].allSatisfy({ $0.measurement.contact == .detected }) else { continue }
                let rate = 60 * 1_024 * 5 / recent.reduce(0, +)
                #expect(abs(rate - Double(sample.measurement.heartRate)) <= 0.51)
            }
        }
    }

    @Test func `the rate moves plausibly between rest and effort`() throws {
        let rates = try Self.samples(1_200).map { Int($0.measurement.heartRate) }
        #expect(rates.allSatisfy { 45...180 ~= $0 })
        let largestStep = zip(rates, rates.dropFirst()).map { abs($0 - $1) }.max()
        #expect(try #require(largestStep) < 12)
        #expect(try #require(rates.max()) > 110)
        #expect(try #require(rates.min()) < 80)
    }

    @Test func `energy goes with every tenth measurement and never falls until it is reset`() throws {
        let samples = try Self.samples(600)
        let energies = samples.enumerated().compactMap { index, sample in
            sample.measurement.energyExpended.map { (index, $0) }
        }
        #expect(energies.map(\.0) == Array(stride(from: 0, to: 600, by: 10)))
        #expect(zip(energies, energies.dropFirst()).allSatisfy { $0.1 <= $1.1 })
        // Ten minutes of rest and effort use some hundred kilojoules.
        #expect(30...600 ~= Int(try #require(energies.last).1))
    }

    @Test func `the control point resets the energy and knows nothing else`() throws {
        try DeviceProbe.run("pulse-strap") { strap in
            let controlPoint = try strap.handle(0x2A39)
            #expect(try await strap.write(0x2A39, "02") == "0112" + controlPoint + "80")
            #expect(try await strap.write(0x2A39, "") == "0112" + controlPoint + "0d")
            #expect(try await strap.write(0x2A39, "0101") == "0112" + controlPoint + "0d")
            _ = try await strap.exchange("12" + strap.configuration(Self.measurement) + "0100")
            var energies: [UInt16] = []
            while energies.count < 10 {
                let value = try HeartRateMeasurement(decoding: Array(try await strap.receive().dropFirst(3)))
                if let energy = value.energyExpended { energies.append(energy) }
            }
            #expect(try #require(energies.last) > 5)
            #expect(try await strap.write(0x2A39, "01") == "13")
            var next: UInt16?
            while next == nil {
                next = try HeartRateMeasurement(decoding: Array(try await strap.receive().dropFirst(3))).energyExpended
            }
            #expect(try #require(next) < 5)
        }
    }

    @Test func `unsubscribing stops the measurements, and a new link begins without subscription`() throws {
        try DeviceProbe.run("pulse-strap") { strap in
            let configuration = try strap.configuration(Self.measurement)
            _ = try await strap.exchange("12" + configuration + "0100")
            _ = try await strap.receive()
            #expect(try await strap.exchange("12" + configuration + "0000") == "13")
            #expect(await strap.isQuiet(for: .seconds(60)))
        }
    }

    @Test func `the battery runs down, and notifies its subscribers`() throws {
        try DeviceProbe.run("pulse-strap") { strap in
            #expect(try await strap.read(0x2A19) == "0b57")
            _ = try await strap.exchange("12" + strap.configuration(0x2A19) + "0100")
            #expect(Hex.string(try await strap.receive()) == "1b" + (try strap.handle(0x2A19)) + "56")
            #expect(try await strap.read(0x2A19) == "0b56")
            #expect(strap.time.now - .zero > .seconds(1_400) && strap.time.now - .zero < .seconds(1_510))
        }
    }

    @Test func `an hour of heart beats takes a moment`() throws {
        let start = ContinuousClock.now
        let samples = try Self.samples(3_600)
        // Half a second in a debug build. The bound only detects real waiting, also on a busy machine.
        #expect(ContinuousClock.now - start < .seconds(300))
        #expect(abs(samples[3_599].seconds - 3_600) < 0.1)
    }

    @Test func `one seed gives one heart, another seed another`() throws {
        let first = try Self.samples(300)
        #expect(try Self.samples(300) == first)
        #expect(try Self.samples(300, seed: 2) != first)
    }
}
