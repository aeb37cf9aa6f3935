// SPDX-License-Identifier: MIT

public import Bluetooth

/// The change of a connection's properties, one procedure after the other.
///
/// Events in, actions out. Each wait has the same deadline, counted from the command. A procedure that collides with
/// another one, of the peer or of another program, is repeated after a pause until then.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.18, 7.8.21, 7.8.33, 7.8.49 and 7.8.124
public struct LinkUpdate: Sendable {
    /// The outcome of a setting.
    public enum Outcome: Hashable, Sendable {
        /// The link is as it was wanted.
        case reached
        /// The procedure has succeeded, and the link is different nevertheless: one of the two sides does not do more.
        case different
        /// The peer has refused, with this reason.
        case refused(HCIStatus)
        /// The controller of this machine has refused the command: it lacks the feature, or does not accept the
        /// parameters. After a reason that may pass, such as another procedure of the link, it has refused the command
        /// until the deadline.
        case rejected(HCIStatus)
        /// The peer has not answered within the time, or has agreed to the data length that the link has already: the
        /// controller reports only changes of it.
        case unanswered
        /// The link has ended meanwhile, for this reason.
        case ended(HCIStatus)
        /// The request cannot be made.
        case impossible(LinkRequest.Problem)
    }

    /// A setting with its outcome.
    public struct Result: Hashable, Sendable {
        /// The setting.
        public let setting: LinkRequest.Setting
        /// The outcome.
        public let outcome: Outcome

        /// A setting with an outcome.
        public init(setting: LinkRequest.Setting, outcome: Outcome) {
            self.setting = setting
            self.outcome = outcome
        }
    }

    /// A command to the controller. Its answer has to follow as `commandAnswered`.
    package enum Command: Hashable, Sendable {
        case setPHY(LESetPHY)
        /// Ask the peer for its features: one without longer packets answers no request for them.
        case readFeatures(LEReadRemoteFeatures)
        /// Request packet limits.
        case setDataLength(LESetDataLength)
        /// Request parameters.
        case update(LEConnectionUpdate)
        case subrate(LESubrateRequest)
    }

    package enum Action: Hashable, Sendable {
        case perform(Command)
        /// All procedures have ended; one that has failed ends them all.
        case finished
    }

    private enum State: Sendable {
        case idle
        case commanded(Command, deadline: Instant)
        /// The command was accepted, and an event has to follow.
        case running(Command, deadline: Instant)
        /// The command is sent again at an instant. The refusal is that of this machine's controller; `nil` if the
        /// command was accepted, and its procedure has collided with another one.
        case pausing(Command, refusal: HCIStatus?, until: Instant, deadline: Instant)
        case finished
    }

    /// The pause before a command that has collided is repeated.
    private static let pause = Duration.milliseconds(100)

    package let connection: ConnectionHandle
    package let request: LinkRequest
    package private(set) var results: [Result] = []
    package private(set) var link: LinkState

    private let timeout: Duration
    private var remaining: ArraySlice<LinkRequest.Setting>
    private var state = State.idle

    /// A change that has not begun.
    ///
    /// - Parameters:
    ///   - link: The known properties of the connection.
    ///   - timeout: The time for each procedure.
    package init(_ connection: ConnectionHandle, _ request: LinkRequest, on link: LinkState, timeout: Duration) {
        self.connection = connection
        self.request = request
        self.link = link
        self.timeout = timeout
        remaining = request.settings[...]
    }

    /// The time at which `timerFired` must be called.
    package var nextDeadline: Instant? {
        switch state {
        case .idle, .finished: nil
        case .commanded(_, let deadline), .running(_, let deadline): deadline
        case .pausing(_, _, let until, let deadline): min(until, deadline)
        }
    }

    // MARK: - Events

    package mutating func begin(now: Instant) -> [Action] {
        guard case .idle = state else { return [] }
        return next(now: now)
    }

    package mutating func commandAnswered(_ status: HCIStatus, now: Instant) -> [Action] {
        guard case .commanded(let command, let deadline) = state else { return [] }
        switch status {
        case .success:
            state = .running(command, deadline: deadline)
            return []
        // Another procedure of the link is running: of the kernel, of another program, or of the peer.
        case .controllerBusy, .commandDisallowed:
            return postpone(command, refusal: status, deadline, now: now)
        case .unsupportedRemoteFeature:
            return end(.refused(status), now: now)
        case .unknownConnectionIdentifier:
            return end(.ended(status), now: now)
        default:
            return end(.rejected(status), now: now)
        }
    }

    /// The controller has sent an event. Those of other connections are ignored.
    package mutating func received(_ event: HCIEvent, now: Instant) -> [Action] {
        switch event {
        case .known(let event as DisconnectionCompleteEvent) where event.connection == connection:
            if case .finished = state { return [] }
            return end(.ended(event.reason), now: now)
        case .known(let event as LEPHYUpdateCompleteEvent) where event.connection == connection:
            // Noted before the check for an own command: the peer or another program may have changed the link.
            if event.status == .success {
                link.transmitPHY = event.transmit
                link.receivePHY = event.receive
            }
            guard case .setPHY(let wanted)? = current else { return [] }
            let isReached =
                event.transmit.isIn(wanted.preference.transmit) && event.receive.isIn(wanted.preference.receive)
            return ended(event.status, isReached: isReached, now: now)
        case .known(let event as LEDataLengthChangeEvent) where event.connection == connection:
            link.transmitLength = event.transmit
            link.receiveLength = event.receive
            guard case .setDataLength(let wanted)? = current else { return [] }
            return end(event.transmit.octets == wanted.transmit.octets ? .reached : .different, now: now)
        case .known(let event as LEConnectionUpdateCompleteEvent) where event.connection == connection:
            if event.status == .success { link.update(event) }
            guard case .update(let wanted)? = current else { return [] }
            return ended(event.status, isReached: event.fits(wanted.parameters), now: now)
        case .known(let event as LESubrateChangeEvent) where event.connection == connection:
            if event.status == .success { link.update(event) }
            guard case .subrate(let wanted)? = current else { return [] }
            let parameters = wanted.parameters
            let isReached =
                parameters.minimumFactor <= event.factor && event.factor <= parameters.maximumFactor
            return ended(event.status, isReached: isReached, now: now)
        case .known(let event as LEReadRemoteFeaturesCompleteEvent) where event.connection == connection:
            guard case .readFeatures? = current else { return [] }
            guard event.status == .success else { return ended(event.status, isReached: false, now: now) }
            guard event.features.contains(.dataPacketLengthExtension) else {
                return end(.refused(.unsupportedRemoteFeature), now: now)
            }
            // A procedure of its own, with a deadline of its own.
            return send(dataLengthCommand, deadline: now + timeout)
        default:
            return []
        }
    }

    package mutating func timerFired(now: Instant) -> [Action] {
        guard let due = nextDeadline, due <= now else { return [] }
        guard case .pausing(let command, let refusal, _, let deadline) = state else {
            return end(.unanswered, now: now)
        }
        if now < deadline { return send(command, deadline: deadline) }
        // A command that was refused to the end has not reached the peer.
        return end(refusal.map { .rejected($0) } ?? .unanswered, now: now)
    }

    // MARK: - Steps

    /// The command whose procedure is running. Its event may overtake the answer to the command.
    private var current: Command? {
        switch state {
        case .commanded(let command, _), .running(let command, _): command
        case .idle, .pausing, .finished: nil
        }
    }

    private mutating func next(now: Instant) -> [Action] {
        while let setting = remaining.first {
            let command: Command
            switch setting {
            case .phy:
                let set = request.phy?.set
                let preference = LEPHYPreference(transmit: set, receive: set)
                command = .setPHY(LESetPHY(connection, preference, coding: request.phy?.coding ?? .any))
            case .dataLength:
                if link.transmitLength?.octets == request.dataLength {
                    // The controller only reports changes of the limits, so that no event would follow.
                    results.append(Result(setting: setting, outcome: .reached))
                    remaining.removeFirst()
                    continue
                }
                command = .readFeatures(LEReadRemoteFeatures(connection))
            case .parameters:
                do throws(LinkRequest.Problem) {
                    command = .update(LEConnectionUpdate(connection, try request.parameters(on: link)))
                } catch {
                    return end(.impossible(error), now: now)
                }
            case .subrate:
                do throws(LinkRequest.Problem) {
                    let wanted = try request.subrating(request.subrate ?? 1...1, on: link)
                    command = .subrate(LESubrateRequest(connection, wanted))
                } catch {
                    return end(.impossible(error), now: now)
                }
            }
            return send(command, deadline: now + timeout)
        }
        state = .finished
        return [.finished]
    }

    private var dataLengthCommand: Command {
        let octets = request.dataLength ?? 27
        // Preamble, access address, header, MIC and CRC add 14 octets; at 1 Mbit/s an octet takes 8 µs. On LE Coded it
        // takes longer, and the maximum of the command is requested. Every link begins with 27 octets (Core 5.4, Vol 6,
        // Part B, 4.5.10).
        let isCoded = link.transmitPHY == .coded
        let time = isCoded ? 17_040 : (octets + 14) * 8
        return .setDataLength(LESetDataLength(connection, transmit: LEDataLength(octets: octets, microseconds: time)))
    }

    private mutating func send(_ command: Command, deadline: Instant) -> [Action] {
        state = .commanded(command, deadline: deadline)
        return [.perform(command)]
    }

    private mutating func postpone(
        _ command: Command,
        refusal: HCIStatus?,
        _ deadline: Instant,
        now: Instant
    ) -> [Action] {
        state = .pausing(command, refusal: refusal, until: now + Self.pause, deadline: deadline)
        return []
    }

    /// The running procedure has ended with an event.
    private mutating func ended(_ status: HCIStatus, isReached: Bool, now: Instant) -> [Action] {
        switch status {
        case .success:
            return end(isReached ? .reached : .different, now: now)
        case .linkLayerResponseTimeout:
            return end(.unanswered, now: now)
        case .linkLayerProcedureCollision, .differentTransactionCollision, .controllerBusy:
            switch state {
            case .commanded(let command, let deadline), .running(let command, let deadline):
                return postpone(command, refusal: nil, deadline, now: now)
            case .idle, .pausing, .finished: return []
            }
        default:
            return end(.refused(status), now: now)
        }
    }

    private mutating func end(_ outcome: Outcome, now: Instant) -> [Action] {
        guard let setting = remaining.popFirst() else { return [] }
        results.append(Result(setting: setting, outcome: outcome))
        if outcome == .reached { return next(now: now) }
        state = .finished
        return [.finished]
    }
}

extension LEPHY {
    /// Whether the PHY is one of a set; `nil` is every PHY.
    fileprivate func isIn(_ set: LEPHYSet?) -> Bool {
        guard let set else { return true }
        switch self {
        case .le1M: return set.contains(.le1M)
        case .le2M: return set.contains(.le2M)
        case .coded: return set.contains(.coded)
        default: return false
        }
    }
}

extension LEConnectionUpdateCompleteEvent {
    fileprivate func fits(_ wanted: LEConnectionParameters) -> Bool {
        wanted.minimumInterval <= interval && interval <= wanted.maximumInterval && latency == wanted.latency
            && supervisionTimeout == wanted.supervisionTimeout
    }
}
