// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@Suite("Virtual time", .startsPrograms())
struct DeterminismTests {
    private static let hour = ["watch", "heart-rate", "--count", "3600", "--json"]

    @Test func `an hour of heart beats is the same in every run, even on a busy machine`() async throws {
        let first = try await Blectl.run(Blectl.virtual + Self.hour)
        let records = try first.records()
        #expect(first.status == 0)
        #expect(records.count == 3_600)
        // An hour on the clock of the world, with at most two beats a second.
        let duration = try #require(records.last?["monotonic_ns"]?.integer)
        #expect((3_590_000_000_000...3_700_000_000_000).contains(duration), "\(duration)")

        let second = try await Blectl.shell(
            """
            for core in 1 2 3; do (while :; do :; done) & burners="$burners $!"; done
            $BLECTL $SIMULATE \(Self.hour.joined(separator: " "))
            status=$?; kill -KILL $burners; exit $status
            """
        )
        #expect(second.status == 0)
        #expect(second.stdoutBytes == first.stdoutBytes)

        let other = try await Blectl.run(Blectl.virtual + Self.hour + ["--simulate-seed", "2"])
        #expect(other.status == 0)
        #expect(try other.records().count == 3_600)
        #expect(other.stdoutBytes != first.stdoutBytes)
    }

    @Test(arguments: [
        "scan --duration 10 --json -vv", "scan --duration 3", "inspect -d Workbench --values --json -vv",
        "read battery-level model-number-string -v --json", "read \(Workbench.silent) -d Workbench --json -v",
        "notify heart-rate-measurement battery-level --count 20 --json -vv", "watch battery --count 2 --json",
        "write \(Workbench.variable) text:hello -d Workbench --verify --json -vv", "version --json", "adapters --json",
    ])
    func `two runs with one seed write the same messages`(_ line: String) async throws {
        let command = TypedCommand(line)
        let first = try await command.run()
        let second = try await command.run()
        #expect(!first.stdoutBytes.isEmpty)
        #expect(first.stdoutBytes == second.stdoutBytes)
        #expect(first.stderr == second.stderr)
        #expect(first.status == second.status)
    }

    @Test(arguments: ["scan --duration 5 --json", "read battery-level --json", "inspect -d Workbench --json"])
    func `another seed is another world`(_ line: String) async throws {
        let one = try await TypedCommand("\(line) --simulate-seed 7").run()
        let other = try await TypedCommand("\(line) --simulate-seed 8").run()
        #expect(one.status == 0 && other.status == 0)
        #expect(one.stdoutBytes != other.stdoutBytes)
    }
}
