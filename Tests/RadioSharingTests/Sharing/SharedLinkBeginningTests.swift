// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost
@testable import RadioSharing

/// A channel whose link has ended already.
private struct EndedChannel: ATTChannel {
    let peer = DeviceAddress.scripted
    let connectionHandle: UInt16? = nil
    let maximumMTU: UInt16 = 517
    let droppedCount = 0

    func receive() async throws(RadioError) -> [UInt8] { throw RadioError(.linkLost(nil), during: "test") }
    func send(_ packet: [UInt8]) throws(RadioError) {}
    func drained() async throws(RadioError) {}
    func close() {}
}

@Suite("The beginning of a shared link")
struct SharedLinkBeginningTests {
    private let time = SystemTimeSource { WallTime(nanosecondsSince1970: 0) }

    @Test(.timeLimit(.minutes(15))) func `a link that ends at once is not reported as up`() async throws {
        // Not in virtual time, whose one thread decides which task is first.
        for _ in 1...100 {
            try await withTaskScope { scope in
                let link = SharedLink(time: time, scope: scope)
                link.begin(EndedChannel())
                // Only the limit of the test ends this if the link stays up, because other tests can occupy all
                // threads for ten seconds.
                while link.status.isUp { try await time.sleep(for: .milliseconds(1)) }
            }
        }
    }

    @Test func `the late end of a link does not end its successor`() throws {
        try inVirtualTime { time, scope in
            let link = SharedLink(time: time, scope: scope)
            let first = ScriptedChannel(time, scope) { _ in nil }
            let second = ScriptedChannel(time, scope) { _ in nil }
            link.begin(first)
            let client = try link.join(isGuest: true)
            try await time.sleep(for: .seconds(1))
            link.begin(second)
            first.end(.linkLost(nil))
            try await time.sleep(for: .seconds(1))
            #expect(link.status.isUp && link.status.guests == 0)
            await #expect(throws: RadioError.self) { try await client.receive() }
            second.end(.linkLost(nil))
            try await time.sleep(for: .seconds(1))
            #expect(!link.status.isUp)
        }
    }

    @Test func `a device that hangs up on the exchange of the MTU twice, or is silent, is shared without it`() throws {
        for isSilent in [false, true] {
            let (sent, oddities) = try inVirtualTime { time, scope in
                let oddities = Mutex<[String]>([])
                let link = SharedLink(
                    to: .scripted,
                    time: time,
                    scope: scope,
                    onOddity: { oddity in oddities.withLock { $0.append(oddity.text) } }
                )
                var sent: [[String]] = []
                for _ in 0..<(isSilent ? 2 : 3) {
                    let device = ScriptedChannel(time, scope) { _ in nil }
                    link.begin(device)
                    let client = try link.join(isGuest: true)
                    try client.send([0x0A, 0x03, 0x00])
                    try await time.sleep(for: .seconds(isSilent ? 5 : 1))
                    device.end(.closedByPeer(nil))
                    try await time.sleep(for: .seconds(1))
                    sent.append(device.sentWithTimes.map(\.hex))
                }
                return (sent, oddities.withLock { $0 })
            }
            #expect(sent.last == ["0a0300"], "\(sent)")
            #expect(sent.dropLast().allSatisfy { $0 == ["020502"] }, "\(sent)")
            #expect(oddities.count == 1)
        }
    }
}
