// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The three descriptors with which the process begins.
package enum StandardDescriptors {
    /// Writes text synchronously, for messages before or after a command.
    package static func write(_ text: String, to descriptor: Int32) throws(OutputFailure) {
        try write(Array(text.utf8), to: descriptor)
    }

    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputFailure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
            }
            if count >= 0 {
                start += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: throw .brokenPipe
            case EAGAIN:
                // Another process has made the shared descriptor non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                while poll(&entry, 1, -1) < 0, errno == EINTR {}
            default: throw .failed(String(cString: strerror(errno)))
            }
        }
    }

    /// Opens /dev/null in the place of closed standard streams, so that no file or socket gets their numbers and no
    /// message is written to a radio. Reading from them and writing to them still fails.
    package static func occupyClosed() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // open(2) takes the lowest free number, which is this one.
            // Opened for the wrong direction, so that its use still fails with EBADF, as with a closed stream.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    package static func canOpen(_ count: Int) -> Bool {
        // The event loop of the Swift runtime traps or hangs if it gets no descriptors, so they are counted before it
        // starts. Usually one call does: poll(2) tells which numbers are free, and fails if there may not be so many.
        let isSoon = withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 32) { entries in
            for number in entries.indices {
                entries.initializeElement(at: number, to: pollfd(fd: Int32(number), events: 0, revents: 0))
            }
            guard poll(entries.baseAddress, nfds_t(entries.count), 0) >= 0 else { return false }
            return entries.count { Int32($0.revents) & POLLNVAL != 0 } >= count
        }
        if isSoon { return true }
        var places: [Int32] = []
        defer { for place in places { close(place) } }
        while places.count < count {
            let place = fcntl(2, F_DUPFD_CLOEXEC, 0)
            guard place >= 0 else { return false }
            places.append(place)
        }
        return true
    }

    /// The size of the terminal on standard output or standard error; 80 by 24 if it is not a terminal.
    package static func terminalSize(_ descriptor: Int32 = 1) -> (columns: Int, rows: Int) {
        var size = winsize()
        // A pseudo-terminal whose size was never set reports 0 by 0.
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// The width of text for a person, in columns: `$COLUMNS`, as shells and scripts set it, or that of the terminal.
    package static func textWidth(_ environment: (String) -> String?) -> Int {
        environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? terminalSize().columns
    }
}
