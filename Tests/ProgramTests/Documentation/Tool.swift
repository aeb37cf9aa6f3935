// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A program that a test runs if it is installed on the machine.
struct Tool: Sendable {
    static let bash = Tool("bash")
    static let zsh = Tool("zsh")
    static let fish = Tool("fish")
    static let mandoc = Tool("mandoc")
    static let groff = Tool("groff")

    /// The output and the exit status of a program.
    struct Result: Sendable {
        let output: String
        let errorOutput: String
        let status: Int32
    }

    /// The folder of the programs that were built with the tests.
    private static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path

    private let path: String?

    private init(_ name: String) {
        path = ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    var isInstalled: Bool { path != nil }

    /// Runs the program to its end, without blocking a thread of the pool.
    func run(_ arguments: [String], input: String, home: URL? = nil) async throws -> Result {
        try await ProgramSlots.use { _ in
            try await TemporaryFolder.use { folder in
                let files = ["input", "output", "error"].map { folder.appending(path: $0) }
                for (file, text) in zip(files, [input, "", ""]) {
                    try text.write(to: file, atomically: false, encoding: .utf8)
                }
                let child = try Child(
                    Program(try #require(path), arguments),
                    input: try FileHandle(forReadingFrom: files[0]),
                    output: try FileHandle(forWritingTo: files[1]),
                    error: try FileHandle(forWritingTo: files[2]),
                    environment: [
                        "LC_ALL": "C.UTF-8", "HOME": (home ?? folder).path, "PATH": "\(Self.products):/usr/bin:/bin",
                    ]
                )
                let status = try await child.status()
                return Result(
                    output: try String(contentsOf: files[1], encoding: .utf8),
                    errorOutput: try String(contentsOf: files[2], encoding: .utf8),
                    status: status
                )
            }
        }
    }
}
