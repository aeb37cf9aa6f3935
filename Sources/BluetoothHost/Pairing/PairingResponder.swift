// SPDX-License-Identifier: MIT

package import Bluetooth

/// Pairs with the centrals that ask for it, through the kernel's management interface.
///
/// `PairingProcess` determines the course of a pairing; this type runs one for each central that pairs.
package struct PairingResponder: Sendable {
    private enum Input: Sendable {
        case event(ManagementEvent)
        case answer(DeviceAddress, PairingAnswer)
        case timer(DeviceAddress)
        case connected(DeviceAddress, ConnectionHandle)
        case seen(SecurityObserver.Observation)
        case ending
        case outOfTime
    }

    private struct Course {
        var process: PairingProcess
        let delegate: any PairingDelegate
        var timer = DeadlineTimer()
        var asked: ScopedTask?
    }

    /// The centrals whose links are known, and the observations on other links.
    private struct Links {
        /// The maximum number of links whose central is not known yet.
        private static let limit = 16
        /// The maximum number of PDUs that wait on such a link, the latest ones: a pairing has four.
        private static let pduLimit = 8

        private var centrals: [ConnectionHandle: DeviceAddress] = [:]
        /// The identities that centrals have told on their links, by which the kernel reports the end of a link.
        private var identities: [ConnectionHandle: DeviceAddress] = [:]
        /// The centrals of links that have ended. A controller gives their handles to other links.
        private var former: [ConnectionHandle: DeviceAddress] = [:]
        private var waiting: [ConnectionHandle: [SecurityManagerPDU]] = [:]

        /// The central on whose link a PDU was seen. If it is not known yet, the PDU waits for it.
        ///
        /// - Parameters:
        ///   - seen: The PDU and its link.
        ///   - pairing: The centrals whose pairings run.
        mutating func central(
            of seen: SecurityObserver.Observation,
            pairing: Set<DeviceAddress>
        ) -> DeviceAddress? {
            if let central = centrals[seen.link] { return central }
            if case .pairingRequest = seen.pdu { former[seen.link] = nil }
            // The reason of a failure may be read after the end of the link.
            if let central = former[seen.link], pairing.contains(central) { return central }
            // The centrals on links of other programs never become known, so a full list is emptied.
            if waiting[seen.link] == nil, waiting.count >= Self.limit { waiting = [:] }
            waiting[seen.link, default: []].append(seen.pdu)
            if let count = waiting[seen.link]?.count, count > Self.pduLimit { waiting[seen.link]?.removeFirst() }
            return nil
        }

        /// A central has connected. Returns the observations on its link.
        mutating func connected(_ central: DeviceAddress, over link: ConnectionHandle) -> [SecurityManagerPDU] {
            centrals[link] = central
            identities[link] = nil
            former[link] = nil
            return waiting.removeValue(forKey: link) ?? []
        }

        /// Takes an event of the kernel about the end of a link, or about the identity of a central.
        mutating func received(_ event: ManagementEvent) {
            switch event {
            case .newIdentityResolvingKey(let event):
                let address = DeviceAddress(event.privateAddress, .random)
                for (link, central) in centrals where central == address { identities[link] = event.key.device.device }
            case .deviceDisconnected(let event):
                guard let gone = event.device.device else { return }
                for (link, central) in centrals where central == gone || identities[link] == gone {
                    centrals[link] = nil
                    identities[link] = nil
                    former[link] = central
                }
            default: break
            }
        }
    }

    private static let inputLimit = 256
    /// The most centrals that pair at once; a controller has hardly more links.
    private static let courseLimit = 16
    /// How long after a pairing its earlier observations are still read.
    private static let observationTime = Duration.seconds(1)
    /// How long to wait at the end for pairings that still run, whose results the kernel is about to report.
    private static let farewell = Duration.milliseconds(500)

    private let manager: AdapterManager
    private let adapter: ManagementIndex
    private let wantsBond: Bool
    private let limits: PairingProcess.Limits
    private let observer: SecurityObserver?
    private let scope: TaskScope
    private let time: any TimeSource
    private let inputs = BoundedQueue<Input>(limit: inputLimit, overflow: .dropOldest)
    /// Ends when `run` has ended.
    private let end = AsyncStream<Never>.makeStream()

    /// Creates a responder for an adapter.
    ///
    /// - Parameters:
    ///   - manager: The management of adapters.
    ///   - adapter: The adapter.
    ///   - wantsBond: Whether the keys are to be kept, if the central agrees.
    ///   - timeout: The time limit of a pairing, without the time for the answers of a person.
    ///   - displayTime: The minimum time for a person to enter a shown passkey at the central.
    ///   - observer: Reads the traffic of all links of the adapter: it reports a pairing before the kernel does, and
    ///     why one has failed; `nil` if nothing does.
    ///   - scope: Runs the prompts.
    ///   - time: The clock of its deadlines.
    package init(
        _ manager: AdapterManager,
        on adapter: ManagementIndex,
        wantsBond: Bool = true,
        timeout: Duration = .seconds(30),
        displayTime: Duration = .seconds(30),
        observing observer: SecurityObserver? = nil,
        scope: TaskScope,
        time: any TimeSource
    ) {
        self.manager = manager
        self.adapter = adapter
        self.wantsBond = wantsBond
        limits = PairingProcess.Limits(total: timeout, display: displayTime)
        self.observer = observer
        self.scope = scope
        self.time = time
    }

    /// Asks a central to pair, with a Security Request. `run` reports the result.
    ///
    /// - Parameters:
    ///   - central: The central, by the address that it has at the moment.
    ///   - capability: The input and output that this machine claims to have.
    package func ask(_ central: DeviceAddress, capability: IOCapability) {
        let address = ManagementAddress(DeviceAddress(central.address, central.type.connectionType))
        scope.spawn { [manager, adapter, inputs] in
            let outcome = await manager.performAlongside(PairDevice(address, capability: capability), on: adapter)
            // The kernel does not send Authentication Failed to the program whose command fails.
            if case .failure(.rejected(let status)) = outcome, status != .alreadyPaired {
                inputs.push(.event(.authenticationFailed(AuthenticationFailedEvent(address, status: status))))
            }
        }
    }

    /// Ends `run` as soon as no pairing runs any more, and waits for that, but not for long.
    package func finish() async {
        inputs.push(.ending)
        try? await untilDeadline(time.now + Self.farewell * 2, time) { for await _ in end.stream {} }
    }

    /// Assigns a link to its central, so that observations on the link are attributed to it.
    package func connected(_ central: DeviceAddress, over link: ConnectionHandle) {
        inputs.push(.connected(DeviceAddress(central.address, central.type.connectionType), link))
    }

    /// Pairs with the centrals that ask for it, until the task is cancelled or the management interface ends.
    ///
    /// - Parameters:
    ///   - delegate: Answers the prompts of a pairing with that central.
    ///   - report: Called with the result of a pairing with that central.
    package func run(
        delegate: @escaping @Sendable (DeviceAddress) -> any PairingDelegate,
        report: @escaping @Sendable (DeviceAddress, Result<Pairing, PairingError>) async -> Void
    ) async {
        defer { end.continuation.finish() }
        let changes = await manager.changes()
        var readers = [
            scope.spawnCancellable { [adapter, inputs] in
                while let change = try? await changes.next() {
                    if change.adapter == adapter { inputs.push(.event(change.event)) }
                }
            }
        ]
        if let observer {
            readers.append(
                scope.spawnCancellable { [inputs] in
                    while let seen = try? await observer.observations.next() { inputs.push(.seen(seen)) }
                }
            )
        }
        var courses: [DeviceAddress: Course] = [:]
        var links = Links()
        var ended: [DeviceAddress: Instant] = [:]
        var (isEnding, farewell) = (false, DeadlineTimer())
        while let input = try? await inputs.next(), !Task.isCancelled {
            let now = time.now
            let running = Set(courses.keys)
            ended = ended.filter { now - $0.value <= Self.observationTime }
            switch input {
            case .event(let event):
                links.received(event)
                var central = courses.first { $0.value.process.concerns(event) }?.key
                if let failed = central, event.pairingCentral != nil {
                    // The event is of the next pairing, if this one has failed already.
                    let actions = courses[failed]?.process.superseded() ?? []
                    await perform(actions, of: failed, &courses, report)
                    if courses[failed] == nil { central = nil }
                }
                if central == nil, let asking = event.pairingCentral {
                    await begin(with: asking, &courses, delegate, report)
                    central = asking
                }
                guard let central, let actions = courses[central]?.process.received(event, now: now) else { continue }
                await perform(actions, of: central, &courses, report)
            case .connected(let central, let link):
                // What is seen on a new link belongs to another pairing.
                ended[central] = nil
                for pdu in links.connected(central, over: link) {
                    inputs.push(.seen(SecurityObserver.Observation(link: link, pdu: pdu)))
                }
            case .seen(let seen):
                guard let central = links.central(of: seen, pairing: running) else { continue }
                // The request of a pairing that has just ended may be read late, and begins no other one.
                if case .pairingRequest = seen.pdu, courses[central] == nil, ended[central] == nil {
                    await begin(with: central, &courses, delegate, report)
                }
                let actions = courses[central]?.process.observed(seen.pdu) ?? []
                await perform(actions, of: central, &courses, report)
            case .answer(let central, let answer):
                let actions = courses[central]?.process.answered(answer, now: now) ?? []
                await perform(actions, of: central, &courses, report)
            case .timer(let central):
                courses[central]?.timer.fired()
                let actions = courses[central]?.process.timerFired(now: now) ?? []
                await perform(actions, of: central, &courses, report)
            case .ending:
                isEnding = true
                farewell.arm(now + Self.farewell, in: scope, time) { [inputs] in inputs.push(.outOfTime) }
            case .outOfTime:
                for central in running {
                    let actions = courses[central]?.process.superseded() ?? []
                    await perform(actions, of: central, &courses, report)
                }
            }
            if case .outOfTime = input { break }
            if isEnding, courses.isEmpty { break }
            for central in running.subtracting(courses.keys) { ended[central] = now }
        }
        farewell.stop()
        for reader in readers { reader.cancel() }
        for central in courses.keys {
            courses[central]?.asked?.cancel()
            courses[central]?.timer.stop()
        }
        await manager.stop(changes)
    }

    /// Begins the course of a pairing, unless there are too many.
    private func begin(
        with central: DeviceAddress,
        _ courses: inout [DeviceAddress: Course],
        _ delegate: @Sendable (DeviceAddress) -> any PairingDelegate,
        _ report: @Sendable (DeviceAddress, Result<Pairing, PairingError>) async -> Void
    ) async {
        guard courses.count < Self.courseLimit else { return }
        var process = PairingProcess(
            central,
            wantsBond: wantsBond,
            limits: limits,
            isAsked: true,
            isObserved: observer != nil
        )
        let actions = process.start(now: time.now)
        courses[central] = Course(process: process, delegate: delegate(central))
        await perform(actions, of: central, &courses, report)
    }

    private func perform(
        _ actions: [PairingProcess.Action],
        of central: DeviceAddress,
        _ courses: inout [DeviceAddress: Course],
        _ report: @Sendable (DeviceAddress, Result<Pairing, PairingError>) async -> Void
    ) async {
        guard let delegate = courses[central]?.delegate else { return }
        let address = ManagementAddress(central)
        for action in actions {
            switch action {
            case .ask(let prompt):
                courses[central]?.asked = scope.spawnCancellable { [inputs] in
                    inputs.push(.answer(central, await delegate.answer(prompt)))
                }
            case .report(let step): await delegate.took(step)
            case .reply(isConfirmed: true): send(UserConfirmationReply(address))
            case .reply(isConfirmed: false): send(UserConfirmationNegativeReply(address))
            case .replyPasskey(let passkey?): send(UserPasskeyReply(address, passkey: passkey))
            case .replyPasskey(nil): send(UserPasskeyNegativeReply(address))
            case .withdraw, .cancel: courses[central]?.asked?.cancel()
            case .pair, .unpair: break
            case .finished(let result):
                courses[central]?.asked?.cancel()
                courses[central]?.timer.stop()
                courses[central] = nil
                if let result { await report(central, result) }
            }
        }
        let deadline = courses[central]?.process.nextDeadline
        courses[central]?.timer.arm(deadline, in: scope, time) { [inputs] in inputs.push(.timer(central)) }
    }

    /// Sends a command whose own answer does not matter: the pairing goes on, or it fails.
    private func send(_ command: some ManagementCommand) {
        scope.spawn { [manager, adapter] in _ = try? await manager.perform(command, on: adapter) }
    }
}

extension ManagementEvent {
    /// The central that an event of a pairing is about, by its present address; `nil` for other events.
    fileprivate var pairingCentral: DeviceAddress? {
        switch self {
        case .userConfirmationRequest(let event): event.device.device
        case .userPasskeyRequest(let event): event.device.device
        case .passkeyNotify(let event): event.device.device
        case .newIdentityResolvingKey(let event):
            event.privateAddress.rawValue == 0
                ? event.key.device.device : DeviceAddress(event.privateAddress, .random)
        case .newSignatureResolvingKey(let event): event.key.device.device
        case .newLongTermKey(let event): event.key.device.device
        case .authenticationFailed(let event): event.device.device
        default: nil
        }
    }
}
