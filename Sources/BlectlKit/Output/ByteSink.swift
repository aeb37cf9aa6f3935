// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// Where output goes: a file descriptor, or a buffer in a test.
public protocol ByteSink: Sendable {
    /// Writes all of the octets.
    func write(_ bytes: [UInt8]) throws(OutputFailure)
}

/// Why output could not be written.
public enum OutputFailure: Error, Equatable, Sendable {
    /// The reader went away (EPIPE): a normal end, as with `| head -1`.
    case brokenPipe
    /// The reader takes nothing, and somebody does not want to wait for it.
    case interrupted
    /// The write failed; the system's words.
    case failed(String)
}

/// Standard output or standard error.
public struct FileDescriptorSink: ByteSink {
    /// What a pipe that can be written to takes at once (PIPE_BUF).
    private static let pieceLength = 4_096

    private let descriptor: Int32
    private let interruption: Interruption?

    /// Writes to an open descriptor, which the caller keeps open.
    public init(_ descriptor: Int32, interruption: Interruption? = nil) {
        self.descriptor = descriptor
        self.interruption = interruption
    }

    public func write(_ bytes: [UInt8]) throws(OutputFailure) {
        var start = 0
        while start < bytes.count {
            var length = bytes.count - start
            if interruption != nil {
                try waitForRoom()
                length = min(length, Self.pieceLength)
            }
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, length) }
            if written >= 0 {
                start += written
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: throw .brokenPipe
            // Somebody else made the descriptor non-blocking.
            case EAGAIN: try waitForRoom()
            default: throw .failed(String(cString: strerror(errno)))
            }
        }
    }

    /// Waits until the descriptor takes something or has something to say, or somebody interrupts.
    private func waitForRoom() throws(OutputFailure) {
        var ends = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: interruption?.sign ?? -1, events: 0, revents: 0),
        ]
        while poll(&ends, 2, -1) < 0, errno == EINTR {}
        if ends[0].revents == 0, ends[1].revents != 0 { throw .interrupted }
    }
}
