// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// A run of the real binary, as a script would see it.
struct BlectlRun: Sendable {
    /// The exit status, or the negative number of the signal that ended it.
    let status: Int32
    let stdout: String
    let stderr: String
    let stdoutBytes: [UInt8]

    /// Standard output as one JSON object a line.
    func records(sourceLocation: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
        try stdout.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any], "not an object: \(line)", sourceLocation: sourceLocation)
        }
    }
}

/// Starts the real binary that was built together with these tests. Nothing blocks the test's thread.
enum Blectl {
    /// Beside the test bundle.
    static let path: String = {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return products.appendingPathComponent("blectl").path
    }()

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: What is typed after `blectl`.
    ///   - input: What stands on standard input.
    ///   - environment: Added to a nearly empty environment.
    ///   - signal: A signal to send after a line was seen on standard output.
    static func run(
        _ arguments: String...,
        input: [UInt8] = [],
        environment: [String: String] = [:],
        signalAfterFirstLine signal: Int32? = nil
    ) async throws -> BlectlRun {
        try await run(arguments, input: input, environment: environment, signalAfterFirstLine: signal)
    }

    static func run(
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String] = [:],
        signalAfterFirstLine signal: Int32? = nil
    ) async throws -> BlectlRun {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = (
            input: folder.appendingPathComponent("in"), output: folder.appendingPathComponent("out"),
            error: folder.appendingPathComponent("err")
        )
        try Data(input).write(to: files.input)
        try Data().write(to: files.output)
        try Data().write(to: files.error)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "SWIFT_BACKTRACE": "enable=no"]
            .merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: files.input)
        process.standardOutput = try FileHandle(forWritingTo: files.output)
        process.standardError = try FileHandle(forWritingTo: files.error)
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        if let signal {
            while process.isRunning, try Data(contentsOf: files.output).isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            kill(process.processIdentifier, signal)
        }
        for await _ in ended {}
        let output = try Data(contentsOf: files.output)
        return BlectlRun(
            status: process.terminationReason == .uncaughtSignal
                ? -process.terminationStatus : process.terminationStatus,
            stdout: String(decoding: output, as: UTF8.self),
            stderr: String(decoding: try Data(contentsOf: files.error), as: UTF8.self),
            stdoutBytes: Array(output)
        )
    }
}
