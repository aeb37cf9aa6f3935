// SPDX-License-Identifier: MIT

public import Bluetooth

/// The bearers of the links: their opening and their end, and the way of a PDU between the channel, the faults, the bearer
/// and the server.
extension DeviceMachine {
    /// The smallest MTU of an enhanced bearer.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 5.3.1
    private static let minimumEnhancedMTU: UInt16 = 64

    /// The numbers of a client's enhanced bearers.
    private static let enhancedNumbers: ClosedRange<UInt8> = 1...5

    // MARK: - Enhanced bearers

    /// Whether the device tells clients that they may open enhanced bearers: its Server Supported Features has the bit.
    public var hasEnhancedBearers: Bool { featuresWithBearers != nil }

    /// The radio has no enhanced bearers: the device does not tell of them from now on.
    public mutating func withholdEnhancedBearers() {
        withholdsBearers = true
        guard let (handle, features) = featuresWithBearers else { return }
        server.setValue([features.subtracting(.enhancedATTBearer).rawValue], of: handle)
    }

    private var featuresWithBearers: (handle: Handle, features: ServerFeatures)? {
        guard let handle = database.characteristic(.serverSupportedFeatures, in: .genericAttribute)?.valueHandle,
            let features = database[handle]?.value?.first.map(ServerFeatures.init(rawValue:)),
            features.contains(.enhancedATTBearer)
        else { return nil }
        return (handle, features)
    }

    /// A client has opened an enhanced bearer. Returns its identifier until `bearerClosed`; `nil` if the channel has to be
    /// closed, because there are enough of them, or its MTU is below that of the specification.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - mtu: The smaller one of the MTUs of the channel's directions, in octets.
    public mutating func bearerOpened(by client: GATTServer.ClientID, mtu: UInt16) -> GATTServer.BearerID? {
        let names = Self.enhancedNumbers.lazy.map { GATTServer.BearerID(client, $0) }
        guard mtu >= Self.minimumEnhancedMTU, sessions[client] != nil,
            let bearer = names.first(where: { bearers[$0] == nil })
        else { return nil }
        bearers[bearer] = Bearer(att: ATTBearer(enhancedMTU: mtu, server: .attached))
        return bearer
    }

    /// An enhanced bearer has ended, and its link has not: its request gets no answer, and its indication is not confirmed.
    public mutating func bearerClosed(_ bearer: GATTServer.BearerID, now: Instant) -> [Action] {
        guard bearer.number > 0, var ended = bearers.removeValue(forKey: bearer) else { return [] }
        faults.closed(bearer)
        delayed.removeAnswers { $0 == bearer }
        held?.removeAll { $0.bearer == bearer }
        let actions =
            perform(ended.att.channelClosed(), from: bearer, now: now)
            + perform(server.bearerClosed(bearer), now: now)
        delayed.removeReplies(unless: { server.awaits($0) })
        return actions
    }

    // MARK: - Values without a request

    /// The bearer over which a client gets notifications: the one with the largest MTU takes every value whole, and because it
    /// is always the same, the values stay in order.
    func widestBearer(of client: GATTServer.ClientID) -> GATTServer.BearerID? {
        bearers.lazy.filter { $0.key.client == client && !$0.value.att.isClosed }
            // The first one of equals.
            .max { ($0.value.att.mtu, $1.key.number) < ($1.value.att.mtu, $0.key.number) }?.key
    }

    /// Indicates a value over the bearer on which an earlier one of it waits, so that they stay in order, or over a free one.
    mutating func indicate(
        _ indication: HandleValueIndication,
        to client: GATTServer.ClientID,
        now: Instant
    ) -> [Action] {
        let length = indication.encoded().count
        let able = bearers.filter {
            $0.key.client == client && !$0.value.att.isClosed && length <= Int($0.value.att.mtu)
        }.sorted { $0.key < $1.key }
        let chosen =
            able.first { $0.value.att.isIndicating(indication.handle) }
            ?? able.first { !$0.value.att.isAnswerAwaited }
        guard let bearer = chosen?.key ?? widestBearer(of: client) else { return [] }
        // By its handle: the values of one attribute are confirmed in their order.
        let id = ATTTransactionID(rawValue: UInt64(indication.handle.rawValue))
        let actions = bearers[bearer]?.att.submitIndication(indication, id: id, now: now) ?? []
        return perform(actions, from: bearer, now: now)
    }

    // MARK: - The way of a PDU

    /// Whether the link of a client is about to end, or has ended.
    func isSilent(_ client: GATTServer.ClientID) -> Bool { sessions[client]?.isSilent != false }

    /// Carries out the steps of the fault layer, until one of them ends the link.
    mutating func perform(_ steps: [FaultLayer.Step], of bearer: GATTServer.BearerID, now: Instant) -> [Action] {
        let client = bearer.client
        return steps.flatMap { step -> [Action] in
            guard !isSilent(client) else { return [] }
            switch step {
            case .deliver(let bytes):
                if let verdict = bearers[bearer]?.verdicts.removeValue(forKey: bytes) {
                    return serveSigned(bytes, verdict, from: bearer, now: now)
                }
                let actions = bearers[bearer]?.att.pduReceived(bytes, now: now) ?? []
                return perform(actions, from: bearer, now: now)
            case .send(let bytes):
                return [.send(bearer, bytes)]
            case .refused(let request, let answer):
                let exchange = DeviceExchange(
                    client: client,
                    request: .request(request),
                    place: ATTClientPDU.request(request).handle.flatMap { server.database.place(of: $0) },
                    answer: .failure(answer)
                )
                return [.report(.exchanged(exchange))]
            case .hangUp(let reason):
                sessions[client]?.isSilent = true
                return [.hangUp(client, reason)]
            case .report(let rule):
                return [.report(.fault(client, rule))]
            }
        }
    }

    /// Carries out the actions of a bearer. Its PDUs pass the fault layer first.
    mutating func perform(_ actions: [ATTBearer.Action], from bearer: GATTServer.BearerID, now: Instant) -> [Action] {
        let client = bearer.client
        return actions.flatMap { action -> [Action] in
            switch action {
            case .send(let bytes):
                guard !isSilent(client) else { return [] }
                return perform(faults.pduSent(bytes, to: bearer, server.database, now: now), of: bearer, now: now)
            case .serve(let pdu):
                return serve(pdu, of: bearer, now: now)
            case .indicationConfirmed(let id):
                if let session = sessions[client], server.dependsOnSecurity(.confirmation, from: client) {
                    server.linkChanged(client, security: session.security())
                }
                return perform(server.confirmationReceived(from: client, of: Handle(of: id)), now: now)
            case .indicationFailed(let id, _):
                return perform(server.indicationFailed(to: client, of: Handle(of: id)), now: now)
            case .close(let failure):
                // A device sends no requests, so the timeout is that of a confirmation. The device gives up the bearer.
                let unconfirmed: [Action] = failure == .timedOut ? [.report(.odd(client, .unconfirmedIndication))] : []
                let isEnhanced = bearer.number > 0
                return unconfirmed
                    + [isEnhanced ? .close(bearer) : .hangUp(client, .remoteUserTerminatedConnection)]
            case .report(let diagnostic):
                return [.report(.odd(client, diagnostic))]
            case .completed, .received:
                return []
            }
        }
    }

    /// Passes a request or a command to the server. A command is reported at once, a request together with its answer.
    /// The bearer delivers one request at a time, so there is at most one to remember.
    private mutating func serve(_ pdu: ATTClientPDU, of bearer: GATTServer.BearerID, now: Instant) -> [Action] {
        let client = bearer.client
        guard let session = sessions[client], let mtu = bearers[bearer]?.att.mtu else { return [] }
        let place = pdu.handle.flatMap { server.database.place(of: $0) }
        var reported: [Action] = []
        if case .request(let request) = pdu {
            bearers[bearer]?.served = (request, place)
        } else {
            reported = [.report(.exchanged(DeviceExchange(client: client, request: pdu, place: place, answer: nil)))]
        }
        let isOfInterest = server.dependsOnSecurity(pdu, from: client)
        let security = isOfInterest ? session.security() : server.security(of: client)
        let actions = server.requestReceived(pdu, from: bearer, mtu: mtu, security: security)
        return reported + perform(actions, now: now)
    }

    /// Serves a signed write if its signature is right.
    private mutating func serveSigned(
        _ bytes: [UInt8],
        _ verdict: SignatureVerdict,
        from bearer: GATTServer.BearerID,
        now: Instant
    ) -> [Action] {
        let client = bearer.client
        guard let session = sessions[client], let state = bearers[bearer], bytes.count <= Int(maximumMTU),
            let pdu = try? ATTClientPDU(decoding: bytes), case .command(.signedWrite(let write)) = pdu
        else { return perform(bearers[bearer]?.att.pduReceived(bytes, now: now) ?? [], from: bearer, now: now) }
        let place = server.database.place(of: write.handle)
        let exchange = DeviceExchange(client: client, request: pdu, place: place, answer: nil, signature: verdict)
        let reported = Action.report(.exchanged(exchange))
        guard case .valid(let isAuthenticated) = verdict else {
            return [reported, .report(.odd(client, .signatureRefused(write.handle, verdict)))]
        }
        let actions = server.signedWriteReceived(
            write,
            from: client,
            mtu: state.att.mtu,
            security: session.security(),
            isAuthenticated: isAuthenticated
        )
        return [reported] + perform(actions, now: now)
    }

    mutating func respond(_ answer: ATTAnswer, over bearer: GATTServer.BearerID, now: Instant) -> [Action] {
        guard held == nil else {
            held?.append((bearer, answer))
            return []
        }
        let served = bearers[bearer]?.served
        bearers[bearer]?.served = nil
        let actions = perform(bearers[bearer]?.att.respond(answer) ?? [], from: bearer, now: now)
        guard let (request, place) = served else { return actions }
        let exchange = DeviceExchange(client: bearer.client, request: .request(request), place: place, answer: answer)
        return [.report(.exchanged(exchange))] + actions
    }
}

extension Handle {
    /// The attribute whose value an indication has.
    fileprivate init(of indication: ATTTransactionID) { self.init(UInt16(truncatingIfNeeded: indication.rawValue)) }
}
