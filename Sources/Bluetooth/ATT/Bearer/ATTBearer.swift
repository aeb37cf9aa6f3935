// SPDX-License-Identifier: GPL-2.0-or-later

/// One ATT bearer: who may send what when, in both roles. Events go in, with the moment where it matters; actions come
/// out, to be carried out in their order. It does no I/O and reads no clock.
///
/// As client, one request is outstanding and the others stand in line; as server, one indication. Commands and
/// notifications go at once. A transaction that is not completed within 30 s ends the bearer, and nothing is sent again.
/// Every request and every indication that was submitted is completed exactly once.
///
/// Requests of the peer are handed out one at a time as `serve`, whatever its hurry; where no server is attached, the
/// bearer answers them as the server of an empty database. The MTU is the bearer's own business in both roles, and so are
/// confirmations and the refusal of what cannot be read.
///
/// Peers break rules, and many of those that do are devices that people use. What can be understood in one way only is
/// understood in that way, and reported:
/// - A response without a request, a second Exchange MTU Response (the exchange happens once, so it can answer nothing
///   else) and the answer to a cancelled request are ignored.
/// - An Error Response that names another request than the one outstanding is late, and ignored, where that request was
///   made and answered before; otherwise, 0x00 included, it has to mean the one outstanding. Error code 0x00 is an error.
/// - A PDU that is longer than the MTU, but not than what an exchange offers, is taken: somebody else may have agreed on
///   more while the link was his.
/// - Of a value that is longer than that, so much is taken: the rest can be asked for. Any other response that is longer, or
///   cannot be read, fails its request where its opcode is the right one; the next one goes on.
/// - A request before the last one was answered waits for its turn.
///
/// A response to another request than the one outstanding leaves no way to tell what answers what, and ends the bearer.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public struct ATTBearer: Sendable {
    /// What is to be done after an event.
    public enum Action: Equatable, Sendable {
        /// Send this PDU.
        case send([UInt8])
        /// The request came to its end. Said once for each.
        case completed(ATTTransactionID, Result<ATTResponse, ATTFailure>)
        /// The peer has the indication. This or `indicationFailed` is said once for each.
        case indicationConfirmed(ATTTransactionID)
        /// The peer does not have the indication, or never said so.
        case indicationFailed(ATTTransactionID, ATTFailure)
        /// The peer's server tells a value: a notification, a multiple-value notification, or an indication, which is
        /// confirmed already.
        case received(ATTServerPDU)
        /// The peer's client asks: a request, to be answered by `respond`, or a command. Only where a server is attached.
        case serve(ATTClientPDU)
        /// Close the channel: nothing more may be sent.
        case close(ATTFailure)
        /// Something odd happened, and was survived.
        case report(ATTDiagnostic)
    }

    /// Who answers the peer's requests.
    public enum Server: Sendable {
        /// The bearer, as the server of an empty database.
        case none
        /// The owner, by `respond`.
        case attached
    }

    /// How long a transaction may take: 30 s.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.3.3
    public static let transactionTimeout = Duration.seconds(30)

    /// The MTU of a bearer on LE before an exchange, and the least that one can agree on, in octets.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 5.2.1
    public static let minimumMTU: UInt16 = 23

    /// How many requests, and how many indications, may stand in line unless somebody says otherwise.
    public static let queueLimit = 64

    private enum State: Sendable {
        case open
        case closed
    }

    private var state = State.open
    var requests: ATTTransactionQueue<ATTRequest>
    var indications = ATTTransactionQueue<HandleValueIndication>(limit: queueLimit)
    var peerRequests = ATTPeerRequests()
    var sizes: ATTMTU
    /// The requests that were answered at least once: what a late Error Response may name.
    var answeredOpcodes: Set<ATTOpcode> = []
    let server: Server

    /// A bearer on a channel that is open.
    ///
    /// - Parameters:
    ///   - maximumMTU: The longest PDU that the channel can receive, in octets: what an MTU exchange offers.
    ///   - server: Who answers the peer's requests.
    ///   - requestLimit: How many requests of our own may stand in line.
    public init(maximumMTU: UInt16 = 517, server: Server = .none, requestLimit: Int = queueLimit) {
        requests = ATTTransactionQueue(limit: requestLimit)
        sizes = ATTMTU(offered: maximumMTU)
        self.server = server
    }

    /// The longest PDU that may be sent, in octets: 23 until exchanged.
    public var mtu: UInt16 { sizes.toSend }

    /// What an MTU exchange offers.
    public var maximumMTU: UInt16 { sizes.offered }

    /// Whether the bearer came to its end; nothing happens any more.
    public var isClosed: Bool {
        switch state {
        case .open: false
        case .closed: true
        }
    }

    /// The next moment at which `timerFired` has to be called.
    public var nextDeadline: Instant? {
        switch (requests.outstanding?.deadline, indications.outstanding?.deadline) {
        case (let request?, let indication?): min(request, indication)
        case (let deadline, nil), (nil, let deadline): deadline
        }
    }

    /// Whether the peer owes us an answer: the response to a request, or a confirmation.
    public var isAnswerAwaited: Bool { requests.outstanding != nil || indications.outstanding != nil }
}

// MARK: - What the owner wants

extension ATTBearer {
    /// Sends a request, or lets it wait for its turn.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: Names it in `completed` and `cancel`.
    ///   - now: The moment.
    public mutating func submit(_ request: ATTRequest, id: ATTTransactionID, now: Instant) -> [Action] {
        let overdue = timerFired(now: now)
        guard !isClosed else { return overdue + [.completed(id, .failure(.closed))] }
        if request.isExchangeMTU, sizes.isRequested || requests.contains(where: \.isExchangeMTU) {
            return [.completed(id, .failure(.mtuAlreadyExchanged))]
        }
        guard requests.append(.init(id: id, pdu: request)) else { return [.completed(id, .failure(.queueFull))] }
        return sendNextRequest(now: now)
    }

    /// Sends an indication, or lets it wait for its turn.
    public mutating func submitIndication(
        _ indication: HandleValueIndication,
        id: ATTTransactionID,
        now: Instant
    ) -> [Action] {
        let overdue = timerFired(now: now)
        guard !isClosed else { return overdue + [.indicationFailed(id, .closed)] }
        guard indications.append(.init(id: id, pdu: indication)) else { return [.indicationFailed(id, .queueFull)] }
        return sendNextIndication(now: now)
    }

    /// Sends a command. Throws, and sends nothing, where it is longer than the MTU or the bearer is closed.
    public mutating func submit(_ command: ATTCommand) throws(ATTFailure) -> [Action] {
        [.send(try sendable(command))]
    }

    /// Sends a notification. Throws, and sends nothing, where it is longer than the MTU or the bearer is closed.
    public mutating func submitNotification(_ notification: HandleValueNotification) throws(ATTFailure) -> [Action] {
        [.send(try sendable(notification))]
    }

    /// Sends a notification of several values, which only a client that said so understands. Throws, and sends nothing,
    /// where it is longer than the MTU or the bearer is closed.
    public mutating func submitNotification(
        _ notification: MultipleHandleValueNotification
    ) throws(ATTFailure) -> [Action] {
        [.send(try sendable(notification))]
    }

    /// Takes a request or an indication back. One that waits is dropped. One on the wire stays outstanding until its
    /// answer, which is swallowed, or until its 30 s are over; only then the next one goes.
    public mutating func cancel(_ id: ATTTransactionID) -> [Action] {
        if requests.cancel(id) { return [.completed(id, .failure(.cancelled))] }
        if indications.cancel(id) { return [.indicationFailed(id, .cancelled)] }
        return []
    }

    /// Ends the bearer: everyone who waits is told, once, and the channel is to be closed.
    public mutating func close() -> [Action] { end(.closed) }

    func sendable(_ pdu: some WireEncodable) throws(ATTFailure) -> [UInt8] {
        guard !isClosed else { throw .closed }
        let bytes = pdu.encoded()
        guard bytes.count <= Int(mtu) else { throw .tooLong(octets: bytes.count, mtu: mtu) }
        return bytes
    }

    /// Puts the first request that may be sent on the wire, where it is free.
    mutating func sendNextRequest(now: Instant) -> [Action] {
        var actions: [Action] = []
        while let entry = requests.popFirst() {
            do {
                actions.append(.send(try sendable(entry.pdu)))
                if entry.pdu.isExchangeMTU { sizes.isRequested = true }
                requests.began(entry, deadline: now + Self.transactionTimeout)
            } catch {
                actions.append(.completed(entry.id, .failure(error)))
            }
        }
        return actions
    }

    /// Puts the first indication that may be sent on the wire, where it is free.
    mutating func sendNextIndication(now: Instant) -> [Action] {
        var actions: [Action] = []
        while let entry = indications.popFirst() {
            do {
                actions.append(.send(try sendable(entry.pdu)))
                indications.began(entry, deadline: now + Self.transactionTimeout)
            } catch {
                actions.append(.indicationFailed(entry.id, error))
            }
        }
        return actions
    }
}

// MARK: - What happens

extension ATTBearer {
    /// The moment came that `nextDeadline` named: a transaction that is overdue ends the bearer. Earlier, nothing happens.
    public mutating func timerFired(now: Instant) -> [Action] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        return end(.timedOut)
    }

    /// The channel is gone: everyone who waits is told, once.
    public mutating func channelClosed() -> [Action] {
        state = .closed
        return failAll(.closed)
    }

    /// Everyone who waits gets the same failure, and the channel is to be closed.
    mutating func end(_ failure: ATTFailure) -> [Action] {
        switch state {
        case .closed:
            return []
        case .open:
            state = .closed
            return failAll(failure) + [.close(failure)]
        }
    }

    private mutating func failAll(_ failure: ATTFailure) -> [Action] {
        requests.drain().map { .completed($0, .failure(failure)) }
            + indications.drain().map { .indicationFailed($0, failure) }
    }
}

extension ATTRequest {
    var isExchangeMTU: Bool {
        switch self {
        case .exchangeMTU: true
        case .findInformation, .findByTypeValue, .readByType, .read, .readBlob, .readMultiple, .readByGroupType, .write,
            .prepareWrite, .executeWrite, .readMultipleVariable:
            false
        }
    }
}
