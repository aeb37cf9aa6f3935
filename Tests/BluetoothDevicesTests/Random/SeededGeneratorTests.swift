// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@Suite("Seeded random numbers")
struct SeededGeneratorTests {
    @Test func `the numbers are those of SplitMix64`() {
        // From the algorithm's reference implementation, which is in the public domain, with seed 1234567.
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }

    @Test func `streams of one seed differ, and streams of two seeds`() {
        var firsts: Set<UInt64> = []
        for seed in 0..<50 as Range<UInt64> {
            for stream in 0..<50 as Range<UInt64> {
                var generator = SeededGenerator(seed: seed, stream: stream)
                firsts.insert(generator.next())
            }
        }
        #expect(firsts.count == 2_500)
    }

    @Test func `derived numbers keep to their ranges`() {
        var generator = SeededGenerator(seed: 3)
        var sum = 0.0
        var squares = 0.0
        for _ in 0..<10_000 {
            let unit = generator.unit()
            #expect(unit >= 0 && unit < 1)
            let duration = generator.duration(below: .milliseconds(10))
            #expect(duration >= .zero && duration < .milliseconds(10))
            let bell = generator.bell()
            sum += bell
            squares += bell * bell
        }
        #expect(abs(sum / 10_000) < 0.05)
        #expect(abs(squares / 10_000 - 1) < 0.05)
        #expect(generator.duration(below: .zero) == .zero)
    }
}
