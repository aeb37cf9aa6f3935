// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Glibc
import Synchronization
import Terminal

/// Octets that are read as they are needed: from a value, a file, or standard input.
package struct ByteSource: Sendable {
    /// The maximum number of octets of one read.
    private static let blockSize = 4_096

    private let bytes: [UInt8]
    private let input: Input?
    private let blocking: BlockingRunner?

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        input = nil
        blocking = nil
    }

    /// A file, or standard input for `-`.
    ///
    /// - Parameter blocking: Runs reads that may block; `nil` for the caller's thread.
    package init(path: String, blocking: BlockingRunner?) throws(BlectlError) {
        bytes = []
        input = try Input(path)
        // A read from a disk ends soon. One from a pipe or a terminal may wait for ever.
        self.blocking = input?.isRegular == true ? nil : blocking
    }

    /// An open descriptor, which the source closes at its end.
    ///
    /// - Parameters:
    ///   - name: Its name in errors.
    ///   - blocking: Runs reads that may block; `nil` for the caller's thread.
    package init(descriptor: Int32, name: String, blocking: BlockingRunner?) {
        bytes = []
        input = Input(descriptor, name)
        self.blocking = input?.isRegular == true ? nil : blocking
    }

    /// Its name in errors.
    var name: String { input?.name ?? "the command line" }

    /// The total number of octets; `nil` if it is unknown before the end.
    package var count: Int? {
        guard let input else { return bytes.count }
        return input.isRegular ? input.size : nil
    }

    /// Whether a person types the octets.
    package var isTerminal: Bool { input?.isTerminal ?? false }

    /// Discards what a person has typed and nobody has read yet, also the beginning of a line. Octets of a file or a
    /// pipe stay, because a program may give its answers early.
    func discardTyped() { input?.discardTyped() }

    /// Whether `next` returns without waiting.
    package var isReady: Bool { input?.isReady ?? true }

    /// The octets of a file at a place, and fewer only at its end. The order of `next` is not touched.
    package func read(_ count: Int, at offset: Int) throws(BlectlError) -> [UInt8] {
        guard let input else { return Array(bytes.dropFirst(offset).prefix(count)) }
        return try input.read(count, at: offset)
    }

    /// The octets after the first `offset`, at least one; none at the end. A file or standard input is read in order.
    package func next(after offset: Int) async throws -> [UInt8] {
        guard let input else { return Array(bytes.dropFirst(offset).prefix(Self.blockSize)) }
        // A file does not keep its reader waiting. In virtual time the read blocks the only thread, because the clock must
        // not go on meanwhile.
        guard let blocking else {
            // A long file must not keep the thread of its command from what else is due, such as its deadline.
            await Task.yield()
            return try input.read(Self.blockSize)
        }
        return try await awaitRead(blocking) { try input.read(Self.blockSize) }
    }
}

/// Runs a function that may block, on a thread on which it blocks no other work.
package typealias BlockingRunner = @Sendable (@escaping @Sendable () -> Void) -> Void

extension CommandContext {
    /// Runs a function that reads the whole of a file. A pipe or a terminal may keep it waiting: a deadline and Ctrl-C end
    /// the wait, except in virtual time, where nothing else may go on meanwhile.
    ///
    /// - Parameter path: The file, `-` for standard input; `nil` for none that could keep it waiting.
    package func reading<Value: Sendable>(
        _ path: String?,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await StandardStreams.reading(path.map { [$0] } ?? [], process.blocking, body)
    }

    /// Creates a file that the command writes at its end; `nil` without a path. The reader of a pipe is waited for as
    /// in `reading`; in virtual time it must be there.
    package func creating(_ path: String?, isPrivate: Bool = false) async throws -> OutputFile? {
        guard let path else { return nil }
        let waits = process.blocking != nil
        return try await reading(path) { try OutputFile(path, isPrivate: isPrivate, waitsForReader: waits) }
    }
}

extension StandardStreams {
    /// Runs a function that reads files, as `CommandContext.reading`.
    ///
    /// - Parameter blocking: Runs it if one of them may keep it waiting; `nil` for the caller's thread.
    package static func reading<Value: Sendable>(
        _ paths: [String],
        _ blocking: BlockingRunner?,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let blocking, paths.contains(where: mayWait) else { return try body() }
        return try await awaitRead(blocking, body)
    }
}

/// Waits for a function that reads, or for the cancellation of the task.
private func awaitRead<Value: Sendable>(
    _ blocking: @escaping BlockingRunner,
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let waiter = ReadWaiter<Value>()
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: ReadWaiter<Value>.Continuation) in
            // A cancelled task starts no read, which would take octets from the input that no task receives.
            guard waiter.wait(continuation) else { return }
            blocking { waiter.finish(Result { try body() }) }
        }
    } onCancel: {
        // A blocked read cannot be interrupted: its thread ends with the process.
        waiter.finish(.failure(CancellationError()))
    }
    return try result.get()
}

/// A task that waits for a read or for its cancellation, whichever comes first.
private final class ReadWaiter<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, any Error>, Never>

    private enum State {
        case new
        case waiting(Continuation)
        case finished(Result<Value, any Error>)
        case done
    }

    private let state = Mutex(State.new)

    /// Stores the continuation. `false` if the wait was over before, and the continuation is resumed already.
    func wait(_ continuation: Continuation) -> Bool {
        let early = state.withLock { state -> Result<Value, any Error>? in
            if case .finished(let result) = state {
                state = .done
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
        return early == nil
    }

    /// Resumes the task. Only the first call has an effect.
    func finish(_ result: Result<Value, any Error>) {
        // The read of a cancelled wait still ends, and a continuation must not be resumed twice.
        let continuation = state.withLock { state -> Continuation? in
            switch state {
            case .new:
                state = .finished(result)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .finished, .done: return nil
            }
        }
        continuation?.resume(returning: result)
    }
}

/// An open file, or standard input.
private final class Input: Sendable {
    let isRegular: Bool
    let size: Int
    let name: String
    private let descriptor: Int32

    init(_ descriptor: Int32, _ name: String) {
        (self.descriptor, self.name) = (descriptor, name)
        (isRegular, size) = Self.kind(of: descriptor)
    }

    init(_ path: String) throws(BlectlError) {
        guard let opened = try StandardStreams.openIfThere(path) else { throw BlectlError(unopened: path, ENOENT) }
        name = path == "-" ? "standard input" : path
        descriptor = opened
        (isRegular, size) = Self.kind(of: descriptor)
    }

    private static func kind(of descriptor: Int32) -> (isRegular: Bool, size: Int) {
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        return (isKnown && status.st_mode & S_IFMT == S_IFREG, isKnown ? Int(status.st_size) : 0)
    }

    // Standard input stays open: a file or a socket that is opened later would get its number.
    deinit { if descriptor > 0 { close(descriptor) } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    func discardTyped() {
        guard isTerminal, ForegroundTerminal.isOurs(descriptor) else { return }
        tcflush(descriptor, TCIFLUSH)
    }

    var isReady: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // True also at the end of a pipe (POLLHUP), where a read returns at once.
        return isRegular || poll(&entry, 1, 0) > 0
    }

    /// Reads at least one octet; returns none at the end.
    func read(_ count: Int) throws(BlectlError) -> [UInt8] {
        try read(count) {
            StandardStreams.awaitOctets(of: descriptor)
            return Glibc.read(descriptor, $0, $1)
        }
    }

    /// Reads octets at a place of a file; fewer only at its end.
    func read(_ count: Int, at offset: Int) throws(BlectlError) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            let place = off_t(offset + octets.count)
            let part = try read(count - octets.count) { pread(descriptor, $0, $1, place) }
            if part.isEmpty { break }
            octets += part
        }
        return octets
    }

    /// Makes a system call that reads, again if a signal has interrupted it.
    private func read(
        _ count: Int,
        _ call: (UnsafeMutableRawPointer?, Int) -> Int
    ) throws(BlectlError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let result = buffer.withUnsafeMutableBytes { call($0.baseAddress, count) }
            if result < 0, errno == EINTR || errno == EAGAIN { continue }
            guard result >= 0 else {
                throw BlectlError(.ioError, "cannot read \(name): \(String(cString: strerror(errno)))")
            }
            return Array(buffer.prefix(result))
        }
    }
}
