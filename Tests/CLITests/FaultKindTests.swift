// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import Foundation
import TestProcesses
import Testing

/// Every operation with every effect that it can have: what a user sees of it, and the exit status.
@Suite("Kinds of faults", .startsPrograms())
struct FaultKindTests {
    typealias Row = FaultTests.Row

    private static let scan = "scan --duration 1 --name 'Pulse*'"
    private static let read = "read battery-level -d 'Pulse HR'"
    private static let readTwo = "read battery-level body-sensor-location -v -d 'Pulse HR'"
    private static let readLong = "read \(Workbench.long) -d Workbench"
    private static let inspect = "inspect -d 'Pulse HR'"
    private static let write = "write heart-rate-control-point 0x01 -d 'Pulse HR'"
    private static let notify = "notify heart-rate-measurement --count 2 -d 'Pulse HR'"
    private static let listen = "notify heart-rate-measurement --count 20 -d 'Pulse HR'"
    private static let indicate = "notify temperature-measurement --count 2 -d 'Thermo 1'"

    private static let radio: [Row] = [
        Row("scan: delay 2s", scan, 0, "0 reports from 0 devices"),
        Row("scan: truncate to 3", scan, 0),
        Row("scan: duplicate", scan, 0),
        Row("scan: lose", scan, 0, "0 reports from 0 devices"),
        Row("scan: pause", scan, 0, "0 reports from 0 devices"),
        Row("scan: report -12", scan, 0, "-12 dBm"),
        Row("connect: delay 2s", read + " --connect-timeout 1", 124, "the device did not answer"),
        Row("connect: error 0x3b", read, 75, "unacceptable connection parameters (0x3B)"),
        Row("connect: no answer", read, 124, "the device did not answer"),
        Row("connect: drop", read, 75, "the device closed the connection"),
        Row("connect: pause", read, 124, "the device did not answer"),
        Row("disconnect: delay 2s", read, 0, "never acted"),
        Row("disconnect: error", read, 0, "never acted"),
        Row("rssi: delay 2s", read, 0, "never acted"),
        Row("rssi: error", read, 0, "never acted"),
        Row("rssi: no answer", read, 0, "never acted"),
        Row("rssi: report -12", read, 0, "never acted"),
    ]

    private static let discoveries: [Row] = [
        Row("discover-services: delay 2s", inspect + " --timeout 1", 124, "timed out after 1 s"),
        Row("discover-services: error 0x85", inspect, 76, "the device refused (ATT 0x85 application error)"),
        Row("discover-services: no answer", inspect, 124, "timed out after 10 s"),
        Row(
            "discover-services: wrong opcode 0x0d",
            inspect,
            76,
            "invalid answer to Read By Group Type Request: Read Blob Response"
        ),
        Row("discover-services: truncate to 3", inspect, 76, "invalid answer to Read By Group Type Request: "),
        Row("discover-services: oversize to 600", inspect, 76, "600 octets where at most 517 are allowed"),
        Row("discover-services: drop", inspect, 75, "the device closed the connection"),
        Row("discover-services: duplicate", inspect, 76, "the device's answer is invalid"),
        Row("discover-services: reorder", inspect, 124, "timed out after 10 s"),
        Row("discover-services: lose", inspect, 124, "timed out after 10 s"),
        Row("discover-services: pause", inspect, 124, "timed out after 10 s"),
        Row("discover-characteristics: delay 2s", inspect + " --timeout 1", 124, "timed out after 1 s"),
        Row("discover-characteristics: error 0x85", inspect, 76, "the device refused (ATT 0x85 application error)"),
        Row("discover-characteristics: no answer", inspect, 124, "timed out after 10 s"),
        Row(
            "discover-characteristics: wrong opcode 0x0d",
            inspect,
            76,
            "invalid answer to Read By Type Request: Read Blob Response"
        ),
        Row("discover-characteristics: truncate to 3", inspect, 76, "invalid answer to Read By Type Request: "),
        Row("discover-characteristics: oversize to 600", inspect, 76, "600 octets where at most 517 are allowed"),
        Row("discover-characteristics: drop", inspect, 75, "the device closed the connection"),
        Row(
            "discover-characteristics: duplicate",
            inspect,
            76,
            "invalid answer to Find Information Request: Read By Type Response"
        ),
        Row("discover-characteristics: reorder", inspect, 124, "timed out after 10 s"),
        Row("discover-characteristics: lose", inspect, 124, "timed out after 10 s"),
        Row("discover-characteristics: pause", inspect, 124, "timed out after 10 s"),
    ]

    private static let requests: [Row] = [
        Row("read: delay 2s", read + " --timeout 1", 124, "timed out after 1 s"),
        Row("read: error 0x85", read, 76, "the device refused (ATT 0x85 application error)"),
        Row("read: no answer", read, 124, "timed out after 10 s"),
        Row("read: wrong opcode 0x0d", read, 76, "invalid answer to Read By Type Request: Read Blob Response"),
        Row("read: truncate to 3", read, 76, "invalid answer to Read By Type Request: "),
        Row("read: oversize to 600", read, 76, "600 octets where at most 517 are allowed"),
        Row("read: drop", read, 75, "the device closed the connection"),
        Row("read: duplicate", readTwo, 0),
        Row("read: reorder", read, 124, "timed out after 10 s"),
        Row("read: lose", read, 124, "timed out after 10 s"),
        Row("read: pause", read, 124, "timed out after 10 s"),
        Row("write: delay 2s", write + " --timeout 1", 124, "timed out after 1 s"),
        Row("write: error 0x85", write, 76, "the device refused (ATT 0x85 application error)"),
        Row("write: no answer", write, 124, "timed out after 10 s"),
        Row("write: wrong opcode 0x0d", write, 76, "invalid answer to Write Request: Read Blob Response"),
        Row(
            "write: truncate to 3",
            "write heart-rate-control-point 0x02 -d 'Pulse HR'",
            76,
            "invalid answer to Write Request: "
        ),
        Row("write: oversize to 600", write, 76, "600 octets where at most 517 are allowed"),
        Row("write: drop", write, 75, "the device closed the connection"),
        Row(
            "write: duplicate",
            "write \(Workbench.variable) text:hello -d Workbench --verify",
            76,
            "cannot read it back: invalid answer to Read Request: Write Response"
        ),
        Row("write: reorder", write, 124, "timed out after 10 s"),
        Row("write: lose", write, 124, "timed out after 10 s"),
        Row("write: pause", write, 124, "timed out after 10 s"),
        Row("request: delay 2s", read + " --timeout 1", 124, "timed out after 1 s"),
        Row("request: error 0x85", read, 76, "the device refused (ATT 0x85 application error)"),
        Row("request: no answer", read, 124, "timed out after 10 s"),
        Row("request: wrong opcode 0x0d", read, 76, "invalid answer to Read By Type Request: Read Blob Response"),
        Row("request: truncate to 3", read, 76, "invalid answer to Read By Type Request: "),
        Row("request: oversize to 600", read, 76, "600 octets where at most 517 are allowed"),
        Row("request: drop", read, 75, "the device closed the connection"),
        Row("request: duplicate", readTwo, 0),
        Row("request: reorder", read, 124, "timed out after 10 s"),
        Row("request: lose", read, 124, "timed out after 10 s"),
        Row("request: pause", read, 124, "timed out after 10 s"),
    ]

    private static let others: [Row] = [
        Row("subscribe: delay 2s", listen + " --timeout 1", 124, "timed out after 1 s"),
        Row("subscribe: error 0x85", listen, 76, "the device refused (ATT 0x85 application error)"),
        Row("subscribe: no answer", listen, 124, "timed out after 10 s"),
        Row("subscribe: wrong opcode 0x0d", listen, 76, "invalid answer to Write Request: Read Blob Response"),
        Row(
            "subscribe: truncate to 3",
            "notify 10cc0002-3d7a-4b52-9e0c-6f1d0a8b5e24 -d 'Door Lock'",
            76,
            "invalid answer to Write Request: "
        ),
        Row("subscribe: oversize to 600", listen, 76, "600 octets where at most 517 are allowed"),
        Row("subscribe: drop", listen, 75, "the device closed the connection"),
        Row("subscribe: duplicate", listen + " -v", 0, "ignored Write Response to no request"),
        Row("subscribe: reorder", listen + " -v", 0),
        Row("subscribe: lose", listen, 124, "timed out after 10 s"),
        Row("subscribe: pause", listen, 124, "timed out after 10 s"),
        Row("mtu: delay 2s", readLong + " --timeout 1", 124, "timed out after 1 s"),
        Row("mtu: error 0x85", readLong + " -v", 0, "Read Blob Request 0x0012 offset 22"),
        Row("mtu: no answer", readLong, 0, "has not answered the exchange of the MTU within 4 s"),
        Row("mtu: wrong opcode 0x0d", readLong, 76, "invalid answer to Exchange MTU Request: Read Blob Response"),
        Row("mtu: truncate to 2", readLong, 76, "invalid answer to Exchange MTU Request: "),
        Row("mtu: oversize to 600", readLong, 76, "600 octets where at most 517 are allowed"),
        Row("mtu: drop", readLong, 0, "hung up on the exchange of the MTU; connecting again without it"),
        Row("mtu: duplicate", readLong + " -v", 0, "ignored a second Exchange MTU Response"),
        Row("mtu: reorder", readLong, 0, "has not answered the exchange of the MTU within 4 s"),
        Row("mtu: lose", readLong, 0, "has not answered the exchange of the MTU within 4 s"),
        Row("mtu: pause", readLong, 0, "has not answered the exchange of the MTU within 4 s"),
    ]

    private static let updates: [Row] = [
        Row("notify: delay 2s", notify + " --duration 2", 1, "0 of 2 values received"),
        Row("notify: wrong opcode 0x1c", notify, 1, "0 of 2 values received"),
        Row("notify: truncate to 3", notify, 0, "cut off at flags (needs 1 octet, none is left)"),
        Row("notify: oversize to 600", notify, 1, "0 of 2 values received"),
        Row("notify: drop", notify, 75, "the device closed the connection"),
        Row("notify: duplicate", notify, 0),
        Row("notify: reorder #1", notify, 0),
        Row("notify: lose", notify, 1, "0 of 2 values received"),
        Row("notify: pause", notify, 1, "0 of 2 values received"),
        Row("update: delay 2s", notify + " --duration 2", 1, "0 of 2 values received"),
        Row("update: wrong opcode 0x1c", notify, 1, "0 of 2 values received"),
        Row("update: truncate to 3", notify, 0, "cut off at flags (needs 1 octet, none is left)"),
        Row("update: oversize to 600", notify, 1, "0 of 2 values received"),
        Row("update: drop", notify, 75, "the device closed the connection"),
        Row("update: duplicate", notify, 0),
        Row("update: reorder #1", notify, 0),
        Row("update: lose", notify, 1, "0 of 2 values received"),
        Row("update: pause", notify, 1, "0 of 2 values received"),
        Row("indicate: delay 2s", indicate, 0),
        Row("indicate: wrong opcode 0x1c", indicate, 75, "the device closed the connection"),
        Row("indicate: truncate to 3", indicate, 0, "cut off at flags (needs 1 octet, none is left)"),
        Row("indicate: oversize to 600", indicate, 1, "0 of 2 values received"),
        Row("indicate: drop", indicate, 75, "the device closed the connection"),
        Row("indicate: duplicate", indicate, 0),
        Row("indicate: reorder", indicate, 75, "the device closed the connection"),
        Row("indicate: lose", indicate, 75, "the device closed the connection"),
        Row("indicate: pause", indicate, 75, "the device closed the connection"),
    ]

    private static let rows = radio + discoveries + requests + others + updates

    @Test func `each effect on an operation has a command that shows it`() throws {
        struct Kind: Hashable {
            let operation: FaultRule.Operation
            let effect: FaultEffect.Kind
        }
        let possible = FaultRule.Operation.allCases.flatMap { operation in
            operation.effects.map { Kind(operation: operation, effect: $0) }
        }
        let shown = try Self.rows.map { row in
            let rule = try FaultText(parsing: row.fault).rule
            return Kind(operation: rule.operation, effect: rule.effect.kind)
        }
        #expect(Set(possible).subtracting(shown) == [])
        #expect(possible.count > 100)
    }

    /// Runs a command among the devices that the table needs; the whole world would take longer to read.
    private static func simulate(_ line: String, _ options: [String] = []) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let devices = ["pulse-strap", "thermometer", "workbench", "door-lock"]
            let places = devices.map { "{\"built_in\": \"\($0)\"}" }.joined(separator: ", ")
            let world = "{\"schema\": \"blectl-world/1\", \"devices\": [\(places)]}"
            let file = folder.appending(path: "world.json")
            try Data(world.utf8).write(to: file)
            let arguments = TypedCommand(line).arguments
            return try await Blectl.run(
                ["--simulate=\(file.path)", "--simulate-time", "virtual"] + options + arguments
            )
        }
    }

    /// No command waits for the end of a link or asks for its signal, so these faults never act here: `LinkFaultTests`
    /// shows what they do.
    @Test(arguments: rows)
    func `a fault has its effect, and the command its status`(_ row: Row) async throws {
        let run = try await Self.simulate(row.line, ["--fault", row.fault])
        #expect(run.status == row.status, "\(run.stdout)\(run.stderr)")
        let output = run.stdout + run.stderr
        #expect(row.words.isEmpty || output.contains(row.words), "\(output)")
        guard run.status == 0 else { return }
        // The command succeeds, but not as it would without the fault.
        let undisturbed = try await Self.simulate(row.line)
        #expect(undisturbed.status == 0)
        #expect(output != undisturbed.stdout + undisturbed.stderr)
    }
}
