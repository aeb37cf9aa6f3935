// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// A run of the real binary, as a script sees it.
struct BlectlRun: Sendable {
    /// The exit status, or the negative number of the signal that ended the run.
    let status: Int32
    /// The complete standard output.
    let stdoutBytes: [UInt8]
    /// The complete standard error.
    let stderr: String
    /// When the program ended.
    let endedAt: ContinuousClock.Instant

    /// Standard output as text.
    var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }

    /// Standard output as JSON, with one object on each line.
    func records() throws -> [[String: JSON]] { try JSON.objects(stdout) }
}

/// Starts the real binary. Does not block threads of Swift's pool.
enum Blectl {
    /// The path of the binary: that of `BLECTL_BINARY`, as `make test` sets it to the release, or else the one that was built
    /// with the tests, beside the test bundle. Most of the time of these tests goes into programs, and the release is many
    /// times as fast.
    static let path: String = {
        if let path = ProcessInfo.processInfo.environment["BLECTL_BINARY"] { return path }
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return products.appendingPathComponent("blectl").path
    }()

    /// The options of most tests: simulated devices, without real waiting.
    static let virtual = ["--simulate", "--simulate-time", "virtual"]

    /// Runs a command to its end on simulated devices in virtual time. The line is written as in a shell, with
    /// quotation marks around words with spaces.
    static func simulate(
        _ line: String,
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) async throws -> BlectlRun {
        try await run(virtual + TypedCommand(line).arguments, input: input, environment: environment)
    }

    /// Runs a command to its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments behind `blectl`.
    ///   - input: The content of standard input.
    ///   - environment: Variables that are added to a nearly empty environment.
    static func run(
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) async throws -> BlectlRun {
        try await run(Program(path, arguments), input: input, environment: environment)
    }

    /// Runs a line of bash to its end; `$BLECTL` is the binary, and `$SIMULATE` the options of `virtual`.
    static func shell(_ script: String, environment: [String: String] = [:]) async throws -> BlectlRun {
        let names = ["BLECTL": path, "SIMULATE": virtual.joined(separator: " ")]
        return try await run(
            Program("/bin/bash", ["-c", script]),
            input: [],
            environment: names.merging(environment) { $1 }
        )
    }

    private static func run(
        _ program: Program,
        input: [UInt8],
        environment: [String: String]
    ) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let files = ["in", "out", "err"].map { folder.appendingPathComponent($0) }
            try Data(input).write(to: files[0])
            for file in files.dropFirst() { try Data().write(to: file) }
            let child = try Child(
                program,
                input: try FileHandle(forReadingFrom: files[0]),
                output: try FileHandle(forWritingTo: files[1]),
                error: try FileHandle(forWritingTo: files[2]),
                // A folder of its own for sessions too: one that a killed test left behind is none of this test's.
                environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path].merging(environment) { $1 }
            )
            return BlectlRun(
                status: try await child.status(),
                stdoutBytes: Array(try Data(contentsOf: files[1])),
                stderr: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self),
                endedAt: child.endedAt ?? .now
            )
        }
    }
}
