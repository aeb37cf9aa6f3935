// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Runs on machines whose kernel lacks Bluetooth. The kernel lab contains these cases for others.
@Suite("Without Bluetooth", .enabled(if: Kernel.lacksBluetooth), .startsPrograms())
struct NoBluetoothTests {
    @Test(arguments: [
        "scan", "scan --duration 1 --json", "inspect -d Workbench", "inspect \(World.strap) --address-type random",
        "read battery-level", "read battery-level -d \(World.strap) --address-type random --json",
        "write battery-level 0x01 -d \(World.strap)", "notify battery-level", "watch heart-rate", "adapters",
        "adapters --json", "scan --adapter hci0",
    ])
    func `a command that needs a radio ends with 69, one line and a hint`(_ line: String) async throws {
        let run = try await Blectl.run(TypedCommand(line).arguments)
        #expect(run.status == 69)
        let records = try run.records().map { [$0["type"], $0["reason"]] }
        let reason = "this kernel has no Bluetooth support"
        #expect(records == (line.hasSuffix("--json") ? [[.string("error"), .string(reason)]] : []))
        let lines = run.stderr.split(separator: "\n")
        #expect(lines.count == 2, "\(run.stderr)")
        #expect(lines.first?.hasPrefix("blectl: cannot ") == true)
        #expect(lines.first?.hasSuffix(reason) == true)
        #expect(lines.last == "hint: 'blectl doctor' looks for the reason; '--simulate' needs no radio")
    }

    @Test(arguments: ["read nonsense", "write battery-level u8:300", "write battery-level @/nowhere", "watch nonsense"])
    func `a mistake in the line has precedence`(_ line: String) async throws {
        let run = try await Blectl.run(TypedCommand(line).arguments)
        #expect([64, 65, 66].contains(run.status), "\(run.stderr)")
    }

    @Test func `commands that need no radio work`() async throws {
        for line in ["--version", "--help", "version --json", "completion fish", "help scan"] {
            #expect(try await Blectl.run(TypedCommand(line).arguments).status == 0, "\(line)")
        }
    }

    @Test func `absent and simulated devices are not remembered`() async throws {
        try await TemporaryFolder.use { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            let read = ["read", "battery-level", "-d", World.strap, "--address-type", "random"]
            _ = try await Blectl.run(read, environment: state)
            _ = try await Blectl.run(Blectl.virtual + read, environment: state)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.isEmpty, "a simulated device is none to remember either: \(left)")
        }
    }
}

private enum Kernel {
    /// Whether the kernel lacks AF_BLUETOOTH.
    static let lacksBluetooth: Bool = {
        let descriptor = socket(31, Int32(SOCK_RAW.rawValue), 1)
        if descriptor >= 0 { close(descriptor) }
        return descriptor < 0 && errno == EAFNOSUPPORT
    }()
}
