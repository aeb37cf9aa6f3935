// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Number generators")
struct NumberSamplerTests {
    private static func number(_ text: String) throws -> DecimalNumber { try #require(DecimalNumber(text)) }

    /// The numbers at times in seconds.
    private func numbers(
        _ generator: NumberGenerator,
        at seconds: [Double],
        advances: Bool = true,
        seed: UInt64 = 1
    ) -> [Double] {
        var sampler = NumberSampler()
        var random = SeededGenerator(seed: seed)
        return seconds.map { sampler.next(generator, at: .seconds($0), advances: advances, &random) }
    }

    private func numbers(_ generator: NumberGenerator, count: Int, seed: UInt64 = 1) -> [Double] {
        numbers(generator, at: (0..<count).map { Double($0) }, seed: seed)
    }

    @Test func `a ramp rises evenly, and stays or begins again`() {
        let once = NumberGenerator.ramp(
            from: DecimalNumber(10),
            to: DecimalNumber(20),
            over: .seconds(10),
            repeats: false
        )
        #expect(numbers(once, at: [0, 2.5, 10, 99]) == [10, 12.5, 20, 20])
        let again = NumberGenerator.ramp(
            from: DecimalNumber(20),
            to: DecimalNumber(0),
            over: .seconds(10),
            repeats: true
        )
        #expect(numbers(again, at: [0, 5, 10, 15]) == [20, 10, 20, 10])
        let instant = NumberGenerator.ramp(from: DecimalNumber(1), to: DecimalNumber(2), over: .zero, repeats: false)
        #expect(numbers(instant, at: [0]) == [2])
    }

    @Test func `a sine begins in the middle, rising, and agrees with the true one`() {
        let sine = NumberGenerator.sine(low: DecimalNumber(-2), high: DecimalNumber(4), period: .seconds(8))
        let values = numbers(sine, at: [0, 2, 4, 6, 8])
        for (value, expected) in zip(values, [1.0, 4, 1, -2, 1]) { #expect(abs(value - expected) < 0.000_02) }
        // Known values of the sine.
        for (turns, expected) in [(1.0 / 12, 0.5), (1.0 / 8, 0.707_106_781), (5.0 / 6, -0.866_025_404)] {
            #expect(abs(NumberGenerator.sine(turns: turns) - expected) < 0.000_004)
        }
        #expect(NumberGenerator.sine(turns: .infinity) == 0)
        let still = NumberGenerator.sine(low: DecimalNumber(0), high: DecimalNumber(2), period: .zero)
        #expect(numbers(still, at: [0, 5]) == [1, 1])
    }

    @Test func `a walk takes steps within its limits, from its start`() {
        let walk = NumberGenerator.walk(
            low: DecimalNumber(0),
            high: DecimalNumber(10),
            step: DecimalNumber(3),
            start: DecimalNumber(9)
        )
        let values = numbers(walk, count: 500)
        #expect(values[0] == 9)
        #expect(values.allSatisfy { (0...10).contains($0) })
        #expect(zip(values, values.dropFirst()).allSatisfy { abs($0 - $1) <= 3 })
        #expect(Set(values).count > 300)
        #expect(values.min() == 0 && values.max() == 10)
        #expect(numbers(walk, count: 500) == values)
        #expect(numbers(walk, count: 500, seed: 2) != values)
        let middle = NumberGenerator.walk(low: DecimalNumber(4), high: DecimalNumber(2), step: .zero, start: nil)
        // Limits in the wrong order are those of a point.
        #expect(numbers(middle, count: 2) == [4, 4])
    }

    @Test func `random numbers fill their range`() {
        let values = numbers(.random(low: DecimalNumber(-5), high: DecimalNumber(5)), count: 1_000)
        #expect(values.allSatisfy { (-5.0..<5).contains($0) })
        #expect(abs(values.reduce(0, +) / 1_000) < 0.5)
        #expect(values.min().map { $0 < -4.9 } == true && values.max().map { $0 > 4.9 } == true)
    }

    @Test func `steps advance with each read, or with the time`() {
        let steps = [1, 5, 3].map { DecimalNumber($0) }
        #expect(numbers(.steps(steps, every: nil), count: 5) == [1, 5, 3, 1, 5])
        #expect(numbers(.steps(steps, every: .seconds(2)), at: [0, 1.9, 2, 4, 6, 7]) == [1, 1, 5, 3, 1, 1])
        #expect(numbers(.steps([], every: nil), count: 1) == [0])
        #expect(numbers(.steps([], every: .seconds(1)), count: 1) == [0])
    }

    @Test func `a timetable holds each number until the next`() {
        let table: [NumberGenerator.TimedNumber] = [
            .init(at: .seconds(1), DecimalNumber(10)), .init(at: .seconds(3), DecimalNumber(30)),
            .init(at: .seconds(4), DecimalNumber(40)),
        ]
        #expect(numbers(.timetable(table, repeats: false), at: [0, 1, 2.9, 3, 4, 99]) == [10, 10, 10, 30, 40, 40])
        #expect(numbers(.timetable(table, repeats: true), at: [3.5, 4, 5, 7.5]) == [30, 10, 10, 30])
        #expect(numbers(.timetable([], repeats: true), at: [1]) == [0])
    }

    @Test func `a counter begins again above its limit`() {
        let counter = NumberGenerator.counter(from: DecimalNumber(2), step: DecimalNumber(3), limit: DecimalNumber(9))
        #expect(numbers(counter, count: 5) == [2, 5, 8, 2, 5])
        let endless = NumberGenerator.counter(from: DecimalNumber(0), step: DecimalNumber(-1), limit: nil)
        #expect(numbers(endless, count: 3) == [0, -1, -2])
    }

    @Test func `a counter and a clock begin again beyond the numbers of their format`() throws {
        func octets(_ text: String, of uuid: String = "0xFF01", at looks: [Double]) throws -> [String] {
            let file = """
                {"schema": "blectl-device/1", "services": [{"uuid": "0xFF00", "characteristics": [
                 {"uuid": "\(uuid)", "properties": ["read"], "value": \(text)}]}]}
                """
            let definition = try DeviceFile.read(Array(file.utf8), named: "test.json")
            let value = try #require(definition.services.first?.characteristics.first?.value)
            var samplers: [NumberSampler] = []
            return looks.map { seconds in
                var maker = ValueGenerator(
                    moment: ValueMoment(now: .zero, uptime: .seconds(seconds), isSent: true, advances: true),
                    random: SeededGenerator(seed: 1),
                    samplers: samplers
                )
                let octets = maker.octets(of: value)
                samplers = maker.samplers
                return Hex.string(octets ?? [])
            }
        }
        let looks = [Double](repeating: 0, count: 4)
        #expect(try octets(#"{"counter": 253, "as": "u8"}"#, at: looks) == ["fd", "fe", "ff", "fd"])
        #expect(try octets(#"{"counter": 126, "as": "s8"}"#, at: looks) == ["7e", "7f", "7e", "7f"])
        #expect(try octets(#"{"counter": 1, "step": -1, "as": "u8"}"#, at: looks) == ["01", "00", "01", "00"])
        #expect(try octets(#"{"counter": 65534, "as": "u16be"}"#, at: looks) == ["fffe", "ffff", "fffe", "ffff"])
        // The highest battery level is 100.
        #expect(try octets(#"{"counter": 99}"#, of: "battery-level", at: looks) == ["63", "64", "63", "64"])
        #expect(
            try octets(#"{"clock": "1s", "as": "u8"}"#, at: [0, 255, 256, 513]) == ["00", "ff", "00", "01"]
        )
    }

    @Test func `a clock counts whole units`() {
        #expect(numbers(.clock(unit: .seconds(10)), at: [0, 9.9, 10, 25]) == [0, 0, 1, 2])
        #expect(numbers(.clock(unit: .zero), at: [5]) == [0])
    }

    @Test func `a read that does not advance gets the last number, which is then used up`() {
        var sampler = NumberSampler()
        var random = SeededGenerator(seed: 1)
        let counter = NumberGenerator.counter(from: DecimalNumber(1), step: DecimalNumber(1), limit: nil)
        let looks = [false, false, true, false, true, true, false].map {
            sampler.next(counter, at: .zero, advances: $0, &random)
        }
        #expect(looks == [1, 1, 1, 1, 2, 3, 3])
    }

    @Test func `decimal numbers become the nearest binary fractions`() throws {
        for text in ["0", "-0.1", "36.7", "1e22", "123456789.125", "-1.5e-20", "9007199254740993", "1e-30", "0.3e25"] {
            #expect(try Self.number(text).double == Double(text))
        }
    }

    @Test(arguments: [
        ("u8", "7.5", "08"), ("u8", "-3", "00"), ("u8", "256", "ff"), ("u8", "255.4", "ff"), ("s8", "-128.4", "80"),
        ("s8", "200", "7f"), ("u16", "513", "0102"), ("u16be", "513", "0201"), ("s16", "-2", "feff"),
        ("u24", "1e9", "ffffff"), ("u64", "1e30", "ffffffffffffffff"), ("s64", "-1e30", "0000000000000080"),
        ("f32", "1.5", "0000c03f"), ("f64", "-2", "00000000000000c0"), ("medfloat16", "36.72", "6ff1"),
        ("medfloat32", "36.75", "5b0e00fe"),
    ])
    func `a generated number is rounded and limited to its format`(_ name: String, _ number: String, _ hex: String)
        throws
    {
        let format = try ValueFormat(name)
        let value = try #require(Double(number))
        #expect(format.octets(ofGenerated: value) == octets(hex))
    }

    @Test func `numbers that are not finite do not trap`() throws {
        for number in [Double.nan, .infinity, -.infinity] {
            for name in ValueFormat.names { _ = try ValueFormat(name).octets(ofGenerated: number) }
        }
        #expect(try ValueFormat("u8").octets(ofGenerated: .nan) == [0])
        #expect(try ValueFormat("s16").octets(ofGenerated: .infinity) == [0xFF, 0x7F])
        #expect(ValueFormat.hex.octets(ofGenerated: 1) == nil)
    }
}
