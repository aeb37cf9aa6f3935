// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Speed and cadence from revolutions")
struct RevolutionCounterTests {
    typealias Sample = (wheel: UInt32, wheelTime: UInt16, crank: UInt16, crankTime: UInt16)

    /// The values of CSC Measurement with wheel and crank.
    static func bytes(_ sample: Sample) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(3)
        writer.uint32(sample.wheel)
        writer.uint16(sample.wheelTime)
        writer.uint16(sample.crank)
        writer.uint16(sample.crankTime)
        return writer.bytes
    }

    /// The last of several measurements, each a number of milliseconds after the start.
    static func last(_ samples: [(Int, Sample)], circumference: Int = 2_000) -> [String: String] {
        var counter = RevolutionCounter(.cyclingSpeed, circumference: circumference)
        var members: [DecodedValue.Member] = []
        for (milliseconds, sample) in samples {
            members = counter.received(bytes(sample), at: .zero + .milliseconds(milliseconds))
        }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, Self.text($0.value)) })
    }

    private static func text(_ content: DecodedValue.Content) -> String {
        if case .number(let number) = content { number.description } else { "null" }
    }

    @Test("the first measurement gives neither speed nor cadence")
    func first() {
        #expect(Self.last([(0, (5, 0, 5, 0))]) == ["speed_kmh": "null", "cadence_rpm": "null"])
    }

    @Test("the second measurement gives both")
    func second() {
        // 4 revolutions of 2 m in 1 s are 8 m/s = 28.8 km/h; 3 revolutions in 2 s are 90 in a minute.
        let end = Self.last([(0, (100, 1_000, 50, 500)), (2_000, (104, 2_024, 53, 2_548))])
        #expect(end == ["speed_kmh": "28.8", "cadence_rpm": "90"])
    }

    @Test("counters that overflow continue")
    func overflow() {
        // From 2³² − 2 to 2, and from 65000 to 65000 + 1024 − 65536 = 488; the crank from 65535 to 1 in 2048 ticks.
        let end = Self.last([(0, (.max - 1, 65_000, 65_535, 64_000)), (2_000, (2, 488, 1, 512))])
        #expect(end == ["speed_kmh": "28.8", "cadence_rpm": "60"])
    }

    @Test("between revolutions the last pace is kept; without any revolution there is no pace")
    func standstill() {
        let start: [(Int, Sample)] = [(0, (100, 1_000, 50, 500)), (1_000, (104, 2_024, 51, 1_524))]
        #expect(Self.last(start + [(2_000, (104, 2_024, 51, 1_524))]) == ["speed_kmh": "28.8", "cadence_rpm": "60"])
        #expect(Self.last(start + [(5_000, (104, 2_024, 51, 1_524))]) == ["speed_kmh": "0", "cadence_rpm": "0"])
    }

    @Test("after a minute without a revolution the pace is unknown, and the next revolution restores it")
    func longPause() {
        let samples: [(Int, Sample)] = [(0, (100, 1_000, 50, 500)), (70_000, (104, 2_024, 51, 1_524))]
        #expect(Self.last(samples) == ["speed_kmh": "null", "cadence_rpm": "null"])
        let end = Self.last(samples + [(71_000, (108, 3_048, 52, 2_548))])
        #expect(end == ["speed_kmh": "28.8", "cadence_rpm": "60"])
    }

    @Test("a sensor that restarts gives no impossible speed")
    func restart() {
        let end = Self.last([(0, (100, 1_000, 50, 500)), (1_000, (1, 1_024, 1, 600))])
        #expect(end == ["speed_kmh": "null", "cadence_rpm": "null"])
    }

    @Test("a power meter's wheel has a finer time, and fields before it are skipped")
    func power() {
        var counter = RevolutionCounter(.cyclingPower, circumference: 2_000)
        // Balance, torque and wheel; 200 W.
        func bytes(_ revolutions: UInt8, _ time: UInt16) -> [UInt8] {
            [0x15, 0, 200, 0, 90, 1, 2, revolutions, 0, 0, 0, UInt8(time & 0xFF), UInt8(time >> 8)]
        }
        _ = counter.received(bytes(10, 0), at: .zero)
        let members = counter.received(bytes(14, 2_048), at: .zero + .seconds(1))
        #expect(members == [.init("speed_kmh", .number(DecimalNumber(288, exponent: -1)))])
    }

    @Test("truncated measurements change nothing")
    func cut() {
        var counter = RevolutionCounter(.cyclingSpeed, circumference: 2_000)
        let whole = Self.bytes((1, 2, 3, 4))
        for length in 0..<whole.count {
            #expect(counter.received(Array(whole.prefix(length)), at: .zero).isEmpty)
        }
    }
}
