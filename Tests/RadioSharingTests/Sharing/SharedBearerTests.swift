// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import RadioSharing

@Suite("A bearer that clients share")
struct SharedBearerTests {
    static let configuration = Handle(0x0021)
    static let value = Handle(0x0020)
    static let lost = RadioError(.linkLost(nil), during: "connection")

    /// A bearer whose MTU is exchanged, with the clients 1 to `clients`.
    func bearer(clients: Int = 2, keeping: Int = 0, mtu: UInt16 = 185) -> SharedBearer {
        var bearer = SharedBearer(keeping: keeping)
        #expect(bearer.linkBegan(maximumMTU: 517, now: .zero) == [.sendToDevice([0x02, 0x05, 0x02])])
        let answer = ExchangeMTUResponse(serverRxMTU: mtu).encoded()
        #expect(bearer.deviceSent(answer, now: .zero) == [])
        if clients > 0 { for client in 1...clients { bearer.clientJoined(client) } }
        return bearer
    }

    private func read(_ handle: UInt16) -> [UInt8] { ReadRequest(handle: Handle(handle)).encoded() }

    func configure(_ value: ClientConfiguration) -> [UInt8] {
        WriteRequest(handle: Self.configuration, value: value.encoded).encoded()
    }

    let written = WriteResponse().encoded()
    let question = FindInformationRequest(range: HandleRange(configuration, configuration)).encoded()
    let isConfiguration: [UInt8] = [0x05, 0x01, 0x21, 0x00, 0x02, 0x29]

    func notification(_ octet: UInt8) -> [UInt8] {
        HandleValueNotification(handle: Self.value, value: [octet]).encoded()
    }

    /// Subscribes a client, with the requests to the device that this takes.
    func subscribe(_ client: Int, _ bearer: inout SharedBearer) {
        #expect(bearer.clientSent(configure(.notification), client, now: .zero) == [.sendToDevice(question)])
        let actions = bearer.deviceSent(isConfiguration, now: .zero)
        #expect(actions == [.sendToDevice(configure(.notification))])
        #expect(bearer.deviceSent(written, now: .zero) == [.send(written, to: client)])
    }

    // MARK: - The exchange of the MTU

    @Test func `an exchange that is not answered is given up, and the next link is without it`() {
        var bearer = SharedBearer()
        _ = bearer.linkBegan(maximumMTU: 517, exchangePatience: .seconds(4), now: .zero)
        let end = Instant.zero + .seconds(4)
        #expect(bearer.isExchanging && bearer.nextDeadline == end)
        #expect(bearer.timerFired(now: end) == [.giveUpExchange])
        #expect(bearer.timerFired(now: end) == [])
        _ = bearer.linkEnded(Self.lost)
        #expect(bearer.linkBegan(maximumMTU: 517, exchangePatience: nil, now: end) == [])
        bearer.clientJoined(1)
        #expect(bearer.clientSent(read(1), 1, now: end) == [.sendToDevice(read(1))])
        #expect(!bearer.isExchanging && bearer.mtu == 23)
    }

    // MARK: - Requests

    @Test func `an answer goes to its client, and the next request follows`() {
        var bearer = bearer()
        #expect(bearer.clientSent(read(1), 1, now: .zero) == [.sendToDevice(read(1))])
        #expect(bearer.clientSent(read(2), 2, now: .zero) == [])
        #expect(bearer.deviceSent([0x0B, 7], now: .zero) == [.send([0x0B, 7], to: 1), .sendToDevice(read(2))])
        let refusal = ATTErrorResponse(requestOpcode: .readRequest, handle: 2, code: .readNotPermitted).encoded()
        #expect(bearer.deviceSent(refusal, now: .zero) == [.send(refusal, to: 2)])
    }

    @Test func `clients take turns, however many requests one of them has`() {
        var bearer = bearer(clients: 3)
        _ = bearer.clientSent(read(1), 1, now: .zero)
        for handle in 2...4 as ClosedRange<UInt16> { #expect(bearer.clientSent(read(handle), 1, now: .zero) == []) }
        _ = bearer.clientSent(read(5), 2, now: .zero)
        _ = bearer.clientSent(read(6), 3, now: .zero)
        var order: [[UInt8]] = []
        for _ in 0..<6 {
            for case .sendToDevice(let pdu) in bearer.deviceSent([0x0B], now: .zero) { order.append(pdu) }
        }
        #expect(order == [read(5), read(6), read(2), read(3), read(4)])
    }

    @Test func `the answer to a client that has left is dropped`() {
        var bearer = bearer()
        _ = bearer.clientSent(read(1), 1, now: .zero)
        _ = bearer.clientSent(read(2), 2, now: .zero)
        #expect(bearer.clientLeft(1, now: .zero) == [])
        #expect(bearer.deviceSent([0x0B, 7], now: .zero) == [.sendToDevice(read(2))])
    }

    @Test func `a client with too many requests is disconnected`() {
        var bearer = bearer()
        for _ in 0...SharedBearer.waitingLimit {
            #expect(!bearer.clientSent(read(1), 1, now: .zero).contains(.end(1, nil)))
        }
        #expect(bearer.clientSent(read(1), 1, now: .zero) == [.end(1, nil)])
        #expect(bearer.clientSent(read(1), 1, now: .zero) == [])
        #expect(bearer.deviceSent([0x0B], now: .zero) == [])
    }

    @Test func `the MTU is that of the link, and is exchanged before anything else`() {
        var bearer = SharedBearer()
        _ = bearer.linkBegan(maximumMTU: 517, now: .zero)
        bearer.clientJoined(1)
        let exchange = ExchangeMTURequest(clientRxMTU: 517).encoded()
        #expect(bearer.clientSent(exchange, 1, now: .zero) == [])
        let answer = ExchangeMTUResponse(serverRxMTU: 185).encoded()
        #expect(bearer.deviceSent(answer, now: .zero) == [.send(answer, to: 1)])
        #expect(bearer.mtu == 185)
        #expect(bearer.clientSent(exchange, 1, now: .zero) == [.send(answer, to: 1)])
    }

    @Test func `a device without an exchange of the MTU has the smallest one`() {
        var bearer = SharedBearer()
        _ = bearer.linkBegan(maximumMTU: 517, now: .zero)
        bearer.clientJoined(1)
        _ = bearer.clientSent(read(1), 1, now: .zero)
        let refusal = ATTErrorResponse(requestOpcode: .exchangeMTURequest, handle: 0, code: .requestNotSupported)
        #expect(bearer.deviceSent(refusal.encoded(), now: .zero) == [.sendToDevice(read(1))])
        #expect(bearer.mtu == 23)
    }

    @Test func `a malformed packet is refused in its turn, and does not reach the device`() {
        var bearer = bearer()
        let refusal = ATTErrorResponse(requestOpcode: .readRequest, handle: 0, code: .invalidPDU).encoded()
        #expect(bearer.clientSent([0x0A, 1], 1, now: .zero).last == .send(refusal, to: 1))
        let unknown = ATTErrorResponse(requestOpcode: ATTOpcode(0x2C), handle: 0, code: .requestNotSupported)
        #expect(bearer.clientSent([0x2C, 1], 1, now: .zero) == [.send(unknown.encoded(), to: 1)])
        // Neither a server's PDU nor an unknown command has an answer.
        for pdu in [[0x0B, 1], [0x6C, 1], [0x1E], []] as [[UInt8]] {
            let sent = bearer.clientSent(pdu, 1, now: .zero)
            #expect(sent.allSatisfy { if case .report = $0 { true } else { false } })
        }
        let long = WriteRequest(handle: 1, value: [UInt8](repeating: 0, count: 200))
        let tooLong = ATTErrorResponse(requestOpcode: .writeRequest, handle: 1, code: .invalidPDU).encoded()
        #expect(bearer.clientSent(long.encoded(), 1, now: .zero).last == .send(tooLong, to: 1))
        _ = bearer.clientSent(read(1), 1, now: .zero)
        #expect(bearer.clientSent([0x0A, 1], 1, now: .zero).count == 1)
        #expect(bearer.deviceSent([0x0B], now: .zero) == [.send([0x0B], to: 1), .send(refusal, to: 1)])
    }

    @Test func `a malformed answer is passed on for the client to judge`() {
        var bearer = bearer()
        _ = bearer.clientSent(ReadByTypeRequest(range: .all, attributeType: 0x2A19).encoded(), 1, now: .zero)
        #expect(bearer.deviceSent([0x09, 0x00], now: .zero) == [.send([0x09, 0x00], to: 1)])
        _ = bearer.clientSent(read(1), 1, now: .zero)
        let actions = bearer.deviceSent([0x13], now: .zero)
        #expect(actions.first == .send([0x13], to: 1))
        #expect(actions.contains { if case .closeLink = $0 { true } else { false } })
    }

    @Test func `a command passes at once`() {
        var bearer = bearer()
        _ = bearer.clientSent(read(1), 1, now: .zero)
        let command = WriteCommand(handle: 1, value: [1]).encoded()
        #expect(bearer.clientSent(command, 2, now: .zero) == [.sendToDevice(command)])
    }

    @Test func `a command is not sent before an exchange of the MTU that it needs to fit`() {
        var bearer = SharedBearer()
        _ = bearer.linkBegan(maximumMTU: 517, now: .zero)
        bearer.clientJoined(1)
        let short = WriteCommand(handle: 1, value: [UInt8](repeating: 0, count: 20)).encoded()
        #expect(bearer.clientSent(short, 1, now: .zero) == [.sendToDevice(short)])
        let long = WriteCommand(handle: 1, value: [UInt8](repeating: 0, count: 27)).encoded()
        #expect(bearer.clientSent(long, 1, now: .zero) == [.report(.tooLong(.writeCommand))])
        // A request waits for the exchange, and fits then.
        let request = WriteRequest(handle: 1, value: [UInt8](repeating: 0, count: 27)).encoded()
        #expect(bearer.clientSent(request, 1, now: .zero) == [])
        let answer = ExchangeMTUResponse(serverRxMTU: 185).encoded()
        #expect(bearer.deviceSent(answer, now: .zero) == [.sendToDevice(request)])
        #expect(bearer.clientSent(long, 1, now: .zero) == [.sendToDevice(long)])
    }

    @Test func `a device that does not answer loses the link`() {
        var bearer = bearer()
        _ = bearer.clientSent(read(1), 1, now: .zero)
        #expect(bearer.nextDeadline == .zero + .seconds(30))
        let actions = bearer.timerFired(now: .zero + .seconds(30))
        #expect(actions == [.closeLink(.timedOut)])
        #expect(bearer.linkEnded(Self.lost) == [.end(1, Self.lost), .end(2, Self.lost)])
        #expect(bearer.clientSent(read(1), 1, now: .zero) == [])
    }

    // MARK: - Prepared writes

    @Test func `prepared writes of two clients do not mix`() {
        var bearer = bearer()
        let part = PrepareWriteRequest(handle: 1, offset: 0, value: [1]).encoded()
        let other = PrepareWriteRequest(handle: 2, offset: 0, value: [2]).encoded()
        let execute = ExecuteWriteRequest(flags: .write).encoded()
        #expect(bearer.clientSent(part, 1, now: .zero) == [.sendToDevice(part)])
        #expect(bearer.clientSent(other, 2, now: .zero) == [])
        let echo = PrepareWriteResponse(handle: 1, offset: 0, value: [1]).encoded()
        #expect(bearer.deviceSent(echo, now: .zero) == [.send(echo, to: 1)])
        // Other requests do not wait.
        bearer.clientJoined(3)
        #expect(bearer.clientSent(read(9), 3, now: .zero) == [.sendToDevice(read(9))])
        #expect(bearer.clientSent(execute, 1, now: .zero) == [])
        #expect(bearer.deviceSent([0x0B], now: .zero) == [.send([0x0B], to: 3), .sendToDevice(execute)])
        let done = ExecuteWriteResponse().encoded()
        #expect(bearer.deviceSent(done, now: .zero) == [.send(done, to: 1), .sendToDevice(other)])
    }

    @Test func `a client's prepared queue is cancelled when it leaves`() {
        var bearer = bearer()
        let part = PrepareWriteRequest(handle: 1, offset: 0, value: [1]).encoded()
        let other = PrepareWriteRequest(handle: 2, offset: 0, value: [2]).encoded()
        let cancel = ExecuteWriteRequest(flags: .cancel).encoded()
        _ = bearer.clientSent(part, 1, now: .zero)
        _ = bearer.clientSent(other, 2, now: .zero)
        #expect(bearer.clientLeft(1, now: .zero) == [])
        let echo = PrepareWriteResponse(handle: 1, offset: 0, value: [1]).encoded()
        #expect(bearer.deviceSent(echo, now: .zero) == [.sendToDevice(cancel)])
        #expect(bearer.deviceSent(ExecuteWriteResponse().encoded(), now: .zero) == [.sendToDevice(other)])
    }

    @Test func `a client that stalls in mid-queue loses its queue, with an error`() {
        var bearer = bearer()
        let part = PrepareWriteRequest(handle: 1, offset: 0, value: [1]).encoded()
        let execute = ExecuteWriteRequest(flags: .write)
        _ = bearer.clientSent(part, 1, now: .zero)
        _ = bearer.deviceSent(PrepareWriteResponse(handle: 1, offset: 0, value: [1]).encoded(), now: .zero)
        let late = Instant.zero + SharedBearer.preparedWriteTimeout
        #expect(bearer.nextDeadline == late)
        let cancel = ExecuteWriteRequest(flags: .cancel).encoded()
        #expect(bearer.timerFired(now: late) == [.sendToDevice(cancel)])
        #expect(bearer.deviceSent(ExecuteWriteResponse().encoded(), now: late) == [])
        let refusal = execute.request.refused(.unlikelyError).encoded()
        #expect(bearer.clientSent(execute.encoded(), 1, now: late) == [.send(refusal, to: 1)])
        #expect(bearer.clientSent(part, 1, now: late) == [.sendToDevice(part)])
    }

    @Test func `a queue in use is not cancelled, however late its use`() {
        var bearer = bearer()
        let part = PrepareWriteRequest(handle: 1, offset: 0, value: [1]).encoded()
        let echo = PrepareWriteResponse(handle: 1, offset: 0, value: [1]).encoded()
        let execute = ExecuteWriteRequest(flags: .write).encoded()
        let done = ExecuteWriteResponse().encoded()
        let limit = SharedBearer.preparedWriteTimeout
        _ = bearer.clientSent(part, 1, now: .zero)
        _ = bearer.deviceSent(echo, now: .zero)
        let late = Instant.zero + (limit - .milliseconds(100))
        #expect(bearer.clientSent(part, 1, now: late) == [.sendToDevice(part)])
        #expect(bearer.timerFired(now: .zero + limit) == [])
        #expect(bearer.deviceSent(echo, now: .zero + limit) == [.send(echo, to: 1)])
        let later = late + limit
        #expect(bearer.clientSent(execute, 1, now: later) == [.sendToDevice(execute)])
        #expect(bearer.timerFired(now: .zero + limit + limit) == [])
        #expect(bearer.deviceSent(done, now: .zero + limit + limit) == [.send(done, to: 1)])
        // Nothing was lost, so the next part is not refused.
        #expect(bearer.clientSent(part, 1, now: .zero + limit + limit) == [.sendToDevice(part)])
    }

    @Test func `a refused first part leaves the queue to others`() {
        var bearer = bearer()
        let part = PrepareWriteRequest(handle: 1, offset: 0, value: [1]).encoded()
        let other = PrepareWriteRequest(handle: 2, offset: 0, value: [2]).encoded()
        _ = bearer.clientSent(part, 1, now: .zero)
        _ = bearer.clientSent(other, 2, now: .zero)
        let error = ATTErrorResponse(requestOpcode: .prepareWriteRequest, handle: 1, code: .writeNotPermitted)
        let refusal = error.encoded()
        #expect(bearer.deviceSent(refusal, now: .zero) == [.send(refusal, to: 1), .sendToDevice(other)])
    }

    // MARK: - Subscriptions

    @Test func `the first subscription switches on, and the last one off`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        #expect(bearer.clientSent(configure(.notification), 2, now: .zero) == [.send(written, to: 2)])
        #expect(
            bearer.deviceSent(notification(7), now: .zero)
                == [.send(notification(7), to: 1), .send(notification(7), to: 2)]
        )
        #expect(bearer.clientSent(configure([]), 1, now: .zero) == [.send(written, to: 1)])
        #expect(bearer.deviceSent(notification(8), now: .zero) == [.send(notification(8), to: 2)])
        #expect(bearer.clientSent(configure([]), 2, now: .zero) == [.sendToDevice(configure([]))])
        #expect(bearer.deviceSent(written, now: .zero) == [.send(written, to: 2)])
    }

    @Test func `a client that leaves withdraws its subscriptions`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        #expect(bearer.clientLeft(1, now: .zero) == [.sendToDevice(configure([]))])
        #expect(bearer.deviceSent(written, now: .zero) == [])
    }

    @Test func `a client that leaves while it subscribes withdraws that subscription, too`() {
        var bearer = bearer()
        _ = bearer.clientSent(configure(.notification), 1, now: .zero)
        #expect(bearer.deviceSent(isConfiguration, now: .zero) == [.sendToDevice(configure(.notification))])
        #expect(bearer.clientLeft(1, now: .zero) == [])
        #expect(bearer.deviceSent(written, now: .zero) == [.sendToDevice(configure([]))])
    }

    @Test func `the device gets the union of all clients' subscriptions`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        let both = configure([.notification, .indication])
        #expect(bearer.clientSent(configure(.indication), 2, now: .zero) == [.sendToDevice(both)])
        #expect(bearer.deviceSent(written, now: .zero) == [.send(written, to: 2)])
        #expect(bearer.clientLeft(1, now: .zero) == [.sendToDevice(configure(.indication))])
    }

    @Test func `a refused subscription does not count`() {
        var bearer = bearer()
        _ = bearer.clientSent(configure(.notification), 1, now: .zero)
        _ = bearer.deviceSent(isConfiguration, now: .zero)
        let refusal = ATTErrorResponse(
            requestOpcode: .writeRequest,
            handle: Self.configuration,
            code: .insufficientAuthentication
        ).encoded()
        #expect(bearer.deviceSent(refusal, now: .zero) == [.send(refusal, to: 1)])
        #expect(bearer.clientLeft(1, now: .zero) == [])
        #expect(bearer.clientSent(configure(.notification), 2, now: .zero) == [.sendToDevice(configure(.notification))])
    }

    @Test func `a value before the answer to the subscription is passed on`() {
        var bearer = bearer()
        _ = bearer.clientSent(configure(.notification), 1, now: .zero)
        _ = bearer.deviceSent(isConfiguration, now: .zero)
        #expect(bearer.deviceSent(notification(1), now: .zero) == [.send(notification(1), to: 1)])
    }

    @Test func `two octets to another handle are no subscription`() {
        var bearer = bearer()
        #expect(bearer.clientSent(configure(.notification), 1, now: .zero) == [.sendToDevice(question)])
        let other: [UInt8] = [0x05, 0x01, 0x21, 0x00, 0x06, 0x2A]
        #expect(bearer.deviceSent(other, now: .zero) == [.sendToDevice(configure(.notification))])
        #expect(bearer.deviceSent(written, now: .zero) == [.send(written, to: 1)])
        // It is asked once, and written each time.
        #expect(bearer.clientSent(configure(.notification), 2, now: .zero) == [.sendToDevice(configure(.notification))])
    }

    @Test func `types that a client has found are known`() {
        var bearer = bearer()
        _ = bearer.clientSent(FindInformationRequest(range: .all).encoded(), 2, now: .zero)
        #expect(bearer.deviceSent(isConfiguration, now: .zero) == [.send(isConfiguration, to: 2)])
        #expect(bearer.clientSent(configure(.notification), 1, now: .zero) == [.sendToDevice(configure(.notification))])
    }

    @Test func `an indication is confirmed once, and a value without a subscriber goes to all`() {
        var bearer = bearer()
        let indication = HandleValueIndication(handle: Self.value, value: [1]).encoded()
        #expect(
            bearer.deviceSent(indication, now: .zero)
                == [.sendToDevice([0x1E]), .send(indication, to: 1), .send(indication, to: 2)]
        )
        #expect(bearer.clientSent([0x1E], 1, now: .zero) == [])
        subscribe(1, &bearer)
        #expect(bearer.deviceSent(indication, now: .zero) == [.sendToDevice([0x1E]), .send(indication, to: 1)])
    }

    @Test func `a change of the database goes to all, whatever one has subscribed to`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        let changed = HandleValueIndication(handle: 0x0003, value: [0x01, 0x00, 0xFF, 0xFF]).encoded()
        #expect(
            bearer.deviceSent(changed, now: .zero)
                == [.sendToDevice([0x1E]), .send(changed, to: 1), .send(changed, to: 2)]
        )
    }

    @Test func `several values in one PDU go to their subscribers`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        let pdu: [UInt8] = [0x23, 0x20, 0x00, 1, 0, 7, 0x30, 0x00, 1, 0, 8]
        let others = HandleValueNotification(handle: 0x0030, value: [8]).encoded()
        #expect(
            bearer.deviceSent(pdu, now: .zero)
                == [.send(notification(7), to: 1), .send(others, to: 1), .send(others, to: 2)]
        )
    }

    // MARK: - Kept values

    @Test func `the latest values are kept for the next listener, and drops are reported`() {
        var bearer = bearer(keeping: 2)
        subscribe(1, &bearer)
        #expect(bearer.clientSent(configure([]), 1, now: .zero) == [.send(written, to: 1)])
        #expect(bearer.clientLeft(1, now: .zero) == [])
        for octet in 1...3 as ClosedRange<UInt8> {
            #expect(bearer.deviceSent(notification(octet), now: .zero + .seconds(Int64(octet))) == [])
        }
        #expect(bearer.kept.count == 2 && bearer.kept.droppedCount == 1)
        let actions = bearer.clientSent(configure(.notification), 2, now: .zero)
        let expected: [SharedBearer.Action] = [
            .send(written, to: 2), .countDropped(1, for: 2),
            .sendKept(.init(pdu: notification(2), arrival: .zero + .seconds(2)), to: 2),
            .sendKept(.init(pdu: notification(3), arrival: .zero + .seconds(3)), to: 2),
        ]
        #expect(actions == expected)
        #expect(bearer.deviceSent(notification(4), now: .zero) == [.send(notification(4), to: 2)])
        #expect(bearer.kept.count == 0)
    }

    @Test func `kept subscriptions are made again on the next link`() {
        var bearer = bearer(keeping: 2)
        subscribe(1, &bearer)
        _ = bearer.clientLeft(1, now: .zero)
        _ = bearer.deviceSent(notification(1), now: .zero)
        _ = bearer.linkEnded(Self.lost)
        _ = bearer.linkBegan(maximumMTU: 517, now: .zero)
        // The handle may mean something else now, so it is asked for.
        let exchanged = bearer.deviceSent(ExchangeMTUResponse(serverRxMTU: 185).encoded(), now: .zero)
        #expect(exchanged == [.sendToDevice(question)])
        #expect(bearer.deviceSent(isConfiguration, now: .zero) == [.sendToDevice(configure(.notification))])
        #expect(bearer.deviceSent(written, now: .zero) == [])
        bearer.clientJoined(2)
        let actions = bearer.clientSent(configure(.notification), 2, now: .zero)
        let kept = KeptValues.Value(pdu: notification(1), arrival: .zero)
        #expect(actions == [.send(written, to: 2), .sendKept(kept, to: 2)])
    }

    @Test func `a subscription that cannot be made again is no longer kept`() {
        var bearer = bearer(keeping: 2)
        subscribe(1, &bearer)
        _ = bearer.linkEnded(Self.lost)
        // The client of a lost link has not left its subscription behind: it will ask again.
        _ = bearer.linkBegan(maximumMTU: 517, now: .zero)
        #expect(bearer.deviceSent(ExchangeMTUResponse(serverRxMTU: 185).encoded(), now: .zero) == [])
    }

    // MARK: - The end

    @Test func `all subscriptions are withdrawn at the end`() {
        var bearer = bearer(keeping: 2)
        subscribe(1, &bearer)
        _ = bearer.clientSent(read(1), 2, now: .zero)
        #expect(bearer.close(Self.lost, now: .zero) == [.end(1, Self.lost), .end(2, Self.lost)])
        #expect(bearer.deviceSent([0x0B], now: .zero) == [.sendToDevice(configure([]))])
        #expect(bearer.deviceSent(written, now: .zero) == [.finished])
        #expect(bearer.linkEnded(Self.lost) == [])
    }

    @Test func `without a subscription the end comes at once`() {
        var bearer = bearer()
        #expect(bearer.close(Self.lost, now: .zero).last == .finished)
        var lost = self.bearer()
        _ = lost.linkEnded(Self.lost)
        #expect(lost.close(Self.lost, now: .zero) == [.finished])
    }

    @Test func `any octets from clients and device leave the bearer in a valid state`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var bearer = bearer(clients: 4, keeping: 3)
            for step in 0..<200 {
                let length = Int.random(in: 0...24, using: &random)
                let pdu = (0..<length).map { _ in UInt8.random(in: 0...0x24, using: &random) }
                let now = Instant.zero + .milliseconds(step * 300)
                switch Int.random(in: 0..<10, using: &random) {
                case 0: _ = bearer.clientLeft(Int.random(in: 1...4, using: &random), now: now)
                case 1: bearer.clientJoined(step + 10)
                case 2...5: _ = bearer.clientSent(pdu, Int.random(in: 1...4, using: &random), now: now)
                case 6: _ = bearer.timerFired(now: now)
                default: _ = bearer.deviceSent(pdu, now: now)
                }
                #expect(bearer.clients.values.allSatisfy { $0.waiting.count <= SharedBearer.waitingLimit })
                #expect(Set(bearer.line).count == bearer.line.count)
                #expect(bearer.line.allSatisfy { bearer.clients[$0] != nil })
            }
            _ = bearer.linkEnded(Self.lost)
            #expect(bearer.clients.isEmpty && bearer.line.isEmpty)
        }
    }
}

extension ExecuteWriteRequest {
    fileprivate var request: ATTRequest { .executeWrite(self) }
}
