// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Synchronization
import Testing

@testable import Terminal

/// What a program's stream may lead to, with a reader in the hand of a test.
final class TestStream: Sendable {
    enum Kind: CaseIterable, Sendable {
        case pipe
        case nonBlockingPipe
        case socket
        case terminal
    }

    /// The end that is written to.
    let writing: Int32
    private let reading: Mutex<Int32?>

    init(_ kind: Kind = .pipe) throws {
        // As the program does: a write without a reader is an error, and not the end of all tests.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        switch kind {
        case .pipe: try #require(pipe(&ends) == 0)
        case .nonBlockingPipe:
            try #require(pipe(&ends) == 0)
            _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK)
        case .socket:
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        case .terminal:
            var (controller, device) = (Int32(-1), Int32(-1))
            try #require(openpty(&controller, &device, nil, nil, nil) == 0)
            // Octets as they are: no carriage return is added to line feeds.
            var settings = termios()
            try #require(tcgetattr(device, &settings) == 0)
            settings.c_oflag &= ~tcflag_t(OPOST)
            try #require(tcsetattr(device, TCSANOW, &settings) == 0)
            ends = [controller, device]
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        writing = ends[1]
        reading = Mutex(ends[0])
    }

    deinit {
        closeReader()
        close(writing)
    }

    /// The reader goes away.
    func closeReader() {
        reading.withLock { end in
            if let end { close(end) }
            end = nil
        }
    }

    /// Reads so many octets; fewer where the stream ends before, or where nothing comes for two minutes.
    func read(_ count: Int) async -> [UInt8] {
        guard let end = reading.withLock({ $0 }) else { return [] }
        return await withCheckedContinuation { continuation in
            // A thread of its own, for it waits in read(2).
            Thread.detachNewThread { [self] in
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while bytes.count < count, Self.isReadable(end) {
                    let got = Glibc.read(end, &buffer, min(buffer.count, count - bytes.count))
                    guard got > 0 else { break }
                    bytes += buffer[..<got]
                }
                withExtendedLifetime(self) { continuation.resume(returning: bytes) }
            }
        }
    }

    /// Waits for octets or the end of the stream; `false` after two minutes. A test that waits for too much then fails:
    /// a limit of the testing library does not end a read(2).
    private static func isReadable(_ end: Int32) -> Bool {
        var entry = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 120_000) > 0
    }

    /// Waits for the end of the stream, which must have nothing to read; `false` after two minutes.
    func hasEnd() async -> Bool {
        guard let end = reading.withLock({ $0 }) else { return false }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var octet: UInt8 = 0
                let isEnd = Self.isReadable(end) && Glibc.read(end, &octet, 1) == 0
                withExtendedLifetime(self) { continuation.resume(returning: isEnd) }
            }
        }
    }

    /// Reads a number of octets as text.
    func text(_ count: Int) async -> String { String(decoding: await read(count), as: UTF8.self) }

    /// How many octets wait for the reader.
    var pendingCount: Int {
        var count: Int32 = 0
        guard let end = reading.withLock({ $0 }), ioctl(end, UInt(FIONREAD), &count) == 0 else { return 0 }
        return Int(count)
    }

    /// Whether a process that shares the writing end would not block there.
    var isNonBlocking: Bool { fcntl(writing, F_GETFL) & O_NONBLOCK != 0 }
}

extension ByteSink {
    /// Writes an array.
    func write(_ bytes: [UInt8]) throws(OutputFailure) { try write(bytes.span) }
}
