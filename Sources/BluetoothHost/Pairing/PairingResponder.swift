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

    /// The pairings that run, and what is remembered for them.
    private struct Pairings {
        /// Gives the delegate that answers the prompts of a pairing with that central.
        let delegate: @Sendable (DeviceAddress) -> any PairingDelegate
        let report: @Sendable (DeviceAddress, Result<Pairing, PairingError>) async -> Void
        /// The pairings that run, by their centrals.
        var courses: [DeviceAddress: Course] = [:]
        /// The links to which observations belong.
        var links = PairingLinks()
        /// When pairings have ended whose observations may still be read.
        var ended: [DeviceAddress: Instant] = [:]
        /// Whether no pairing is awaited any more but those that run.
        var isEnding = false
        /// Ends the wait for those.
        var farewell = DeadlineTimer()
        /// Whether that wait has ended.
        var isOutOfTime = false

        /// Whether `run` ends.
        var isOver: Bool { isOutOfTime || isEnding && courses.isEmpty }

        mutating func stop() {
            farewell.stop()
            for central in courses.keys {
                courses[central]?.asked?.cancel()
                courses[central]?.timer.stop()
            }
        }
    }

    /// The number of events, answers and observations that wait for the pairings. Beyond it the oldest are dropped.
    private static let inputLimit = 256
    /// The maximum number of centrals that pair at once; a controller has hardly more links.
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
                inputs.push(.event(.known(AuthenticationFailedEvent(address, status: status))))
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
        var readers = await PairingReaders(manager, on: adapter, scope: scope) { [inputs] event in
            inputs.push(.event(event))
        }
        if let observer { readers.read(observer.observations) { [inputs] seen in inputs.push(.seen(seen)) } }
        var pairings = Pairings(delegate: delegate, report: report)
        while !pairings.isOver, let input = try? await inputs.next(), !Task.isCancelled {
            let now = time.now
            let running = Set(pairings.courses.keys)
            pairings.ended = pairings.ended.filter { now - $0.value <= Self.observationTime }
            await process(input, at: now, &pairings)
            for central in running.subtracting(pairings.courses.keys) { pairings.ended[central] = now }
        }
        pairings.stop()
        await readers.stop()
    }

    private func process(_ input: Input, at now: Instant, _ pairings: inout Pairings) async {
        switch input {
        case .event(let event):
            await received(event, at: now, &pairings)
        case .connected(let central, let link):
            // What is seen on a new link belongs to another pairing.
            pairings.ended[central] = nil
            for pdu in pairings.links.connected(central, over: link) {
                inputs.push(.seen(SecurityObserver.Observation(link: link, pdu: pdu)))
            }
        case .seen(let seen):
            await observed(seen, at: now, &pairings)
        case .answer(let central, let answer):
            await proceed(with: central, &pairings) { $0.answered(answer, now: now) }
        case .timer(let central):
            pairings.courses[central]?.timer.fired()
            await explain(at: now, &pairings)
            await proceed(with: central, &pairings) { $0.timerFired(now: now) }
        case .ending:
            pairings.isEnding = true
            pairings.farewell.arm(now + Self.farewell, in: scope, time) { [inputs] in inputs.push(.outOfTime) }
        case .outOfTime:
            pairings.isOutOfTime = true
            await explain(at: now, &pairings)
            for central in Set(pairings.courses.keys) {
                await proceed(with: central, &pairings) { $0.superseded() }
            }
        }
    }

    /// Processes an event of the kernel, which may begin a pairing.
    private func received(_ event: ManagementEvent, at now: Instant, _ pairings: inout Pairings) async {
        pairings.links.received(event)
        var central = pairings.courses.first { $0.value.process.concerns(event) }?.key
        if let failed = central, event.pairingCentral != nil {
            // The event is of the next pairing, if this one has failed already.
            await proceed(with: failed, &pairings) { $0.superseded() }
            if pairings.courses[failed] == nil { central = nil }
        }
        if central == nil, let asking = event.pairingCentral {
            await begin(with: asking, &pairings)
            central = asking
        }
        guard let central else { return }
        await proceed(with: central, &pairings) { $0.received(event, now: now) }
    }

    /// Processes a PDU of the Security Manager, which may begin a pairing.
    private func observed(
        _ seen: SecurityObserver.Observation,
        at now: Instant,
        _ pairings: inout Pairings
    ) async {
        let running = Set(pairings.courses.keys)
        guard let central = pairings.links.resolveCentral(of: seen, pairing: running, at: now) else { return }
        // The request of a pairing that has just ended may be read late, and begins no other one.
        if case .pairingRequest = seen.pdu, pairings.courses[central] == nil, pairings.ended[central] == nil {
            await begin(with: central, &pairings)
        }
        await proceed(with: central, &pairings) { $0.observed(seen.pdu) }
    }

    /// Before the wait for a reason ends, takes the one that was seen on a link whose central has not become known. It can be
    /// nobody else's if no other pairing has failed or ended.
    private func explain(at now: Instant, _ pairings: inout Pairings) async {
        let failed = pairings.courses.filter(\.value.process.isUnexplained).keys
        guard let central = failed.first, failed.count == 1, pairings.ended.isEmpty,
            let reason = pairings.links.onlyFailure(
                within: PairingProcess.reasonTimeout + Self.observationTime,
                before: now
            )
        else { return }
        await proceed(with: central, &pairings) { $0.observed(.pairingFailed(reason)) }
    }

    /// Begins the course of a pairing, unless there are too many.
    private func begin(with central: DeviceAddress, _ pairings: inout Pairings) async {
        guard pairings.courses.count < Self.courseLimit else { return }
        var process = PairingProcess(
            central,
            wantsBond: wantsBond,
            limits: limits,
            isAsked: true,
            isObserved: observer != nil
        )
        let actions = process.start(now: time.now)
        pairings.courses[central] = Course(process: process, delegate: pairings.delegate(central))
        await perform(actions, of: central, &pairings)
    }

    /// Gives the pairing with a central an input, and carries out its actions. Without such a pairing, nothing happens.
    private func proceed(
        with central: DeviceAddress,
        _ pairings: inout Pairings,
        _ input: (inout PairingProcess) -> [PairingProcess.Action]
    ) async {
        guard var process = pairings.courses[central]?.process else { return }
        let actions = input(&process)
        pairings.courses[central]?.process = process
        await perform(actions, of: central, &pairings)
    }

    private func perform(
        _ actions: [PairingProcess.Action],
        of central: DeviceAddress,
        _ pairings: inout Pairings
    ) async {
        for action in actions { await perform(action, of: central, &pairings) }
        let deadline = pairings.courses[central]?.process.nextDeadline
        pairings.courses[central]?.timer.arm(deadline, in: scope, time) { [inputs] in inputs.push(.timer(central)) }
    }

    private func perform(
        _ action: PairingProcess.Action,
        of central: DeviceAddress,
        _ pairings: inout Pairings
    ) async {
        guard let delegate = pairings.courses[central]?.delegate else { return }
        let address = ManagementAddress(central)
        switch action {
        case .ask(let prompt):
            pairings.courses[central]?.asked = scope.spawnCancellable { [inputs] in
                inputs.push(.answer(central, await delegate.answer(prompt)))
            }
        case .report(let step): await delegate.took(step)
        case .reply(isConfirmed: true): send(UserConfirmationReply(address))
        case .reply(isConfirmed: false): send(UserConfirmationNegativeReply(address))
        case .replyPasskey(let passkey?): send(UserPasskeyReply(address, passkey: passkey))
        case .replyPasskey(nil): send(UserPasskeyNegativeReply(address))
        case .withdraw, .cancel: pairings.courses[central]?.asked?.cancel()
        case .pair, .unpair: break
        case .finished(let result):
            pairings.courses[central]?.asked?.cancel()
            pairings.courses[central]?.timer.stop()
            pairings.courses[central] = nil
            if let result { await pairings.report(central, result) }
        }
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
        case .known(let event as UserConfirmationRequestEvent): event.device.device
        case .known(let event as UserPasskeyRequestEvent): event.device.device
        case .known(let event as PasskeyNotifyEvent): event.device.device
        case .known(let event as NewIdentityResolvingKeyEvent):
            event.privateAddress.rawValue == 0
                ? event.key.device.device : DeviceAddress(event.privateAddress, .random)
        case .known(let event as NewSignatureResolvingKeyEvent): event.key.device.device
        case .known(let event as NewLongTermKeyEvent): event.key.device.device
        case .known(let event as AuthenticationFailedEvent): event.device.device
        default: nil
        }
    }
}
