// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import RadioSharing

extension SharedBearerTests {
    private func request(_ handle: UInt16) -> [UInt8] { ReadRequest(handle: Handle(handle)).encoded() }

    /// A bearer with three clients, and an enhanced one beside it.
    private func lanes() -> SharedBearer {
        var bearer = bearer(clients: 3)
        #expect(bearer.laneOpened(1, mtu: 185, now: .zero) == [])
        return bearer
    }

    @Test func `clients wait on several bearers at once, each on one`() {
        var bearer = lanes()
        #expect(bearer.clientSent(request(1), 1, now: .zero) == [.sendToDevice(request(1))])
        #expect(bearer.clientSent(request(2), 2, now: .zero) == [.sendOnLane(request(2), 1)])
        #expect(bearer.clientSent(request(4), 2, now: .zero) == [], "a client has one request on the air")
        #expect(bearer.clientSent(request(3), 3, now: .zero) == [])
        let next = bearer.deviceSent([0x0B, 2], on: 1, now: .zero)
        #expect(next == [.send([0x0B, 2], to: 2), .sendOnLane(request(3), 1)])
        #expect(bearer.deviceSent([0x0B, 1], now: .zero) == [.send([0x0B, 1], to: 1), .sendToDevice(request(4))])
        let refusal = ATTErrorResponse(requestOpcode: .readRequest, handle: 3, code: .readNotPermitted).encoded()
        #expect(bearer.deviceSent(refusal, on: 1, now: .zero) == [.send(refusal, to: 3)])
    }

    @Test func `a bearer with another MTU than the clients know is not used`() {
        var bearer = bearer(clients: 2)
        #expect(bearer.laneOpened(1, mtu: 517, now: .zero) == nil)
        _ = bearer.clientSent(request(1), 1, now: .zero)
        #expect(bearer.clientSent(request(2), 2, now: .zero) == [])
    }

    @Test func `configurations and prepared writes go over the usual bearer, and values come over each`() {
        var bearer = lanes()
        _ = bearer.clientSent(request(1), 1, now: .zero)
        let prepared = PrepareWriteRequest(handle: 1, offset: 0, value: [1]).encoded()
        #expect(bearer.clientSent(prepared, 2, now: .zero) == [])
        #expect(bearer.clientSent(configure(.notification), 3, now: .zero) == [])
        #expect(bearer.deviceSent([0x0B, 1], now: .zero) == [.send([0x0B, 1], to: 1), .sendToDevice(prepared)])
        let value = notification(7)
        #expect(bearer.deviceSent(value, on: 1, now: .zero) == (1...3).map { .send(value, to: $0) })
    }

    @Test func `a bearer that ends: a read is made again, and a write gets an error`() {
        for octets in [request(2), WriteRequest(handle: 2, value: [1]).encoded()] {
            var bearer = lanes()
            _ = bearer.clientSent(request(1), 1, now: .zero)
            #expect(bearer.clientSent(octets, 2, now: .zero) == [.sendOnLane(octets, 1)])
            let isRead = octets == request(2)
            let refusal = ATTErrorResponse(requestOpcode: .writeRequest, handle: 2, code: .unlikelyError).encoded()
            #expect(bearer.laneEnded(1, now: .zero) == (isRead ? [] : [.send(refusal, to: 2)]))
            let next: [SharedBearer.Action] = isRead ? [.sendToDevice(octets)] : []
            #expect(bearer.deviceSent([0x0B, 1], now: .zero) == [.send([0x0B, 1], to: 1)] + next)
        }
    }

    @Test func `a bearer without an answer is closed alone, and all end with the link`() {
        var bearer = lanes()
        _ = bearer.clientSent(request(1), 1, now: .zero)
        _ = bearer.deviceSent([0x0B, 1], now: .zero)
        _ = bearer.clientSent(request(1), 1, now: .zero + .seconds(20))
        _ = bearer.clientSent(request(2), 2, now: .zero + .seconds(1))
        let end = Instant.zero + .seconds(31)
        #expect(bearer.nextDeadline == end)
        #expect(bearer.timerFired(now: end) == [.closeLane(1)])
        #expect(bearer.laneEnded(1, now: end) == [])
        _ = bearer.linkEnded(Self.lost)
        #expect(bearer.laneOpened(2, mtu: 185, now: end) == nil, "it was of the link that has ended")
    }
}
