// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Scripts as the author of a test rig writes them, in `Tests/ThreeLives/rigs`.
@Suite("Scripts of a rig", .startsPrograms(isLong: true))
struct RigScriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ThreeLives/rigs").path
    private static let device = "\(folder)/freezer.json"
    static let scripts = ["provision", "soak", "firmware", "alarm", "power"]

    private func path(_ script: String) -> String { "\(Self.folder)/\(script).blectl" }

    private func virtual(_ words: [String], device: String = device) async throws -> BlectlRun {
        try await Blectl.run(["--simulate=\(device)", "--simulate-time", "virtual", "run"] + words)
    }

    /// The lines of a TAP report without times and comments.
    private func comparable(_ report: String) -> [String] {
        report.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("  duration_ms:") && !$0.hasPrefix("#") }
    }

    @Test(arguments: scripts)
    func `passes in virtual time, with the same report in each run`(_ script: String) async throws {
        let first = try await virtual([path(script), "--report", "tap=-"])
        #expect(first.status == 0, "\(first.stdout)\(first.stderr)")
        #expect(!first.stdout.contains("not ok") && first.stdout.contains("\nok 1 - "))
        let second = try await virtual([path(script), "--report", "tap=-"])
        #expect(second.stdout == first.stdout)
    }

    @Test func `all have the same report in a shared world, one after the other`() async throws {
        let paths = Self.scripts.map(path)
        let alone = try await virtual(paths + ["--report", "tap=-"])
        #expect(comparable(alone.stdout).count { $0.hasPrefix("ok ") } == 12, "\(alone.stdout)")
        // Some steps allow two seconds of real time, in which a busy machine may not do what a device is to do.
        for attempt in 1...3 {
            let shared = try await inSharedWorld(paths)
            let isSame = shared.status == 0 && comparable(shared.stdout) == comparable(alone.stdout)
            RealTime.expect(isSame, isLast: attempt == 3, "\(shared.status) \(shared.stdout)\(shared.stderr)")
            if isSame { break }
        }
    }

    /// Runs scripts in a shared world.
    private func inSharedWorld(_ paths: [String]) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            try await Blectl.shell(
                """
                S=\(folder.path)/s
                $BLECTL simulate serve --socket $S '\(Self.device)' >$S.out & server=$!
                trap 'kill -9 $server 2>/dev/null' EXIT
                until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
                timeout 300 $BLECTL --simulate=$S run \(paths.map { "'\($0)'" }.joined(separator: " ")) --report tap=-
                """
            )
        }
    }

    @Test func `definitions of the command line replace those of the script`() async throws {
        let named = try await virtual([path("provision"), "-D", "name=Cellar", "-v"])
        #expect(named.status == 0 && named.stderr.contains("43656c6c6172"), "\(named.stdout)\(named.stderr)")
        let long = try await virtual([path("provision"), "-D", "name=a name that has no room in it"])
        #expect(long.status != 0 && long.stdout.contains("✗ takes its place"), "\(long.stdout)\(long.stderr)")
        let cold = try await virtual([path("soak"), "-D", "coldest=-1800"])
        #expect(cold.status == 1 && cold.stdout.contains("✗ measures for forty values"), "\(cold.stdout)")
    }

    @Test func `older firmware is detected, and nothing is written to it`() async throws {
        try await TemporaryFolder.use { folder in
            let text = try String(contentsOfFile: Self.device, encoding: .utf8)
            let older = folder.appending(path: "older.json").path
            try Data(text.replacing("text:2.14.1", with: "text:2.9.3").utf8).write(to: URL(filePath: older))
            let run = try await virtual([path("firmware"), "--report", "tap=-"], device: older)
            #expect(run.status == 1, "\(run.stdout)\(run.stderr)")
            #expect(run.stdout.contains("# SKIP") && !run.stdout.contains("Write Request"), "\(run.stdout)")
        }
    }
}
