// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Synchronization
import TestProcesses
import Testing

/// A pipe whose ends are closed by their users.
struct PipeEnds {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }
}

/// A running blectl that the test interacts with.
struct LiveBlectl: Sendable {
    let child: Child
    let stdout: OutputCollector
    let stderr: OutputCollector

    /// Starts blectl with pipes, and runs `body`. Kills the program if it still runs afterwards.
    @discardableResult
    static func start<Value>(
        _ arguments: [String],
        through wrapper: [String] = [],
        _ body: (LiveBlectl) async throws -> Value
    ) async throws -> Value {
        let line = wrapper + [Blectl.path] + arguments
        let (output, error) = (try PipeEnds(), try PipeEnds())
        let child = try Child(
            Program(line[0], Array(line.dropFirst())),
            input: FileHandle.nullDevice,
            output: FileHandle(fileDescriptor: output.writing, closeOnDealloc: false),
            error: FileHandle(fileDescriptor: error.writing, closeOnDealloc: false),
            environment: ["HOME": "/nonexistent"]
        )
        for ends in [output, error] { close(ends.writing) }
        let live = LiveBlectl(
            child: child,
            stdout: OutputCollector(output.reading),
            stderr: OutputCollector(error.reading)
        )
        let value: Value
        do {
            value = try await body(live)
        } catch {
            child.signal(SIGKILL)
            _ = try? await child.status()
            throw error
        }
        if child.isRunning { child.signal(SIGKILL) }
        return value
    }

    /// Waits until a stream contains the text. Fails if the run ends before.
    func waits(for text: String, on stream: KeyPath<LiveBlectl, OutputCollector>) async throws {
        let isThere = await self[keyPath: stream].contains(text)
        try #require(isThere, "never wrote '\(text)'; on standard error: \(stderr.text)")
    }

    /// Sends a signal at the moment at which standard error contains the text, from a thread of its own: a task may go
    /// on much later, because other tests occupy the threads of the pool.
    func signal(_ number: Int32, whenStderrContains text: String) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                while !stderr.text.contains(text), child.isRunning { usleep(1_000) }
                child.signal(number)
                continuation.resume()
            }
        }
    }

    /// Waits for the end. Returns the complete output.
    func end() async throws -> BlectlRun {
        let status = try await child.status()
        await stdout.waitForEnd()
        await stderr.waitForEnd()
        return BlectlRun(
            status: status,
            stdoutBytes: stdout.bytes,
            stderr: stderr.text,
            endedAt: child.endedAt ?? .now
        )
    }
}

/// Collects the output of a pipe or a terminal, and resumes those who wait for a text.
final class OutputCollector: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var hasEnded = false
        var waiters: [(text: [UInt8]?, continuation: CheckedContinuation<Bool, Never>)] = []

        /// Removes the waiters whose text has arrived or cannot arrive any more.
        mutating func satisfied() -> [(CheckedContinuation<Bool, Never>, Bool)] {
            var ready: [(CheckedContinuation<Bool, Never>, Bool)] = []
            let current = self
            waiters.removeAll { waiter in
                guard let answer = current.answer(waiter.text) else { return false }
                ready.append((waiter.continuation, answer))
                return true
            }
            return ready
        }

        /// Whether the text has arrived; `nil` while it still may.
        func answer(_ text: [UInt8]?) -> Bool? {
            if let text, bytes.firstRange(of: text) != nil { return true }
            return hasEnded ? text == nil : nil
        }
    }

    private let state = Mutex(State())

    /// Takes over a descriptor, and closes it at the end of the stream.
    init(_ descriptor: Int32) {
        // On its own thread, because read(2) blocks.
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                received(Array(buffer[..<count]))
            }
            close(descriptor)
            received(nil)
        }
    }

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Waits for the text. Returns `false` if the stream ends before.
    func contains(_ text: String) async -> Bool { await wait(Array(text.utf8)) }

    /// Waits for the end of the stream.
    func waitForEnd() async { _ = await wait(nil) }

    private func wait(_ text: [UInt8]?) async -> Bool {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiters.append((text, continuation))
                return state.satisfied()
            }
            for (continuation, answer) in ready { continuation.resume(returning: answer) }
        }
    }

    private func received(_ bytes: [UInt8]?) {
        let ready = state.withLock { state in
            if let bytes { state.bytes += bytes } else { state.hasEnded = true }
            return state.satisfied()
        }
        for (continuation, answer) in ready { continuation.resume(returning: answer) }
    }
}
