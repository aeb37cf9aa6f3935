// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc
import Synchronization
import Testing

@testable import LinuxRadio

@Suite("The I/O thread")
struct IOThreadTests {
    /// Records its calls, in order. It is muted at its first call, because nobody reads the data, and the thread would
    /// report them again without end.
    final class Recorder: ReadinessHandler {
        let readiness: AsyncStream<Readiness>
        let ends: AsyncStream<IOThread.End>
        private let onReady: AsyncStream<Readiness>.Continuation
        private let onEnd: AsyncStream<IOThread.End>.Continuation
        private let count = Mutex(0)
        private let muted = Mutex<(@Sendable () -> Void)?>(nil)

        init() {
            (readiness, onReady) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
            (ends, onEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(8))
        }

        var readyCount: Int { count.withLock { $0 } }

        func ready(_ readiness: Readiness) {
            count.withLock { $0 += 1 }
            onReady.yield(readiness)
            muted.withLock { $0 }?()
        }

        func ioThreadEnded(_ reason: IOThread.End) {
            onEnd.yield(reason)
            onEnd.finish()
        }

        /// Adds it for a descriptor to a thread.
        func register(
            _ descriptor: borrowing OwnedFileDescriptor,
            with ioThread: IOThread
        ) throws -> IOThread.Registration {
            let registration = try ioThread.add(descriptor, .readable, for: self)
            muted.withLock { $0 = { [weak ioThread] in ioThread?.mute(registration) } }
            return registration
        }

        func firstReadiness() async -> Readiness? { await readiness.first { _ in true } }

        func allEnds() async -> [String] {
            var all: [String] = []
            for await end in ends { all.append("\(end)") }
            return all
        }
    }

    @Test("It reports the requested events, and no others")
    func readiness() async throws {
        let ioThread = try IOThread()
        let (left, right) = try socketPair()
        let (handler, quiet) = (Recorder(), Recorder())
        let descriptor = try left.take()
        // Its peer stays open, because epoll repeatedly reports a hang-up even if no event was requested.
        let (silent, peer) = try socketPair()
        defer { peer.close() }
        let other = try silent.take()
        let registration = try handler.register(descriptor, with: ioThread)
        _ = try ioThread.add(other, [], for: quiet)
        try right.send([0x01])
        let readiness = await handler.firstReadiness()
        #expect(readiness?.isDisjoint(with: .readable) == false)
        #expect(readiness?.contains(.writable) == false)
        #expect(quiet.readyCount == 0)
        ioThread.remove(registration)
    }

    @Test("After its removal a registration gets no events, and a new one is independent")
    func removal() async throws {
        let ioThread = try IOThread()
        let (left, right) = try socketPair()
        let (first, second) = (Recorder(), Recorder())
        let descriptor = try left.take()
        let registration = try ioThread.add(descriptor, .readable, for: first)
        ioThread.remove(registration)
        ioThread.change(registration, to: .readable)
        ioThread.mute(registration)
        try right.send([0x01])
        let again = try second.register(descriptor, with: ioThread)
        #expect(again != registration)
        #expect(await second.firstReadiness() != nil)
        #expect(first.readyCount == 0)
        ioThread.remove(again)
    }

    @Test("A muted registration gets no repeated hang-ups from epoll until it is unmuted")
    func muted() async throws {
        let ioThread = try IOThread()
        let (left, right) = try socketPair()
        let handler = Recorder()
        let descriptor = try left.take()
        let registration = try handler.register(descriptor, with: ioThread)
        ioThread.mute(registration)
        right.close()
        // The event of another descriptor proves that the thread has completed a round.
        let (marker, trigger) = try socketPair()
        let markerHandler = Recorder()
        let markerDescriptor = try marker.take()
        let markerRegistration = try markerHandler.register(markerDescriptor, with: ioThread)
        try trigger.send([0x01])
        #expect(await markerHandler.firstReadiness() != nil)
        ioThread.remove(markerRegistration)
        #expect(handler.readyCount == 0)
        ioThread.change(registration, to: .readable)
        #expect(await handler.firstReadiness()?.contains(.hungUp) == true)
        ioThread.remove(registration)
    }

    @Test("Stopping reports to each registration once; later registrations fail")
    func stop() async throws {
        let ioThread = try IOThread()
        let handlers = (0..<5).map { _ in Recorder() }
        var descriptors: [OwnedDescriptor] = []
        for handler in handlers {
            let (left, right) = try socketPair()
            descriptors += [left, right]
            _ = try left.withDescriptor { try ioThread.add($0, .readable, for: handler) }
        }
        ioThread.stop()
        ioThread.stop()
        for handler in handlers { #expect(await handler.allEnds() == ["stopped"]) }
        let late = Recorder()
        #expect(throws: Errno(ESHUTDOWN)) {
            _ = try descriptors[1].withDescriptor { try ioThread.add($0, .readable, for: late) }
        }
    }

    @Test("Stopping a thread that never ran does nothing")
    func stopIdle() throws {
        try IOThread().stop()
    }

    @Test("When epoll_wait fails, each registration gets the reason")
    func failure() async throws {
        // The thread's descriptor is replaced by one that is not an epoll descriptor, so that the next epoll_wait(2)
        // fails.
        let number = try systemCall { blectl_epoll_create() }
        let ioThread = try IOThread(epoll: OwnedFileDescriptor(owning: number))
        let (left, right) = try socketPair()
        let (other, peer) = try socketPair()
        defer { peer.close() }
        let (handler, waiting) = (Recorder(), Recorder())
        _ = try left.withDescriptor { try ioThread.add($0, .readable, for: handler) }
        _ = try other.withDescriptor { try ioThread.add($0, .readable, for: waiting) }
        let replacement = try OwnedFileDescriptor { blectl_eventfd() }
        try systemCall { dup2(replacement.rawValue, number) }
        try right.send([0x01])
        #expect(await waiting.allEnds() == ["failed(EINVAL)"])
        #expect(await handler.allEnds() == ["failed(EINVAL)"])
    }

    @Test("If the last user is a handler, the thread ends by itself")
    func releasedByHandler() async throws {
        final class Owner: ReadinessHandler {
            private let ioThread = Mutex<IOThread?>(nil)
            private let released: AsyncStream<Void>.Continuation
            init(_ released: AsyncStream<Void>.Continuation) { self.released = released }
            func own(_ ioThread: sending IOThread) { self.ioThread.withLock { $0 = ioThread } }
            func ready(_ readiness: Readiness) {
                ioThread.withLock { $0 = nil }
                released.finish()
            }
            func ioThreadEnded(_ reason: IOThread.End) {}
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let owner = Owner(continuation)
        let (left, right) = try socketPair()
        do {
            let ioThread = try IOThread()
            _ = try left.withDescriptor { try ioThread.add($0, .readable, for: owner) }
            owner.own(ioThread)
        }
        try right.send([0x01])
        for await _ in stream {}
    }
}
