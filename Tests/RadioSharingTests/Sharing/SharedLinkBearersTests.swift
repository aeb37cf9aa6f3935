// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost
@testable import RadioSharing

@Suite("Enhanced bearers of a shared link")
struct SharedLinkBearersTests {
    /// A link whose MTU of 247 is exchanged, with its device and enhanced bearers of these MTUs.
    private func share(
        _ mtus: [UInt16],
        _ body:
            @escaping @Sendable (SharedLink, ScriptedChannel, [ScriptedChannel], any ATTChannel) async throws -> Void
    ) throws -> [String] {
        let notes = Mutex<[String]>([])
        try inVirtualTime { time, scope in
            let link = SharedLink(time: time, scope: scope, onNote: { note in notes.withLock { $0.append(note) } })
            let device = ScriptedChannel(time, scope) { $0.first == 0x02 ? [0x03, 0xF7, 0x00] : nil }
            let bearers = mtus.map { ScriptedChannel([], time, scope, maximumMTU: $0) }
            for bearer in bearers { bearer.answer { _ in nil } }
            device.whenAsked(for: .success(bearers))
            link.begin(device)
            try await time.sleep(for: .seconds(1))
            try await body(link, device, bearers, try link.join(isGuest: false))
        }
        return notes.withLock { $0 }
    }

    private func read(_ handle: UInt8) -> [UInt8] { [0x0A, handle, 0x00] }

    @Test func `commands wait on several bearers, and one that dies in a request disturbs no other`() throws {
        let notes = try share([247, 247]) { link, device, bearers, owner in
            #expect(owner.enhancedBearerLimit == 5)
            #expect(try await owner.openEnhancedBearers(2).count == 2)
            let guests = try (0..<4).map { _ in try link.join(isGuest: true) }
            #expect(guests[0].enhancedBearerLimit == 0, "a command opens none of its own")
            for (number, guest) in guests[..<3].enumerated() { try guest.send(read(UInt8(number + 1))) }
            #expect(device.sent.last == "0a0100" && bearers.map(\.sent) == [["0a0200"], ["0a0300"]])
            guests[2].close()
            try guests[3].send(read(4))
            #expect(bearers[1].sent == ["0a0300"], "the device still has the request on that bearer")
            bearers[1].push("0b 33")
            bearers[0].push("0b 22")
            #expect(try await guests[1].receive() == [0x0B, 0x22])
            bearers[1].push("0b 44")
            bearers[0].push("0b 44")
            #expect(try await guests[3].receive() == [0x0B, 0x44])
            #expect((bearers[0].sent + bearers[1].sent).filter { $0 == "0a0400" }.count == 1)
            #expect(link.status.guests == 3)
        }
        #expect(notes.allSatisfy { !$0.contains("MTU") })
    }

    @Test func `a bearer ends for the owner, too, and all end with the link`() throws {
        _ = try share([247, 247]) { link, device, bearers, owner in
            let opened = try await owner.openEnhancedBearers(2)
            let (first, second) = (try #require(opened.first), try #require(opened.last))
            device.push("1b 2000 07")
            bearers[1].push("1b 2000 08")
            #expect(try await [owner.receive(), owner.receive()].map(\.last) == [7, 8])
            bearers[0].end(.closedByPeer(nil))
            let end = await #expect(throws: RadioError.self) { try await first.receive() }
            #expect(end?.cause == .closedLocally, "no value came there, because the owner gets each once")
            #expect(link.status.isUp)
            device.end(.linkLost(nil))
            let loss = await #expect(throws: RadioError.self) { try await second.receive() }
            #expect(loss?.cause == .linkLost(nil) && !link.status.isUp)
            #expect(try await link.openBearers(2, on: device).isEmpty, "they would be of a link that has ended")
        }
    }

    @Test func `a bearer with another MTU than commands know is closed, and that is told`() throws {
        let notes = try share([64, 247]) { _, _, bearers, owner in
            let opened = try await owner.openEnhancedBearers(2)
            #expect(opened.count == 1)
            #expect(bearers[0].closedAt != nil && bearers[1].closedAt == nil)
        }
        #expect(notes == ["an enhanced bearer of MTU 64 is of no use beside one of 247"])
    }
}
