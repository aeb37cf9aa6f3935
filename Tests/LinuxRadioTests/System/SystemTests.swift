// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc
import Testing

@testable import LinuxRadio

@Suite("System calls and descriptors")
struct SystemTests {
    @Test("A call that a signal interrupts is made again")
    func interrupted() throws {
        var calls = 0
        let result = try systemCall { () -> Int32 in
            calls += 1
            guard calls < 3 else { return 7 }
            errno = EINTR
            return -1
        }
        #expect(result == 7)
        #expect(calls == 3)
    }

    @Test("A call that fails throws its errno, at once")
    func fails() {
        var calls = 0
        #expect(throws: Errno(EACCES)) {
            try systemCall { () -> Int in
                calls += 1
                errno = EACCES
                return -1
            }
        }
        #expect(calls == 1)
    }

    @Test("A packet is sent as a whole; so is a refused management command, though send(2) returns 0")
    func taken() {
        #expect(OwnedFileDescriptor.isTaken(7, of: 7))
        #expect(OwnedFileDescriptor.isTaken(0, of: 7))
        #expect(!OwnedFileDescriptor.isTaken(6, of: 7))
        #expect(!OwnedFileDescriptor.isTaken(-1, of: 7))
    }

    @Test("A descriptor is closed with its owner")
    func closes() throws {
        let (left, right) = try socketPair()
        #expect(!right.isHungUp)
        do { _ = try left.take() }
        #expect(right.isHungUp)
    }

    @Test("A socket's pending error is read once")
    func pendingError() throws {
        let (left, right) = try socketPair()
        try left.send([0x01])
        // If the peer closes with unread data, the end is a reset.
        right.close()
        try left.withDescriptor { descriptor in
            let (first, second) = (descriptor.takeError(), descriptor.takeError())
            #expect(first == Errno(ECONNRESET))
            #expect(second == nil)
        }
        #expect(left.isHungUp)
    }

    @Test("Channels, connections and the thread leave no descriptor open")
    func leaks() async {
        // In a process of its own, where no other test opens or closes files.
        await #expect(processExitsWith: .success) {
            func openDescriptors() -> Int {
                var matches = glob_t()
                defer { globfree(&matches) }
                return glob("/proc/self/fd/*", 0, nil, &matches) == 0 ? Int(matches.gl_pathc) : -1
            }
            let before = openDescriptors()
            for _ in 0..<50 {
                let ioThread = try IOThread()
                let (left, right) = try socketPair()
                let closed = try SocketChannel(left, on: ioThread)
                let released = try SocketChannel(right, on: ioThread)
                try closed.send([0x01])
                #expect(try await released.receive() == [0x01])
                closed.close()
                let (pendingEnd, _) = try socketPair()
                let pending = try PendingConnection(try pendingEnd.take(), "test", on: ioThread)
                pending.abandon()
                ioThread.stop()
                _ = try? SocketChannel(try socketPair().0, on: ioThread)
            }
            let after = openDescriptors()
            // The runtime may open a few descriptors meanwhile. A leak would be at least one for each round.
            guard before > 0, after - before < 25 else { exit(1) }
        }
    }
}
