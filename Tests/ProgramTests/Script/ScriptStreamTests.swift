// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Testing

@testable import Scripting

@Suite("Streams of a script")
struct ScriptStreamTests {
    private func record(_ number: Int) -> JSONValue { .number(number) }
    private func stream() -> ScriptStream { ScriptStream(Make.step(.pause(.seconds(1)))) }

    @Test func `are checked once, in order`() async throws {
        let stream = stream()
        for number in 1...3 { stream.add(record(number)) }
        #expect(try await stream.next() == .result(record(1)))
        #expect(try await stream.next() == .result(record(2)))
        stream.skip()
        stream.add(record(4))
        stream.finish(.complete)
        #expect(try await stream.next() == .result(record(4)))
        #expect(try await stream.next() == .ended(.complete))
        #expect(stream.total == 4)
    }

    @Test func `drop the oldest values, and count them`() async throws {
        let stream = stream()
        for number in 0..<(3 * ScriptStream.limit) { stream.add(record(number)) }
        #expect(stream.takeDropped() == 2 * ScriptStream.limit)
        #expect(stream.takeDropped() == 0)
        for number in (2 * ScriptStream.limit)..<(3 * ScriptStream.limit) {
            guard try await stream.next() == .result(record(number)) else {
                Issue.record("\(number)")
                return
            }
        }
    }

    @Test func `wake the waiting step`() async throws {
        let stream = stream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await stream.armed()
                let next = try await stream.next()
                #expect(next == .result(.number(7)))
                try await stream.ended()
            }
            stream.arm()
            stream.add(record(7))
            stream.finish(.stopped)
            stream.finish(.complete)
            try await group.waitForAll()
        }
        #expect(stream.end == .stopped)
    }

    @Test func `what has come before the end of a wait is not left`() async throws {
        let stream = stream()
        stream.add(record(1))
        let found = await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask { (try? await stream.next()) == .result(.number(1)) }
            return await group.next()
        }
        #expect(found == true)
    }

    @Test func `a cancelled wait ends`() async throws {
        let stream = stream()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await stream.next()) == nil }
            group.cancelAll()
            for await isCancelled in group { #expect(isCancelled) }
        }
    }
}
