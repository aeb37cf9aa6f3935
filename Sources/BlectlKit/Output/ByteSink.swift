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
    /// The write failed; the system's words.
    case failed(String)
}

/// Standard output or standard error.
public struct FileDescriptorSink: ByteSink {
    private let descriptor: Int32

    /// Writes to an open descriptor, which the caller keeps open.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    public func write(_ bytes: [UInt8]) throws(OutputFailure) {
        var start = 0
        while start < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
            }
            if written >= 0 {
                start += written
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: throw .brokenPipe
            case EAGAIN:
                // Somebody else made the descriptor non-blocking: wait until it takes more.
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, -1)
            default: throw .failed(String(cString: strerror(errno)))
            }
        }
    }
}
