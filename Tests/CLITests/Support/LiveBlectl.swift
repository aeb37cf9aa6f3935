// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Synchronization
import TestProcesses
import Testing

/// A pipe of one's own: whoever takes an end closes it.
struct PipeEnds {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }
}

/// A run that a test meddles with while it goes on.
struct LiveBlectl: Sendable {
    let child: Child
    let stdout: OutputCollector
    let stderr: OutputCollector

    /// Starts blectl on pipes, and lets `body` deal with it; what still runs after that is killed.
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

    /// Waits until a text stands on a stream; fails where the run ends before.
    func waits(for text: String, on stream: KeyPath<LiveBlectl, OutputCollector>) async throws {
        let isThere = await self[keyPath: stream].contains(text)
        try #require(isThere, "never wrote '\(text)'; on standard error: \(stderr.text)")
    }

    /// Waits for the end and takes everything that was written.
    func end() async throws -> BlectlRun {
        let status = try await child.status()
        await stdout.waitForEnd()
        await stderr.waitForEnd()
        return BlectlRun(status: status, stdoutBytes: stdout.bytes, stderr: stderr.text)
    }
}

/// Collects what comes out of a pipe or a terminal, and wakes those who wait for something in it.
final class OutputCollector: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var hasEnded = false
        var waiters: [(text: [UInt8]?, continuation: CheckedContinuation<Bool, Never>)] = []

        /// Takes out those who need not wait any longer.
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

        /// Whether the text is there; `nil` while it may still come.
        func answer(_ text: [UInt8]?) -> Bool? {
            if let text, bytes.firstRange(of: text) != nil { return true }
            return hasEnded ? text == nil : nil
        }
    }

    private let state = Mutex(State())

    /// Takes over a descriptor, and closes it at the end of the stream.
    init(_ descriptor: Int32) {
        // A thread of its own, for it waits in read(2).
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

    /// Waits until the text is there; `false` where the stream ends before.
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
