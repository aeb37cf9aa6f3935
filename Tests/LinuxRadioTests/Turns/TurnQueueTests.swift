// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc
import Synchronization
import Testing

@testable import LinuxRadio

@Suite("Turns among programs")
struct TurnQueueTests {
    private let time = SystemTimeSource { LinuxWallClock.now() }
    private let thread: IOThread
    /// A different name for each test.
    private let name = "blectl-test/\(getpid()) \(UInt64.random(in: 0...UInt64.max))"

    init() throws { thread = try IOThread() }

    private func queue(_ subject: TurnSubject = .serving) -> TurnQueue {
        TurnQueue(name: name, subject: subject, operation: "test", ioThread: thread, time: time)
    }

    private func take(
        within timeout: Duration = .seconds(600),
        onWait: (ProcessReference?) -> Void = { _ in }
    ) async throws -> any Turn {
        try await queue().turn(by: time.now + timeout, onWait: onWait)
    }

    @Test("a free turn is taken at once, and is free again after its end")
    func free() async throws {
        for _ in 0..<3 {
            let turn = try await take(within: .zero)
            turn.end()
            turn.end()
        }
    }

    @Test("waiting programs learn who has the turn, and get it in the order of arrival")
    func order() async throws {
        let order = Log<Int>()
        let told = Log<Int32>()
        let first = try await take()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                let (arrived, arrival) = AsyncStream<Void>.makeStream()
                group.addTask {
                    let turn = try await take { program in
                        told.append(program?.process ?? 0)
                        arrival.finish()
                    }
                    order.append(number)
                    turn.end()
                }
                // The next one enters the queue after this one.
                for await _ in arrived {}
            }
            #expect(order.all == [])
            first.end()
            try await group.waitForAll()
        }
        #expect(order.all == [0, 1, 2, 3, 4])
        #expect(told.all == Array(repeating: getpid(), count: 5))
        try await take(within: .zero).end()
    }

    @Test("a program that does not wait any longer learns who has the turn")
    func deadline() async throws {
        let turn = try await take()
        for timeout in [Duration.zero, .milliseconds(50)] {
            let cause = await cause { _ = try await take(within: timeout) }
            guard case .servingTaken(let program?) = cause else {
                Issue.record("\(String(describing: cause))")
                continue
            }
            #expect(program.process == getpid())
            #expect(!program.command.isEmpty)
        }
        turn.end()
        try await take(within: .zero).end()
    }

    @Test("a program that leaves, by cancelling or at its deadline, is skipped")
    func passedOver() async throws {
        let first = try await take()
        let gone = Task { try await take() }
        let late = await cause { _ = try await take(within: .milliseconds(50)) }
        #expect(late != nil)
        gone.cancel()
        #expect(await cause { _ = try await gone.value } == .cancelled)
        async let second = take()
        try await time.sleep(for: .milliseconds(50))
        first.end()
        try await second.end()
    }

    @Test("if the holder dies without passing the turn on, the waiting programs share it out again")
    func holderDies() async throws {
        guard case .taken(let listener) = TurnSocket.enter(name) else {
            Issue.record("the turn is not free")
            return
        }
        let done = Log<Int>()
        let holder = OwnedDescriptor(dup(listener.rawValue))
        _ = consume listener
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await take().end()
                    done.append(1)
                }
            }
            try await time.sleep(for: .milliseconds(50))
            #expect(done.all == [])
            holder.close()
            try await group.waitForAll()
        }
        #expect(done.all.count == 4)
    }

    @Test("a stranger's message is not taken for the turn", arguments: [false, true])
    func stranger(sendsSocket: Bool) async throws {
        guard case .taken(let listener) = TurnSocket.enter(name),
            case .queued(let queued, let holder) = TurnSocket.enter(name)
        else {
            Issue.record("no queue")
            return
        }
        #expect(holder?.process == getpid())
        let number = listener.rawValue
        let accepted = try OwnedFileDescriptor { blectl_accept(number) }
        let (one, _) = try socketPair()
        if sendsSocket {
            // A socket, but not the listening one of that name.
            try one.withDescriptor { #expect(blectl_send_descriptor(accepted.rawValue, 1, $0.rawValue) == 1) }
        } else {
            try accepted.send([1])
        }
        guard case .over = TurnSocket.news(queued, name) else {
            Issue.record("taken for the turn")
            return
        }
    }

    @Test("a program that holds the name and accepts nobody costs only the time limit")
    func closedDoor() async throws {
        let socket = try OwnedFileDescriptor { blectl_socket(AF_UNIX, BLECTL_SOCK_SEQPACKET, 0) }
        var address = TurnSocket.address(name)
        try systemCall { blectl_bind_unix(socket.rawValue, &address) }
        let before = time.now
        #expect(await cause { _ = try await take(within: .milliseconds(200)) } == .servingTaken(by: nil))
        #expect(time.now - before >= .milliseconds(200))
    }
}

/// A list to which several tasks append.
private final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
