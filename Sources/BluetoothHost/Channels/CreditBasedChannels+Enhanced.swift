// SPDX-License-Identifier: MIT

package import Bluetooth

// Enhanced channels: one signal opens several, and their limits may be raised later. Otherwise they are as the others,
// and share their numbers.

extension CreditBasedChannels {
    /// Whether all channels are of one service, and none is being closed.
    package func areOnly(_ service: SPSM) -> Bool {
        channels.values.allSatisfy { channel in
            switch channel {
            case .connecting(_, _, let spsm), .open(_, let spsm, _, _): spsm == service
            case .abandoned, .closing: false
            }
        }
    }

    /// Whether a channel is open, or is being opened for somebody who waits.
    package var isInUse: Bool {
        channels.values.contains { channel in
            switch channel {
            case .connecting, .open: true
            case .abandoned, .closing: false
            }
        }
    }

    /// Asks for several channels at once, five at most; for fewer if so many numbers are not free.
    package mutating func connect(to spsm: SPSM, _ service: ChannelOffer, count: Int) -> ([L2CAPChannelID], [Action]) {
        let numbers = Self.numbers.map { L2CAPChannelID(rawValue: $0) }.filter { !isUsed($0) }
        let sources = Array(numbers.prefix(min(count, EnhancedChannelSignal.channelLimit)))
        guard !sources.isEmpty else { return ([], []) }
        let identifier = nextIdentifier()
        for source in sources { channels[source] = .connecting(identifier: identifier, service, spsm) }
        let request = EnhancedChannelSignal.connectionRequest(spsm, service.limits, credits: service.window, sources)
        return (sources, [signal(request.signal, identifier)])
    }

    /// Takes a frame of the link, also one with a signal for several channels.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - security: The present security of the link, on which the answer to a request depends.
    package mutating func receivedAny(_ frame: L2CAPFrame, security: LinkSecurity) -> [Action] {
        guard frame.channel == .leSignaling, frame.payload.count <= L2CAPCommand.minimumMTU,
            let command = try? L2CAPCommand(decoding: frame.payload),
            let actions = received(command.signal, command.identifier, security)
        else { return received(frame, security: security) }
        return actions
    }

    /// Takes a signal for several channels; `nil` if it is of another kind, or malformed.
    private mutating func received(
        _ signal: L2CAPSignal,
        _ identifier: UInt8,
        _ security: LinkSecurity
    ) -> [Action]? {
        guard case .other(let code, let data) = signal else { return nil }
        switch try? EnhancedChannelSignal(code, data) {
        case .connectionRequest(let spsm, let limits, let credits, let sources)?:
            let (result, opened) = accept(sources, at: spsm, limits, credits, security)
            let service = services[spsm]
            let response = EnhancedChannelSignal.connectionResponse(
                service?.limits ?? limits,
                credits: service?.window ?? 0,
                result,
                opened.map { $0 ?? L2CAPChannelID(rawValue: 0) }
            )
            return [self.signal(response.signal, identifier)]
                + opened.compactMap { $0.map { .opened($0, spsm, peer: limits, byPeer: true) } }
        case .connectionResponse(let limits, let credits, let result, let destinations)?:
            // The answer is pending, and comes later.
            guard !(0x000D...0x000F).contains(result.rawValue) else { return [] }
            let numbers = numbers(awaiting: identifier).filter { awaitsAnswer($0, isEnhanced: true) }
            // Numbers are given in ascending order, so this order is that of the request.
            return numbers.enumerated().flatMap { index, number in
                let remote = destinations.indices.contains(index) ? destinations[index] : nil
                guard let remote, remote.rawValue != 0 else {
                    return refused(number, result == .successful ? .unacceptableParameters : result)
                }
                return opened(number, remote, limits, credits)
            }
        case .reconfigureRequest(let limits, let remotes)?:
            let result = EnhancedChannelSignal.reconfigureResponse(reconfigure(remotes, limits))
            return [self.signal(result.signal, identifier)]
        // This side never asks for that.
        case .reconfigureResponse?: return []
        case nil: return nil
        }
    }

    /// Opens channels that the peer asks for. Returns a number for each, or `nil`, and the result.
    private mutating func accept(
        _ sources: [L2CAPChannelID],
        at spsm: SPSM,
        _ limits: CreditBasedLimits,
        _ credits: UInt16,
        _ security: LinkSecurity
    ) -> (LECreditBasedConnectionResult, [L2CAPChannelID?]) {
        let none = [L2CAPChannelID?](repeating: nil, count: sources.count)
        guard let service = services[spsm], service.isEnhanced else { return (.spsmNotSupported, none) }
        if let obstacle = service.requirement.obstacle(on: security) { return (obstacle, none) }
        guard service.accepts(limits) else { return (.unacceptableParameters, none) }
        var result = LECreditBasedConnectionResult.successful
        // A number that comes twice is taken the second time.
        let opened = sources.map { source -> L2CAPChannelID? in
            switch accept(source, at: spsm, service, limits, credits) {
            case .success(let number): return number
            case .failure(let refusal):
                result = refusal.result
                return nil
            }
        }
        return (result, opened)
    }

    /// Changes what the peer can receive on its channels.
    private mutating func reconfigure(
        _ remotes: [L2CAPChannelID],
        _ limits: CreditBasedLimits
    ) -> EnhancedChannelSignal.ReconfigurationResult {
        let numbers = remotes.compactMap { number(ofRemote: $0) }
        let present = numbers.compactMap { channel($0)?.peer }
        guard present.count == remotes.count else { return .invalidCID }
        guard limits.areValid, min(limits.mtu, limits.mps) >= CreditBasedLimits.leastEnhanced else {
            return .unacceptableParameters
        }
        guard present.allSatisfy({ $0.mtu <= limits.mtu }) else { return .smallerMTU }
        guard present.count == 1 || present.allSatisfy({ $0.mps <= limits.mps }) else { return .smallerMPS }
        for number in numbers { _ = update(number) { $0.reconfigured(limits) } }
        return .successful
    }
}
