// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

package struct PipeReader: Sendable {
    private let path: String

    package init(_ path: String) { self.path = path }

    /// Whether the path is a pipe that nobody reads any more.
    package var isGone: Bool {
        // Opening a pipe for writing without waiting fails if it has no reader. A file is not opened for that.
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
        let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENXIO }
        close(descriptor)
        return false
    }
}
