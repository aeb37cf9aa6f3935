// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Foundation
import Glibc
import Testing

@testable import LinuxRadio

/// The umask belongs to the process, and the tests share one: that of the machine is enough, because without a mode of its
/// own no socket would be private under it. The modes under other umasks are in the tests of the program.
@Suite("Who may connect to a socket")
struct SocketModeTests {
    private func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("s").path)
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return status.st_mode & 0o7777
    }

    @Test func `a socket of blectl itself is for this user only`() throws {
        try withPath { path in
            let listener = try PacketSocket(path: path, maximumLength: 100).listen()
            #expect(mode(path) == 0o600)
            listener.close()
            #expect(mode(path) == nil)
        }
    }

    @Test func `a private socket is private before it listens, and another one has the mode of the umask`() throws {
        try withPath { path in
            let own = try UnixSocket.listen(at: path, isPrivate: true, during: "test")
            #expect(mode(path) == 0o600)
            _ = own
            unlink(path)
            let other = try UnixSocket.listen(at: path, during: "test")
            #expect(mode(path) != 0o600 && mode(path) != nil)
            _ = other
        }
    }

    @Test func `the file of a killed program does not pass on its mode`() throws {
        try withPath { path in
            do {
                let abandoned = try UnixSocket.listen(at: path, during: "test")
                _ = abandoned
            }
            #expect(chmod(path, 0o777) == 0)
            let own = try UnixSocket.listen(at: path, isPrivate: true, during: "test")
            #expect(mode(path) == 0o600)
            _ = own
        }
    }
}
