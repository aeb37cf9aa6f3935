// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Records
import Testing

@testable import Scripting

/// Scripts as they are typed, on simulated devices in virtual time.
@Suite("Steps of scripts")
struct TypedScriptTests {
    private static let strap = "device strap -d 'Pulse HR'\n"

    @Test func `a list gives each round its value, within other repetitions, and with variables`() throws {
        let script = try ScriptText.read(
            Self.strap + """
                set last c
                test "list"
                for letter in a 'b b' ${last}
                  repeat 2 as round
                    expect "${letter}${round}" matches '^(a|b b|c)[12]$'
                  end
                end
                for name in battery-level body-sensor-location
                  read strap ${name}
                end
                """
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed"], "\(result.firstLines)")
        #expect(result.steps.count { $0.position.step.text.hasPrefix("expect") } == 6)
        #expect(result.steps.suffix(2).map(\.resultCount) == [1, 1])
    }

    @Test func `a number in hexadecimal may have as many digits as a value`() throws {
        let script = try ScriptText.read(
            """
            expect 18446744073709551615 in 0x8000000000000000..0xFFFFFFFFFFFFFFFF
            expect 5 < 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
            """
        )
        #expect(try ScriptBench.run(script).verdicts == ["passed"])
    }

    @Test func `jitter is of all results of a step`() throws {
        let script = try ScriptText.read(
            Self.strap + """
                test "even"
                notify strap heart-rate-measurement as beats
                await beats 5 within 20 s expect jitter < 100
                test "fails"
                notify strap heart-rate-measurement as beats
                await beats 5 within 20 s expect jitter < -1
                """
        )
        let result = try ScriptBench.run(script)
        #expect(result.verdicts == ["passed", "failed"], "\(result.firstLines)")
        #expect(Jitter(of: [.object(["monotonic_ns": .number(1)])]) == nil)
        let uneven = Jitter(of: [0, 10, 30].map { .object(["monotonic_ns": .number($0 * 1_000_000)]) })
        #expect(
            [uneven?.shortest, uneven?.mean, uneven?.longest] == [
                .milliseconds(10), .milliseconds(15), .milliseconds(20),
            ]
        )
    }

    @Test(arguments: ["", " -i all"])
    func `a device is looked for as long as its step may take`(_ adapters: String) throws {
        let script = try ScriptText.read(
            "device nobody -d 'Nobody'\(adapters)\ntest a\nconnect nobody within 30 s\ntest b\nread nobody battery-level\n"
        )
        let result = try ScriptBench.run(script, keepsGoing: true)
        #expect(result.steps.map(\.duration.components.seconds) == [30, 10], "\(result.firstLines)")
        let told = result.failures.map(\.message)
        #expect(
            told == ["expected a link within 30 s, got none", "no device named 'Nobody' was found in 10 s"],
            "\(told)"
        )
    }

    @Test func `a link that does not come in time is told as that`() throws {
        let script = try ScriptText.read("device nobody -d 'Nobody'\ntest a\nconnect nobody within 100 ms\n")
        let result = try ScriptBench.run(script)
        #expect(result.firstLines.joined().contains("a link within 100 ms"), "\(result.firstLines)")
    }
}
