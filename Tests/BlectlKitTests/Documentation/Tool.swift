// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// A program of this machine that a test asks for its opinion, where it is installed.
struct Tool: Sendable {
    static let bash = Tool("bash")
    static let zsh = Tool("zsh")
    static let fish = Tool("fish")
    static let mandoc = Tool("mandoc")
    static let groff = Tool("groff")

    /// What a program has printed, and how it ended.
    struct Result: Sendable {
        let output: String
        let errorOutput: String
        let status: Int32
    }

    private let path: String?

    private init(_ name: String) {
        path = ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    var isInstalled: Bool { path != nil }

    /// Runs the program to its end, without blocking a thread of the pool.
    func run(_ arguments: [String], input: String, home: URL? = nil) async throws -> Result {
        try await TemporaryFolder.use { folder in
            let files = ["input", "output", "error"].map { folder.appending(path: $0) }
            for (file, text) in zip(files, [input, "", ""]) {
                try text.write(to: file, atomically: false, encoding: .utf8)
            }
            let process = Process()
            process.executableURL = path.map { URL(filePath: $0) }
            process.arguments = arguments
            process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": (home ?? folder).path]
            process.standardInput = try FileHandle(forReadingFrom: files[0])
            process.standardOutput = try FileHandle(forWritingTo: files[1])
            process.standardError = try FileHandle(forWritingTo: files[2])
            let status: Int32 = try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
            return Result(
                output: try String(contentsOf: files[1], encoding: .utf8),
                errorOutput: try String(contentsOf: files[2], encoding: .utf8),
                status: status
            )
        }
    }
}

/// A folder that is gone when its user is done.
enum TemporaryFolder {
    static func use<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appending(path: "blectl-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }
}
