// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization
import Testing

@testable import BluetoothHost
@testable import Toolkit

/// Taps that note their names for each packet.
private final class Taps: Sendable {
    private let seen = Mutex<[String]>([])

    func tap(_ name: String) -> PacketTap { { _ in self.seen.withLock { $0.append(name) } } }

    /// The names of the taps that see a packet.
    func seeing(_ switched: SwitchedTap) -> [String] {
        seen.withLock { $0 = [] }
        let packet = TappedPacket(
            channel: .hci,
            adapter: .none,
            link: nil,
            direction: .sent,
            bytes: [],
            instant: .zero,
            wall: WallTime(nanosecondsSince1970: 0)
        )
        switched.tap(packet)
        return seen.withLock { $0 }
    }
}

@Suite("Traces of a shell and its lines")
struct SwitchedTapTests {
    @Test func `a line that ends removes only its own trace`() {
        let (taps, switched) = (Taps(), SwitchedTap())
        let first = switched.begin(1, taps.tap("first"))
        let second = switched.begin(1, taps.tap("second"))
        #expect(taps.seeing(switched) == ["first"])
        switched.end(second)
        #expect(taps.seeing(switched) == ["first"])
        let third = switched.begin(1, taps.tap("third"))
        switched.end(first)
        #expect(taps.seeing(switched) == ["third"])
        switched.end(third)
        #expect(taps.seeing(switched) == [])
    }

    @Test func `the most detailed line has the trace, and without lines the shell has it`() {
        let (taps, switched) = (Taps(), SwitchedTap())
        switched.set(taps.tap("shell"))
        #expect(taps.seeing(switched) == ["shell"])
        let quiet = switched.begin(0, nil)
        #expect(taps.seeing(switched) == [])
        let all = switched.begin(2, taps.tap("all"))
        let some = switched.begin(1, taps.tap("some"))
        #expect(taps.seeing(switched) == ["all"])
        switched.end(all)
        #expect(taps.seeing(switched) == ["some"])
        switched.end(some)
        switched.end(quiet)
        #expect(taps.seeing(switched) == ["shell"])
    }
}
