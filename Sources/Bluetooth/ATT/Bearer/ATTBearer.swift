// SPDX-License-Identifier: MIT

/// One ATT bearer: the rules about the order of PDUs, in both roles. Events go in, with their time where it matters;
/// actions come out, to be performed in order. The bearer does no I/O and reads no clock.
///
/// One request and one indication may be outstanding; others wait in a queue. Commands and notifications are sent at
/// once. A transaction that is not complete after 30 s ends the bearer, and nothing is sent again. Every submitted
/// request or indication is completed exactly once.
///
/// Requests of the peer are handed out one at a time as `serve`. Without a server the bearer answers them as a server
/// with an empty database, because a peer without answers would give up the connection. In both roles the bearer itself
/// handles the MTU, confirmations, and refusals of malformed PDUs.
///
/// Many devices in use break the rules. If a PDU can have only one meaning, it gets that meaning, and is reported:
/// - A response without a request, a second Exchange MTU Response (the exchange happens once, so that it can answer
///   nothing else) and the response to a cancelled request are ignored.
/// - An Error Response that names another request than the outstanding one is late if that request was answered before,
///   and is ignored. Otherwise, even with opcode 0x00, it can only mean the outstanding request. Error code 0x00 is an
///   error.
/// - A PDU that is longer than the agreed MTU is accepted up to the size that an exchange offers: another program may
///   have agreed on more during its use of the link.
/// - A value that is longer than that is cut, because the rest can be requested. Any other response that is longer, or
///   is malformed, fails its request if its opcode is right; the next request follows.
/// - A request before the answer to the previous one waits for its turn.
///
/// A response to another request than the outstanding one ends the bearer, because later responses could no longer be
/// assigned: ATT has no transaction numbers.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3
public struct ATTBearer: Sendable {
    /// The effects of an event.
    public enum Action: Equatable, Sendable {
        /// Send this PDU.
        case send([UInt8])
        /// The request is complete. Occurs once for each.
        case completed(ATTTransactionID, Result<ATTResponse, ATTFailure>)
        /// The peer has received the indication. This or `indicationFailed` occurs once for each.
        case indicationConfirmed(ATTTransactionID)
        /// The peer has not received the indication, or has not confirmed it.
        case indicationFailed(ATTTransactionID, ATTFailure)
        /// The peer's server sent a value: a notification, a multiple-value notification, or an indication, which is
        /// confirmed already.
        case received(ATTServerPDU)
        /// The peer's client sent a request, to be answered by `respond`, or a command. Only if a server is attached.
        case serve(ATTClientPDU)
        /// Close the channel. Nothing may be sent any more.
        case close(ATTFailure)
        /// The peer broke a rule, and the bearer continues.
        case report(ATTDiagnostic)
    }

    /// The component that answers the peer's requests.
    public enum Server: Sendable {
        /// The bearer, as the server of an empty database.
        case none
        /// The owner, by `respond`.
        case attached
    }

    /// The maximum duration of a transaction: 30 s.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.3.3
    public static let transactionTimeout = Duration.seconds(30)

    /// The MTU of an LE bearer before an exchange, in octets, and the minimum result of one.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 5.2.1
    public static let minimumMTU: UInt16 = 23

    /// The default limit for waiting requests, and the limit for waiting indications. Only one of each can be
    /// outstanding, so a peer that answers slowly would make a queue without a limit grow.
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
    /// The kinds of requests that were answered at least once. Only these can be named by a late Error Response.
    var answeredOpcodes: Set<ATTOpcode> = []
    /// The MTU when the outstanding request was sent, in octets.
    private(set) var requestMTU = minimumMTU
    /// The MTU of the last response, in octets: a value that fills it may have been cut.
    ///
    /// It is the MTU when the request was sent, because a peer that exchanges the MTU before it answers may still
    /// respond with the old one; or the present MTU, if that is smaller.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.2.2
    package internal(set) var responseMTU = minimumMTU
    let server: Server

    /// Creates a bearer on an open channel.
    ///
    /// - Parameters:
    ///   - maximumMTU: The longest PDU that the channel can receive, in octets. An MTU exchange offers it.
    ///   - server: The component that answers the peer's requests.
    ///   - requestLimit: The maximum number of waiting requests.
    public init(maximumMTU: UInt16 = 517, server: Server = .none, requestLimit: Int = queueLimit) {
        requests = ATTTransactionQueue(limit: requestLimit)
        sizes = ATTMTU(offered: maximumMTU)
        self.server = server
    }

    /// Creates an enhanced bearer, whose MTU in octets is known from its opening. An exchange of the MTU is refused.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.11; Vol 3, Part G, 5.3.1
    public init(enhancedMTU mtu: UInt16, server: Server = .none, requestLimit: Int = queueLimit) {
        self.init(server: server, requestLimit: requestLimit)
        sizes = ATTMTU(fixed: mtu)
    }

    /// The longest PDU that may be sent, in octets: 23 before an exchange.
    public var mtu: UInt16 { sizes.toSend }

    /// The size that an MTU exchange offers, in octets.
    public var maximumMTU: UInt16 { sizes.offered }

    /// Whether this side has sent its request for the exchange, rather than queued it.
    package var isMTUExchangeSent: Bool { sizes.isRequested }

    /// Whether the bearer has ended. Further events have no effect.
    public var isClosed: Bool {
        switch state {
        case .open: false
        case .closed: true
        }
    }

    /// The time at which `timerFired` must be called.
    public var nextDeadline: Instant? {
        switch (requests.outstanding?.deadline, indications.outstanding?.deadline) {
        case (let request?, let indication?): min(request, indication)
        case (let deadline, nil), (nil, let deadline): deadline
        }
    }

    /// Whether the peer has to send a response or a confirmation.
    public var isAnswerAwaited: Bool { requests.outstanding != nil || indications.outstanding != nil }

    /// Whether an indication of that value is not confirmed, or was not sent yet.
    package func isIndicating(_ handle: Handle) -> Bool { indications.contains { $0.handle == handle } }
}

// MARK: - Requests of the owner

extension ATTBearer {
    /// Sends a request, or queues it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - id: The number of the request in `completed` and `cancel`.
    ///   - now: The current time.
    public mutating func submit(_ request: ATTRequest, id: ATTTransactionID, now: Instant) -> [Action] {
        // The deadline may have passed without a call of the timer. Unless that ends the bearer, `overdue` is empty.
        let overdue = timerFired(now: now)
        guard !isClosed else { return overdue + [.completed(id, .failure(.closed))] }
        // A client exchanges the MTU once at most. Spec: Core 5.4, Vol 3, Part F, 3.4.2.1
        if request.isExchangeMTU, sizes.isRequested || requests.contains(where: \.isExchangeMTU) {
            return [.completed(id, .failure(.mtuAlreadyExchanged))]
        }
        guard requests.append(.init(id: id, pdu: request)) else { return [.completed(id, .failure(.queueFull))] }
        return sendNextRequest(now: now)
    }

    /// Sends an indication, or queues it.
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

    /// Sends a command. Throws and sends nothing if it is longer than the MTU or the bearer is closed.
    public mutating func submit(_ command: ATTCommand) throws(ATTFailure) -> [Action] {
        [.send(try sendable(command))]
    }

    /// Sends a notification. Throws and sends nothing if it is longer than the MTU or the bearer is closed.
    public mutating func submitNotification(_ notification: HandleValueNotification) throws(ATTFailure) -> [Action] {
        [.send(try sendable(notification))]
    }

    /// Sends a notification of several values, for clients that have announced support. Throws and sends nothing if it
    /// is longer than the MTU or the bearer is closed.
    public mutating func submitNotification(
        _ notification: MultipleHandleValueNotification
    ) throws(ATTFailure) -> [Action] {
        [.send(try sendable(notification))]
    }

    /// Cancels a request or an indication. A waiting one is dropped. One that was sent stays outstanding until its
    /// answer, which is ignored, or until its 30 s are over. The next one waits until then, because the late answer
    /// would be taken for its own.
    public mutating func cancel(_ id: ATTTransactionID) -> [Action] {
        if requests.cancel(id) { return [.completed(id, .failure(.cancelled))] }
        if indications.cancel(id) { return [.indicationFailed(id, .cancelled)] }
        return []
    }

    /// Ends the bearer. Every waiting transaction fails once, and the channel has to be closed.
    public mutating func close() -> [Action] { end(.closed) }

    func sendable(_ pdu: some WireEncodable) throws(ATTFailure) -> [UInt8] {
        guard !isClosed else { throw .closed }
        let bytes = pdu.encoded()
        guard bytes.count <= Int(mtu) else { throw .tooLong(octets: bytes.count, mtu: mtu) }
        return bytes
    }

    /// Sends the next request that can be sent, if none is outstanding.
    mutating func sendNextRequest(now: Instant) -> [Action] {
        var actions: [Action] = []
        // A request that does not fit fails alone, and the next one gets its turn. Once one is sent, the loop ends.
        while let entry = requests.popFirst() {
            do {
                actions.append(.send(try sendable(entry.pdu)))
                // Noted when it is sent: an exchange that was cancelled in the queue may be requested again.
                if entry.pdu.isExchangeMTU { sizes.isRequested = true }
                requestMTU = mtu
                requests.began(entry, deadline: now + Self.transactionTimeout)
            } catch {
                actions.append(.completed(entry.id, .failure(error)))
            }
        }
        return actions
    }

    /// Sends the next indication that can be sent, if none is outstanding.
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

// MARK: - Events

extension ATTBearer {
    /// Ends the bearer if a transaction is overdue. Does nothing before `nextDeadline`.
    public mutating func timerFired(now: Instant) -> [Action] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        // No other request may be sent on a bearer whose transaction has timed out. Spec: Core 5.4, Vol 3, Part
        // F, 3.3.3
        return end(.timedOut)
    }

    /// Ends the bearer because the channel has ended. Every waiting transaction fails once.
    public mutating func channelClosed() -> [Action] {
        // There is no `close` among the actions, because the channel has ended already.
        state = .closed
        return failAll(.closed)
    }

    /// Ends the bearer. Every waiting transaction gets the same failure, and the channel has to be closed.
    mutating func end(_ failure: ATTFailure) -> [Action] {
        switch state {
        case .closed:
            // A second end has nothing to fail any more.
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
