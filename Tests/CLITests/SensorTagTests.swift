// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("A simulated SensorTag", .startsPrograms())
struct SensorTagTests {
    private static func uuid(_ short: String) -> String { "f000\(short)-0451-4000-b000-000000000000" }

    @Test func `it is found by its name, although it advertises no services`() async throws {
        let run = try await Blectl.simulate("read manufacturer-name-string -d SensorTag")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout == "Texas Instruments\n")
    }

    @Test func `its keys are notified when they are pressed`() async throws {
        let run = try await Blectl.simulate("notify ffe1 -d SensorTag --count 7 --json")
        #expect(run.status == 0, "\(run.stderr)")
        let keys = try run.records().filter { $0["type"] == .string("notification") }
        #expect(keys.map { $0["value"] } == ["01", "00", "02", "00", "01", "03", "00"].map { .string($0) })
    }

    @Test func `a sensor that is off has no data`() async throws {
        let run = try await Blectl.simulate("read \(Self.uuid("aa11")) \(Self.uuid("aa43")) -d SensorTag --json")
        #expect(run.status == 0, "\(run.stderr)")
        let zeros = [String(repeating: "0", count: 6), String(repeating: "0", count: 32)]
        #expect(try run.records().map { $0["value"] } == zeros.map { .string($0) })
    }

    @Test func `configurations and periods are written, and nonsense is refused`() async throws {
        for (target, value) in [("aa12", "01"), ("aa13", "0x0a"), ("aa42", "01"), ("aa52", "07")] {
            let run = try await Blectl.simulate("write \(Self.uuid(target)) \(value) -d SensorTag --verify")
            #expect(run.status == 0, "\(target): \(run.stderr)")
        }
        for (target, value) in [("aa12", "07"), ("aa13", "0x09"), ("aa42", "03"), ("aa52", "01")] {
            let run = try await Blectl.simulate("write \(Self.uuid(target)) \(value) -d SensorTag")
            #expect(run.status == 76 && run.stderr.contains("0x80"), "\(target): \(run.stderr)")
        }
    }

    @Test func `a lock that asks for pairing says so`() async throws {
        for command in ["read battery-level", "notify battery-level --count 1"] {
            let run = try await Blectl.simulate("\(command) -d 'Door Lock'")
            #expect(run.status == 76, "\(run.stderr)")
            #expect(run.stderr.contains("0x05"), "\(run.stderr)")
        }
        let model = try await Blectl.simulate("read model-number-string -d 'Door Lock' --json")
        #expect(model.status == 0, "\(model.stderr)")
    }

    @Test func `the hint of the lock leads to a pairing, after which it obeys`() async throws {
        try await TemporaryFolder.use { folder in
            func run(_ line: String) async throws -> BlectlRun {
                try await Blectl.run(
                    ["--simulate"] + TypedCommand(line).arguments,
                    environment: ["XDG_STATE_HOME": folder.path]
                )
            }
            let (lock, state) = ("D9:10:CC:4E:A2:36", "10cc0002-3d7a-4b52-9e0c-6f1d0a8b5e24")
            let refused = try await run("read battery-level -d 'Door Lock'")
            #expect(refused.status == 76, "\(refused.stderr)")
            #expect(refused.stderr.contains("hint: blectl pair \(lock) --passkey DIGITS\n"), "\(refused.stderr)")
            let paired = try await run("pair \(lock) --passkey 123456")
            #expect(paired.status == 0, "\(paired.stderr)")
            let read = try await run("read battery-level \(state) -d \(lock)")
            #expect(read.stdout == "battery-level: 71 %\n\(state): 0x01\n", "\(read.stderr)")
            let written = try await run("write 10cc0003-3d7a-4b52-9e0c-6f1d0a8b5e24 00 -d \(lock)")
            #expect(written.status == 0, "\(written.stderr)")
        }
    }
}
