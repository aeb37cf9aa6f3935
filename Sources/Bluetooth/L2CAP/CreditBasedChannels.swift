// SPDX-License-Identifier: MIT

/// One end of a link, as far as credit-based channels are concerned: the signals that open and close them, and the
/// channels themselves.
///
/// It has no clock: an owner that waits no longer for an answer closes the channel.
///
/// Spec: Core 5.4, Vol 3, Part A, 4 and 10.1
public struct CreditBasedChannels: Sendable {
    /// A service that the other side may open channels to.
    public struct Service: Hashable, Sendable {
        /// The limits of this side for a channel.
        public var limits: CreditBasedLimits
        /// The number of credits that the other side gets at first, 0 to 65,535. It never holds more than that later.
        public var window: UInt16
        /// The maximum number of channels at a time; by default as many as there are numbers for channels: 64.
        public var mostChannels: Int
        /// The security that a channel needs.
        public var requirement: AccessRequirement
        /// Whether its channels are enhanced ones, which are opened by signals of their own.
        package var isEnhanced = false

        /// Creates a service.
        public init(
            limits: CreditBasedLimits,
            window: UInt16,
            mostChannels: Int = 64,
            requirement: AccessRequirement = .open
        ) {
            self.limits = limits
            self.window = window
            self.mostChannels = mostChannels
            self.requirement = requirement
        }

        /// Whether a peer with these limits can have its channels.
        ///
        /// Spec: Core 5.4, Vol 3, Part A, 4.22 and 4.25
        package func accepts(_ limits: CreditBasedLimits) -> Bool {
            limits.areValid && (!isEnhanced || min(limits.mtu, limits.mps) >= CreditBasedLimits.leastEnhanced)
        }
    }

    /// The work for the owner after an event.
    public enum Action: Hashable, Sendable {
        /// Send a frame on the link.
        case send(L2CAPFrame)
        /// A channel is open. If the peer has opened it, it is one of that service.
        case opened(L2CAPChannelID, SPSM, peer: CreditBasedLimits, byPeer: Bool)
        /// The peer has refused a channel.
        case refused(L2CAPChannelID, LECreditBasedConnectionResult)
        /// The peer does not know the request for a channel.
        case notUnderstood(L2CAPChannelID)
        /// Hand a service data unit to the consumer of a channel.
        case deliver([UInt8], L2CAPChannelID)
        /// A channel has ended, perhaps before it was open: the peer has closed it, or has broken a rule.
        case closed(L2CAPChannelID, CreditBasedChannel.Fault?)
    }

    package enum Channel: Sendable {
        /// The request was sent.
        case connecting(identifier: UInt8, Service, SPSM)
        /// The request was sent, and its owner is gone.
        case abandoned(identifier: UInt8)
        /// Units can be sent and received.
        case open(CreditBasedChannel, SPSM, remote: L2CAPChannelID, byPeer: Bool)
        /// The request to disconnect was sent.
        case closing(identifier: UInt8, remote: L2CAPChannelID)
    }

    /// The numbers of such channels.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 2.1
    public static let numbers: ClosedRange<UInt16> = 0x0040...0x007F

    package private(set) var services: [SPSM: Service] = [:]
    package var channels: [L2CAPChannelID: Channel] = [:]
    private var lastIdentifier: UInt8 = 0
    /// The octets that a packet to the controller carries; `nil` if there are no such packets.
    package var packetLength: Int?

    /// Creates an end without services and channels.
    public init() {}

    // MARK: - Services

    /// Offers a service. `false` if there is one with that number already.
    public mutating func offer(_ service: Service, at spsm: SPSM) -> Bool {
        guard services[spsm] == nil else { return false }
        services[spsm] = service
        return true
    }

    /// Withdraws a service. Its channels stay open.
    public mutating func withdraw(_ spsm: SPSM) { services[spsm] = nil }

    // MARK: - Channels

    /// Asks for a channel. `nil` if all numbers are in use.
    ///
    /// - Parameters:
    ///   - spsm: The service.
    ///   - service: What this side can receive.
    public mutating func connect(to spsm: SPSM, _ service: Service) -> (L2CAPChannelID, [Action])? {
        guard let number = freeNumber() else { return nil }
        let identifier = nextIdentifier()
        channels[number] = .connecting(identifier: identifier, service, spsm)
        let request = LECreditBasedConnectionRequest(
            spsm: spsm,
            source: number,
            limits: service.limits,
            initialCredits: service.window
        )
        return (number, [signal(.connectionRequest(request), identifier)])
    }

    /// Sends a service data unit.
    public mutating func send(_ unit: [UInt8], on number: L2CAPChannelID) -> [Action] {
        update(number) { $0.send(unit) }
    }

    /// The consumer of a channel has taken a unit.
    public mutating func unitTaken(on number: L2CAPChannelID) -> [Action] {
        update(number) { $0.unitTaken() }
    }

    /// Closes a channel, or gives up its opening. Units that wait for credits are not sent.
    public mutating func close(_ number: L2CAPChannelID) -> [Action] {
        switch channels[number] {
        case .connecting(let identifier, _, _):
            // A request cannot be taken back. If it is accepted later, the channel is closed then.
            channels[number] = .abandoned(identifier: identifier)
            return []
        case .open(_, _, let remote, _):
            return disconnect(number, remote)
        case .abandoned, .closing, nil:
            return []
        }
    }

    /// Whether no channel is open, being opened or being closed.
    public var isIdle: Bool { channels.isEmpty }

    /// Whether a channel has that number, which may be one that is being opened or closed.
    package func isUsed(_ number: L2CAPChannelID) -> Bool { channels[number] != nil }

    /// An open channel; `nil` if there is none with that number.
    public func channel(_ number: L2CAPChannelID) -> CreditBasedChannel? {
        guard case .open(let channel, _, _, _) = channels[number] else { return nil }
        return channel
    }

    /// The number of the channel at the other end; `nil` if the channel is not open.
    public func remoteNumber(of number: L2CAPChannelID) -> L2CAPChannelID? {
        guard case .open(_, _, let remote, _) = channels[number] else { return nil }
        return remote
    }

    private mutating func disconnect(_ number: L2CAPChannelID, _ remote: L2CAPChannelID) -> [Action] {
        let identifier = nextIdentifier()
        channels[number] = .closing(identifier: identifier, remote: remote)
        return [signal(.disconnectionRequest(destination: remote, source: number), identifier)]
    }

    /// Lets an open channel process an event, and translates its actions.
    package mutating func update(
        _ number: L2CAPChannelID,
        _ event: (inout CreditBasedChannel) -> [CreditBasedChannel.Action]
    ) -> [Action] {
        guard case .open(var channel, let spsm, let remote, let byPeer) = channels[number] else { return [] }
        // Only one reference may be left, or the channel's buffers would be copied. No signal has the identifier 0.
        channels[number] = .closing(identifier: 0, remote: remote)
        let results = event(&channel)
        channels[number] = .open(channel, spsm, remote: remote, byPeer: byPeer)
        return results.flatMap { result -> [Action] in
            switch result {
            case .send(let payload): [.send(L2CAPFrame(remote, payload))]
            case .grant(let credits): [signal(.flowControlCredit(number, credits: credits), nextIdentifier())]
            case .deliver(let unit): [.deliver(unit, number)]
            case .disconnect(let fault): disconnect(number, remote) + [.closed(number, fault)]
            }
        }
    }

    // MARK: - Frames

    /// Takes a frame of the link. Frames of other channels, and of none, are ignored.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - security: The present security of the link, on which the answer to a request depends.
    public mutating func received(_ frame: L2CAPFrame, security: LinkSecurity) -> [Action] {
        guard frame.channel == .leSignaling else { return update(frame.channel) { $0.frameReceived(frame.payload) } }
        // Signalling packets of more than 23 octets are refused. Spec: Core 5.4, Vol 3, Part A, 4
        guard frame.payload.count <= L2CAPCommand.minimumMTU else {
            return reject(frame, .signalingMTUExceeded(UInt16(L2CAPCommand.minimumMTU)))
        }
        let command: L2CAPCommand
        do throws(DecodeError) {
            command = try L2CAPCommand(decoding: frame.payload)
        } catch {
            return reject(frame, .notUnderstood)
        }
        return received(command, security)
    }

    private mutating func received(_ command: L2CAPCommand, _ security: LinkSecurity) -> [Action] {
        switch command.signal {
        case .connectionRequest(let request): return answer(request, command.identifier, security)
        case .connectionResponse(let response): return answered(response, command.identifier)
        // Credits for a channel that is closed here may still be under way.
        case .flowControlCredit(let remote, let credits):
            guard let number = number(ofRemote: remote) else { return [] }
            return update(number) { $0.creditsReceived(credits) }
        case .disconnectionRequest(let number, let source): return disconnected(number, source, command.identifier)
        case .disconnectionResponse(let remote, let number):
            // Both numbers have to fit, because the response may be of an earlier channel with one of them.
            if case .closing(_, remote)? = channels[number] { channels[number] = nil }
            return []
        case .commandReject: return rejected(command.identifier)
        case .other:
            return command.signal.isResponse ? [] : [signal(.commandReject(.notUnderstood), command.identifier)]
        }
    }

    private mutating func answer(
        _ request: LECreditBasedConnectionRequest,
        _ identifier: UInt8,
        _ security: LinkSecurity
    ) -> [Action] {
        func refusal(_ result: LECreditBasedConnectionResult) -> [Action] {
            [signal(.connectionResponse(.refusal(result)), identifier)]
        }
        // The service comes first, because it decides about the other checks. An unknown one is unknown with any
        // security.
        guard let service = services[request.spsm], !service.isEnhanced else { return refusal(.spsmNotSupported) }
        if let result = service.requirement.obstacle(on: security) { return refusal(result) }
        guard service.accepts(request.limits) else { return refusal(.unacceptableParameters) }
        let number: L2CAPChannelID
        switch accept(request.source, at: request.spsm, service, request.limits, request.initialCredits) {
        case .success(let accepted): number = accepted
        case .failure(let failure): return refusal(failure.result)
        }
        let response = LECreditBasedConnectionResponse(
            destination: number,
            limits: service.limits,
            initialCredits: service.window,
            result: .successful
        )
        return [
            signal(.connectionResponse(response), identifier),
            .opened(number, request.spsm, peer: request.limits, byPeer: true),
        ]
    }

    package struct Refusal: Error {
        package let result: LECreditBasedConnectionResult
    }

    /// Opens a channel that the peer asks for, if there is room. Returns its number.
    package mutating func accept(
        _ source: L2CAPChannelID,
        at spsm: SPSM,
        _ service: Service,
        _ limits: CreditBasedLimits,
        _ credits: UInt16
    ) -> Result<L2CAPChannelID, Refusal> {
        func refusal(_ result: LECreditBasedConnectionResult) -> Result<L2CAPChannelID, Refusal> {
            .failure(Refusal(result: result))
        }
        guard Self.numbers.contains(source.rawValue) else { return refusal(.invalidSourceCID) }
        guard number(ofRemote: source) == nil else { return refusal(.sourceCIDAlreadyAllocated) }
        guard count(of: spsm) < service.mostChannels, let number = freeNumber() else { return refusal(.noResources) }
        open(number, source, service, spsm, limits, credits, byPeer: true)
        return .success(number)
    }

    private mutating func open(
        _ number: L2CAPChannelID,
        _ remote: L2CAPChannelID,
        _ service: Service,
        _ spsm: SPSM,
        _ limits: CreditBasedLimits,
        _ credits: UInt16,
        byPeer: Bool
    ) {
        var channel = CreditBasedChannel(
            own: service.limits,
            peer: limits,
            window: service.window,
            initialCredits: credits
        )
        channel.packetLength = packetLength
        channels[number] = .open(channel, spsm, remote: remote, byPeer: byPeer)
    }

    /// Takes the answer to a request of this side. An answer to nothing is ignored.
    private mutating func answered(_ response: LECreditBasedConnectionResponse, _ identifier: UInt8) -> [Action] {
        // The request with that identifier may have been another one.
        guard let number = numbers(awaiting: identifier).first, awaitsAnswer(number, isEnhanced: false) else {
            return []
        }
        guard response.result == .successful else { return refused(number, response.result) }
        return opened(number, response.destination, response.limits, response.initialCredits)
    }

    package mutating func refused(_ number: L2CAPChannelID, _ result: LECreditBasedConnectionResult) -> [Action] {
        defer { channels[number] = nil }
        return isAbandoned(number) ? [] : [.refused(number, result)]
    }

    /// The peer has opened a channel that this side has asked for.
    package mutating func opened(
        _ number: L2CAPChannelID,
        _ remote: L2CAPChannelID,
        _ limits: CreditBasedLimits,
        _ credits: UInt16
    ) -> [Action] {
        // Without its own number at the peer, the channel could neither be used nor be closed.
        guard Self.numbers.contains(remote.rawValue), self.number(ofRemote: remote) == nil else {
            return refused(number, .unacceptableParameters)
        }
        // If it was abandoned in the meantime or cannot be used, the peer must learn that it is closed.
        guard case .connecting(_, let service, let spsm)? = channels[number] else { return disconnect(number, remote) }
        guard service.accepts(limits) else {
            return disconnect(number, remote) + [.closed(number, .limitsOutOfRange(limits))]
        }
        open(number, remote, service, spsm, limits, credits, byPeer: false)
        return [.opened(number, spsm, peer: limits, byPeer: false)]
    }

    private mutating func disconnected(
        _ number: L2CAPChannelID,
        _ source: L2CAPChannelID,
        _ identifier: UInt8
    ) -> [Action] {
        let response = signal(.disconnectionResponse(destination: number, source: source), identifier)
        switch channels[number] {
        case .open(_, _, source, _)?:
            channels[number] = nil
            return [response, .closed(number, nil)]
        case .closing(_, source)?:
            // Both sides close at the same time.
            channels[number] = nil
            return [response]
        case .open?, .closing?:
            // The numbers do not belong together (4.6).
            return []
        // A channel that is only requested has no number at the peer, so that the request cannot mean it.
        case .connecting?, .abandoned?, nil:
            return [signal(.commandReject(.invalidCID(local: number, remote: source)), identifier)]
        }
    }

    private mutating func rejected(_ identifier: UInt8) -> [Action] {
        numbers(awaiting: identifier).compactMap { number in
            defer { channels[number] = nil }
            // A peer that refuses to disconnect has no such channel. In that case, and if the request was abandoned, the
            // owner is gone.
            if case .connecting? = channels[number] { return .notUnderstood(number) }
            return nil
        }
    }

    private func reject(_ frame: L2CAPFrame, _ rejection: L2CAPRejection) -> [Action] {
        // Without an identifier there is nothing to answer, and a response is never answered.
        // An identifier of 0 is invalid. Spec: Core 5.4, Vol 3, Part A, 4
        guard frame.payload.count >= 2, frame.payload[1] != 0 else { return [] }
        let code = frame.payload[0]
        // `other` only knows the responses that have no case of their own; the codes of the others are added.
        let isResponse = L2CAPSignal.other(code: code, data: []).isResponse || [0x01, 0x07, 0x15].contains(code)
        return isResponse ? [] : [signal(.commandReject(rejection), frame.payload[1])]
    }

    // MARK: - Numbers

    package func signal(_ signal: L2CAPSignal, _ identifier: UInt8) -> Action {
        .send(L2CAPFrame(.leSignaling, L2CAPCommand(identifier, signal).encoded()))
    }

    private func freeNumber() -> L2CAPChannelID? {
        Self.numbers.lazy.map { L2CAPChannelID(rawValue: $0) }.first { channels[$0] == nil }
    }

    private func count(of spsm: SPSM) -> Int {
        channels.values.count { channel in
            if case .open(_, spsm, _, true) = channel { true } else { false }
        }
    }

    package func number(ofRemote remote: L2CAPChannelID) -> L2CAPChannelID? {
        // There are 64 channels at most, so that a search is short.
        channels.first { _, channel in
            if case .open(_, _, remote, _) = channel { true } else { false }
        }?.key
    }

    /// The channels whose request, or whose end, has that identifier, in ascending order.
    package func numbers(awaiting identifier: UInt8) -> [L2CAPChannelID] {
        let waiting = channels.filter { _, channel in
            switch channel {
            case .connecting(identifier, _, _), .abandoned(identifier), .closing(identifier, _): true
            case .connecting, .abandoned, .open, .closing: false
            }
        }
        return waiting.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether a channel was asked for by a signal of that kind. An abandoned one may be of either.
    package func awaitsAnswer(_ number: L2CAPChannelID, isEnhanced: Bool) -> Bool {
        switch channels[number] {
        case .connecting(_, let service, _)?: service.isEnhanced == isEnhanced
        case .abandoned?: true
        case .open?, .closing?, nil: false
        }
    }

    private func isAbandoned(_ number: L2CAPChannelID) -> Bool {
        if case .abandoned? = channels[number] { true } else { false }
    }

    /// The next identifier that no request of this side has. There are fewer requests than identifiers.
    package mutating func nextIdentifier() -> UInt8 {
        repeat {
            // 0 is not a valid identifier.
            lastIdentifier = lastIdentifier == 255 ? 1 : lastIdentifier + 1
        } while !numbers(awaiting: lastIdentifier).isEmpty
        return lastIdentifier
    }
}

extension AccessRequirement {
    /// The reason why a link has too little security for a channel; `nil` if it has enough.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 4.23
    package func obstacle(on security: LinkSecurity) -> LECreditBasedConnectionResult? {
        if isOpen { return nil }
        // Every key has 7 octets or more, so that a larger minimum implies encryption.
        if !security.isEncrypted, encryption || authentication || minimumKeySize > 7 {
            // With a bond, encryption suffices; without one, the peer has to pair first.
            return security.hasBond ? .insufficientEncryption : .insufficientAuthentication
        }
        if authentication, !security.isAuthenticated { return .insufficientAuthentication }
        if security.isEncrypted, security.keySize < minimumKeySize { return .encryptionKeySizeTooShort }
        return authorization && !security.isAuthorized ? .insufficientAuthorization : nil
    }
}
