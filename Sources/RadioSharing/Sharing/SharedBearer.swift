// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// One ATT bearer to a device, and the clients that share it.
///
/// Events go in, actions come out. Each client sees a bearer of its own. To the device they are one client:
///
/// - It has one outstanding request on each bearer. Clients with a waiting request take turns.
/// - The MTU is exchanged once, at the beginning. A client's exchange is answered with its result.
/// - A device has one queue for prepared writes. From the first Prepare Write of a client to its Execute Write, the
///   others wait with theirs. When a client leaves, its prepared writes are cancelled.
/// - It has one configuration for each characteristic, see `SharedSubscriptions`. Values go to the clients that have
///   subscribed; a value without a subscriber goes to all. Indications are confirmed once.
/// - A malformed PDU of a client is refused, and is not sent to the device.
///
/// Answers are passed on unchanged, so that a client checks them as on a link of its own.
struct SharedBearer: Sendable {
    /// The number of a client, from 1. Numbers are not used again.
    typealias ClientID = Int

    enum Action: Equatable, Sendable {
        case sendToDevice([UInt8])
        /// Send this PDU over an enhanced bearer.
        case sendOnLane([UInt8], LaneID)
        /// Close an enhanced bearer. `laneEnded` follows if it was in use.
        case closeLane(LaneID)
        case send([UInt8], to: ClientID)
        case sendKept(KeptValues.Value, to: ClientID)
        /// Tell a client that so many values were dropped before it came.
        case countDropped(Int, for: ClientID)
        /// The link of a client has ended: the reason, or `nil` because the client breaks the rules.
        case end(ClientID, RadioError?)
        /// Close the link to the device, which breaks the rules or has not answered for 30 s. `linkEnded` has to
        /// follow.
        case closeLink(ATTFailure)
        /// Close the link to the device, which has not answered the exchange of the MTU. `linkEnded` has to follow, and
        /// the next link is made without the exchange.
        case giveUpExchange
        /// Something odd has happened, and the bearer continues.
        case report(Note)
        /// Everything is withdrawn after `close`.
        case finished
    }

    /// Something odd.
    enum Note: Equatable, Sendable {
        case device(ATTDiagnostic)
        /// A client sent something malformed.
        case malformed(DecodeError)
        /// A client sent a PDU that is longer than the MTU; it was not sent.
        case tooLong(ATTOpcode)
        /// The device refuses to send values that were to be kept, or to stop.
        case configurationRefused(Handle)
    }

    /// The request on the wire.
    enum Job: Sendable {
        case mtu
        case type(Handle)
        /// A write of a CCCD for a client, with that client's value before; `nil` for a kept or withdrawn one.
        case configuration(Handle, ClientConfiguration, for: ClientID?, before: ClientConfiguration)
        case cancelWrites
        case request(ATTRequest, ClientID)
    }

    /// The queue for prepared writes, while it belongs to a client.
    struct PreparedWrites: Sendable {
        /// The client that has sent the first Prepare Write.
        let owner: ClientID
        var parts = 0
        /// The time at which the queue is taken away from the client, unless it prepares more.
        var deadline: Instant
        /// Whether the queue has to be cancelled: its owner has left, or was too slow.
        var isAbandoned = false
    }

    /// How long a client may own the queue for prepared writes without using it.
    static let preparedWriteTimeout = Duration.seconds(30)
    /// The maximum number of requests of a client that wait. It must not send any before the answer to the last one.
    static let waitingLimit = 8

    /// The bearer to the device; `nil` without a link.
    private(set) var bearer: ATTBearer?
    /// The enhanced bearers of the present link, by their numbers.
    var lanes: [LaneID: Lane] = [:]
    /// Whether the MTU of the present link was exchanged, or is not. No request of a client is sent before.
    private(set) var isMTUExchanged = false
    /// When the exchange of the MTU is given up; `nil` while there is none.
    private var exchangeDeadline: Instant?
    private(set) var isClosing = false
    /// Whether `finished` was returned.
    private var isFinished = false
    private var lastTransaction: UInt64 = 0
    /// The request that waits for the device's answer; `nil` if there is none.
    var job: Job?
    /// The queue for prepared writes; `nil` while no client uses it.
    var writes: PreparedWrites?
    var clients: [ClientID: SharedClient] = [:]
    /// The clients with waiting requests, the next one first.
    var line: [ClientID] = []
    /// The clients' subscriptions, and the configuration that was written to the device.
    var subscriptions: SharedSubscriptions
    /// The values for clients to come.
    var kept: KeptValues
    /// The types of the device's attributes, as far as they are known.
    var types = SharedTypes()

    /// A bearer without a link and without clients.
    ///
    /// - Parameter keptValues: The maximum number of values of each characteristic that are kept while no client
    ///   listens; 0 for none.
    init(keeping keptValues: Int = 0) {
        subscriptions = SharedSubscriptions(keeping: keptValues > 0)
        kept = KeptValues(limit: keptValues)
    }

    /// The MTU in octets; 23 before the exchange or without a link.
    var mtu: UInt16 { bearer?.mtu ?? ATTBearer.minimumMTU }

    /// Whether the device owes the answer to the exchange of the MTU.
    var isExchanging: Bool { if case .mtu? = job { true } else { false } }

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? {
        let timeout = writes.flatMap { $0.isAbandoned ? nil : $0.deadline }
        let own = [timeout, bearer?.nextDeadline, isExchanging ? exchangeDeadline : nil].compactMap(\.self)
        return (own + lanes.values.compactMap(\.bearer.nextDeadline)).min()
    }
}

// MARK: - The link

extension SharedBearer {
    /// A link was made. Exchanges its MTU, and switches the kept values on again.
    ///
    /// - Parameters:
    ///   - maximumMTU: The longest PDU that can be received, in octets.
    ///   - exchangePatience: How long the device may take to answer the exchange; `nil` if it does not take one.
    ///   - now: The current time.
    mutating func linkBegan(
        maximumMTU: UInt16,
        exchangePatience: Duration? = MTUHistory.usualPatience,
        now: Instant
    ) -> [Action] {
        bearer = ATTBearer(maximumMTU: maximumMTU)
        isMTUExchanged = exchangePatience == nil
        exchangeDeadline = exchangePatience.map { now + $0 }
        job = nil
        return advance(now: now)
    }

    /// The link has ended, and with it that of every client.
    mutating func linkEnded(_ error: RadioError) -> [Action] {
        bearer = nil
        lanes = [:]
        job = nil
        writes = nil
        types = SharedTypes()
        subscriptions.linkEnded()
        let ended = clients.keys.sorted()
        clients = [:]
        line = []
        return ended.map { .end($0, error) } + finish()
    }

    mutating func deviceSent(_ pdu: [UInt8], now: Instant) -> [Action] {
        guard let effects = bearer?.pduReceived(pdu, now: now) else { return [] }
        return carryOut(effects, after: pdu, now: now) + advance(now: now)
    }

    mutating func timerFired(now: Instant) -> [Action] {
        if isExchanging, let exchangeDeadline, exchangeDeadline <= now {
            self.exchangeDeadline = nil
            return [.giveUpExchange]
        }
        var actions = lanesTimedOut(now: now)
        if let effects = bearer?.timerFired(now: now) { actions += carryOut(effects, after: nil, now: now) }
        if let writes, !writes.isAbandoned, writes.deadline <= now {
            self.writes?.isAbandoned = true
            // The client would otherwise execute an empty queue, and take that for a success.
            clients[writes.owner]?.hasLostWrites = true
        }
        return actions + advance(now: now)
    }

    /// The link is no longer needed: ends the clients, and removes their subscriptions at the device.
    mutating func close(_ reason: RadioError, now: Instant) -> [Action] {
        isClosing = true
        let ended = clients.keys.sorted()
        clients = [:]
        line = []
        if writes != nil { writes?.isAbandoned = true }
        subscriptions.withdrawAll()
        return ended.map { .end($0, reason) } + advance(now: now)
    }

    /// Reports once that everything is withdrawn, or cannot be because the link has ended.
    private mutating func finish() -> [Action] {
        guard isClosing, !isFinished else { return [] }
        isFinished = true
        return [.finished]
    }

    // MARK: - Requests

    /// Sends the next requests, as long as none is outstanding.
    mutating func advance(now: Instant) -> [Action] {
        var actions: [Action] = []
        while job == nil, let bearer, !bearer.isClosed, let step = nextStep(now: now) {
            switch step {
            case .act(let more): actions += more
            case .request(let request, let job): actions += send(request, as: job, now: now)
            }
        }
        actions += useLanes(now: now)
        if job == nil || bearer == nil { actions += finish() }
        return actions
    }

    /// Sends a request to the device, and remembers its purpose.
    private mutating func send(_ request: ATTRequest, as job: Job, now: Instant) -> [Action] {
        self.job = job
        let id = nextTransaction()
        return carryOut(bearer?.submit(request, id: id, now: now) ?? [], after: nil, now: now)
    }

    mutating func nextTransaction() -> ATTTransactionID {
        lastTransaction += 1
        return ATTTransactionID(rawValue: lastTransaction)
    }

    /// Carries out the effects of an event on the bearer to the device. The PDU of the event is passed on as it came.
    private mutating func carryOut(_ effects: [ATTBearer.Action], after pdu: [UInt8]?, now: Instant) -> [Action] {
        var actions: [Action] = []
        for effect in effects {
            switch effect {
            case .send(let pdu): actions.append(.sendToDevice(pdu))
            case .completed(_, let result): actions += completed(result, pdu, now: now)
            case .received(let value): if let pdu { actions += received(value, pdu, now: now) }
            case .close(let failure): actions.append(.closeLink(failure))
            case .report(let diagnostic): actions.append(.report(.device(diagnostic)))
            case .serve, .indicationConfirmed, .indicationFailed: break
            }
        }
        return actions
    }

    /// The request on the wire was answered, or will not be.
    private mutating func completed(
        _ result: Result<ATTResponse, ATTFailure>,
        _ pdu: [UInt8]?,
        now: Instant
    ) -> [Action] {
        guard let job else { return [] }
        self.job = nil
        let answer: [UInt8]?
        switch result {
        case .success, .failure(.errorResponse), .failure(.invalidResponse): answer = pdu
        case .failure(.tooLong):
            // It came before the exchange of the MTU.
            if case .request(let request, _) = job {
                answer = request.refused(.invalidPDU).encoded()
            } else {
                answer = nil
            }
        // The link ends, which every client is notified of.
        case .failure: answer = nil
        }
        if case .success(let response) = result { learn(from: response, to: job) }
        switch job {
        case .mtu: isMTUExchanged = true
        case .type(let handle): if answer != nil { types.typeRefused(handle) }
        case .cancelWrites: writes = nil
        case .configuration(let descriptor, let value, let client, let before):
            return configured(descriptor, value, for: client, before: before, result, answer)
        case .request(let request, let client): return answered(request, of: client, result, answer, now: now)
        }
        return []
    }

    /// Remembers the types of attributes that an answer contains.
    mutating func learn(from response: ATTResponse, to job: Job) {
        switch (response, job) {
        case (.findInformation(let response), _):
            for entry in response.entries { types.learn(entry.uuid, of: entry.handle) }
        case (.readByType(let response), .request(.readByType(let request), _))
        where request.attributeType == .characteristicDeclaration:
            for entry in response.entries { types.learn(.characteristicDeclaration, of: entry.handle) }
        default: break
        }
    }
}

extension SharedBearer.Note: CustomStringConvertible {
    /// The note in words, for the process that holds the link.
    var description: String {
        switch self {
        case .device(let diagnostic): diagnostic.description
        case .malformed(let error): "refused a malformed request of a command: \(error)"
        case .tooLong(let opcode): "refused a \(opcode) that is longer than the MTU"
        case .configurationRefused(let handle): "the device refuses to switch \(handle) on or off"
        }
    }
}
