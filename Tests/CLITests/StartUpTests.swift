// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Start-up", .startsPrograms())
struct StartUpTests {
    /// The number of threads of a run when it waits to write its first line, because standard output is a full pipe.
    private func threads(_ arguments: [String]) async throws -> Int {
        let pipe = try PipeEnds()
        let end = pipe.writing
        let flags = fcntl(end, F_GETFL)
        _ = fcntl(end, F_SETFL, flags | O_NONBLOCK)
        let filling = [UInt8](repeating: 0, count: 4_096)
        while write(end, filling, filling.count) > 0 {}
        _ = fcntl(end, F_SETFL, flags)
        defer { for end in [pipe.reading, pipe.writing] { close(end) } }
        let child = try Child(
            Program(Blectl.path, arguments),
            input: FileHandle.nullDevice,
            output: FileHandle(fileDescriptor: pipe.writing, closeOnDealloc: false),
            error: FileHandle.nullDevice,
            environment: [:]
        )
        try await child.waitUntilIdle()
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.identifier)/task")
        #expect(child.isRunning, "it waits for its reader")
        child.signal(SIGKILL)
        _ = try? await child.status()
        return tasks.count
    }

    @Test(arguments: ["--version", "--help", "-h", "scan --help", "help read", "version", "completion zsh"])
    func `commands that only print have one thread`(_ line: String) async throws {
        #expect(try await threads(TypedCommand(line).arguments) == 1)
    }

    @Test func `other commands have more: the count above can tell`() async throws {
        #expect(try await threads(["--simulate", "adapters"]) > 1)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
    func `commands that only print, and usage errors, never start another thread`() async throws {
        let trace = "strace -f -qq -e trace=clone,clone3,fork,vfork -o $HOME/trace"
        func threadsBegun(_ command: String) async throws -> String {
            try await Blectl.shell("\(trace) \(command) >/dev/null 2>&1; cat $HOME/trace").stdout
        }
        guard try await threadsBegun("$BLECTL --simulate adapters").contains("clone") else {
            try Test.cancel("strace is not allowed to trace here")
        }
        for line in ["--version", "--help", "version", "read --help", "completion bash", "scan --frobnicate", ""] {
            let begun = try await threadsBegun("$BLECTL \(line)")
            #expect(begun.isEmpty, "\(line): \(begun)")
        }
    }
}
