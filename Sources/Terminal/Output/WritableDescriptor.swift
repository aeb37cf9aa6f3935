// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A descriptor of the process, written to without waiting for its reader.
///
/// Non-blocking mode (O_NONBLOCK) would apply to every process that shares the descriptor: the shell, and the other end
/// of `2>&1`. So a pipe or a terminal is opened a second time by its name under /proc, for a private description.
package struct WritableDescriptor: Sendable {
    package enum Outcome: Equatable, Sendable {
        /// The number of octets that were taken.
        case written(Int)
        /// Nothing was written; poll(2) reports when there is room.
        case full
        /// Never again.
        case failed(OutputFailure)
    }

    private enum Kind: Sendable {
        /// A file or a device to which writing never waits.
        case immediate
        /// A private description, which does not block.
        case own
        /// A socket, which does not block with MSG_DONTWAIT.
        case socket
        /// A pipe or a terminal that could not be opened again. It accepts PIPE_BUF octets when poll(2) reports that it
        /// is writable; for a terminal that is not quite true.
        case shared
    }

    /// The number of octets that a writable pipe accepts at once (PIPE_BUF).
    private static let pieceLength = 4_096

    /// The descriptor for poll(2).
    package let number: Int32
    private let kind: Kind

    /// Determines the kind of the descriptor. The caller keeps it open.
    package init(_ descriptor: Int32) {
        let isTerminal = isatty(descriptor) == 1
        var status = stat()
        let format = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        if format == S_IFSOCK {
            (number, kind) = (descriptor, .socket)
        } else if format == S_IFIFO || isTerminal {
            // O_NOCTTY, so that a terminal does not become the controlling one of a process that has none.
            let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            (number, kind) = own >= 0 ? (own, .own) : (descriptor, .shared)
        } else {
            (number, kind) = (descriptor, .immediate)
        }
    }

    /// Whether two descriptors lead to the same file, pipe or terminal.
    package static func leadToOnePlace(_ first: Int32, _ second: Int32) -> Bool {
        var (left, right) = (stat(), stat())
        guard fstat(first, &left) == 0, fstat(second, &right) == 0 else { return false }
        return left.st_dev == right.st_dev && left.st_ino == right.st_ino
    }

    /// Why nothing can be written: it is open for reading only, as what is opened in the place of a closed stream.
    var obstacle: OutputFailure? {
        fcntl(number, F_GETFL) & O_ACCMODE == O_RDONLY ? .failed(String(cString: strerror(EBADF))) : nil
    }

    /// Writes as much as is possible without waiting.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        let count =
            switch kind {
            case .immediate, .own: Glibc.write(number, bytes.baseAddress, bytes.count)
            case .socket: send(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            case .shared: isWritable ? Glibc.write(number, bytes.baseAddress, min(bytes.count, Self.pieceLength)) : 0
            }
        if count > 0 { return .written(count) }
        if count == 0 { return .full }
        switch errno {
        case EINTR: return .written(0)
        case EAGAIN: return .full
        case EPIPE, ECONNRESET: return .failed(.brokenPipe)
        // A terminal that was closed fails with EIO, as a disk does for other reasons.
        case EIO where hasHungUp: return .failed(.brokenPipe)
        case let error: return .failed(.failed(String(cString: strerror(error))))
        }
    }

    package func close() {
        if kind == .own { Glibc.close(number) }
    }

    private var isWritable: Bool { poll(for: Int16(POLLOUT)) != 0 }

    /// Whether this is a terminal that was closed.
    private var hasHungUp: Bool { poll(for: 0) & Int16(POLLHUP) != 0 }

    private func poll(for events: Int16) -> Int16 {
        var entry = pollfd(fd: number, events: events, revents: 0)
        while Glibc.poll(&entry, 1, 0) < 0, errno == EINTR {}
        return entry.revents
    }
}
