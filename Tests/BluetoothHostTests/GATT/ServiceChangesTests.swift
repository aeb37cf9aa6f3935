// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("ServiceChanges")
struct ServiceChangesTests {
    private static func event(_ handle: Handle, _ hex: String, _ kind: ValueEvent.Kind = .indication) -> ValueEvent {
        let wall = WallTime(nanosecondsSince1970: 0)
        return ValueEvent(kind, handle, Hex.bytes(hex) ?? [], at: Instant(nanoseconds: 0), wall: wall, mtu: nil)
    }

    @Test("both consumers get a change in any order, and the database gets it once")
    func consumers() throws {
        try inVirtualTime { _, _ in
            let changes = ServiceChanges()
            changes.received(Self.event(3, "0600ffff"))
            #expect(changes.take(at: [3]) == [HandleRange(6, 0xFFFF)])
            #expect(changes.take(at: [3]).isEmpty)
            let first = try await changes.next()
            #expect(first.handle == 3 && first.range == HandleRange(6, 0xFFFF))
            #expect(!changes.take(first), "the database has heard of it")
            changes.received(Self.event(3, "01000500"))
            let second = try await changes.next()
            #expect(changes.take(second))
            #expect(changes.take(at: [3]).isEmpty)
        }
    }

    @Test("an indication at another known handle is left to the other consumer")
    func others() throws {
        try inVirtualTime { _, _ in
            let changes = ServiceChanges()
            changes.received(Self.event(9, "00000000"))
            #expect(changes.take(at: [3]).isEmpty)
            let other = try await changes.next()
            #expect(changes.take(other))
            changes.received(Self.event(3, "0600ffff", .notification))
            changes.received(Self.event(3, "0600"))
            changes.received(Self.event(3, "0600ffff00"))
            changes.finish(RadioError(.linkLost(nil), during: "test"))
            await #expect(throws: RadioError.self) { try await changes.next() }
        }
    }

    @Test(
        "a malformed indication with the handle of Service Changed means a change of everything",
        arguments: ["06", "", "ffff0600"]
    )
    func malformed(hex: String) {
        let changes = ServiceChanges()
        changes.expect(at: 3)
        changes.received(Self.event(3, hex))
        #expect(changes.take(at: [3]) == [.all])
    }

    @Test("more changes than are kept mean a change of everything, for both")
    func tooMany() throws {
        try inVirtualTime { _, _ in
            let changes = ServiceChanges()
            for _ in 0..<17 { changes.received(Self.event(3, "06000700")) }
            #expect(changes.take(at: []) == [.all])
            #expect(changes.take(at: [3]).isEmpty)
            var ranges: [HandleRange] = []
            for _ in 0..<16 { ranges.append(try await changes.next().range) }
            #expect(ranges == [.all] + Array(repeating: HandleRange(6, 7), count: 15))
        }
    }
}
