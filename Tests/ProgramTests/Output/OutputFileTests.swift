// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc
import Terminal
import Testing
import Toolkit

@Suite("Files that are written at the end of a command")
struct OutputFileTests {
    @Test func `a pipe gets more than it has room for, as fast as it is read`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)").path
        defer { unlink(path) }
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: BlectlError.self) { try OutputFile(path) }
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 256) }
        let file = try OutputFile(path)
        WorkThread.start { try? file.write(content) }
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while read.count < content.count {
            var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            try #require(poll(&entry, 1, 60_000) == 1)
            let count = Glibc.read(reader, &buffer, buffer.count)
            try #require(count > 0)
            read += buffer.prefix(count)
        }
        #expect(read == content)
    }
}
