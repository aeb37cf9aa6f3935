// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// A run of the real binary, as a script would see it.
struct BlectlRun: Sendable {
    /// The exit status, or the negative number of the signal that ended it.
    let status: Int32
    /// All of standard output.
    let stdoutBytes: [UInt8]
    /// All of standard error.
    let stderr: String

    /// Standard output as text.
    var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }

    /// Standard output as one JSON object a line.
    func records() throws -> [[String: JSON]] { try JSON.objects(stdout) }
}

/// Starts the real binary that was built together with these tests. Nothing blocks a thread of the pool.
enum Blectl {
    /// Beside the test bundle.
    static let path: String = {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return products.appendingPathComponent("blectl").path
    }()

    /// What most tests put in front: simulated devices, and no waiting.
    static let virtual = ["--simulate", "--simulate-time", "virtual"]

    /// Runs it to its end on simulated devices in virtual time: a line as a person types it, with quotation marks around
    /// what has blanks in it.
    static func simulate(
        _ line: String,
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) async throws -> BlectlRun {
        try await run(virtual + TypedCommand(line).arguments, input: input, environment: environment)
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: What is typed after `blectl`.
    ///   - input: What stands on standard input.
    ///   - environment: Added to a nearly empty environment.
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
                environment: ["HOME": folder.path].merging(environment) { $1 }
            )
            return BlectlRun(
                status: try await child.status(),
                stdoutBytes: Array(try Data(contentsOf: files[1])),
                stderr: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
            )
        }
    }
}
