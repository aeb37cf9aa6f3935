// SPDX-License-Identifier: MIT

package import Bluetooth

/// Pairs with the centrals that ask for it, through the kernel's management interface.
///
/// `PairingProcess` determines each course; this type runs one for each central that pairs.
package struct PairingResponder: Sendable {
    private enum Input: Sendable {
        case event(ManagementEvent)
        case answer(DeviceAddress, PairingAnswer)
        case timer(DeviceAddress)
    }

    private struct Course {
        var process: PairingProcess
        let delegate: any PairingDelegate
        var timer = DeadlineTimer()
        var asked: ScopedTask?
    }

    private static let inputLimit = 256
    /// The most centrals that pair at once; a controller has hardly more links.
    private static let courseLimit = 16

    private let manager: AdapterManager
    private let adapter: ManagementIndex
    private let wantsBond: Bool
    private let timeout: Duration
    private let scope: TaskScope
    private let time: any TimeSource
    private let inputs = BoundedQueue<Input>(limit: inputLimit, overflow: .dropOldest)

    /// Creates a responder for an adapter.
    ///
    /// - Parameters:
    ///   - manager: The management of adapters.
    ///   - adapter: The adapter.
    ///   - wantsBond: Whether the keys are to be kept, if the central agrees.
    ///   - timeout: The time that a pairing may take without the time in which a person is asked.
    ///   - scope: Runs what asks a person.
    ///   - time: The clock of its deadlines.
    package init(
        _ manager: AdapterManager,
        on adapter: ManagementIndex,
        wantsBond: Bool = true,
        timeout: Duration = .seconds(30),
        scope: TaskScope,
        time: any TimeSource
    ) {
        self.manager = manager
        self.adapter = adapter
        self.wantsBond = wantsBond
        self.timeout = timeout
        self.scope = scope
        self.time = time
    }

    /// Asks a central to pair, with a Security Request. What comes of it is reported by `run`.
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

    /// Pairs with the centrals that ask for it, until the task is cancelled or the management interface ends.
    ///
    /// - Parameters:
    ///   - delegate: Answers the prompts of a pairing with that central.
    ///   - report: Called with what has come of a pairing with that central.
    package func run(
        delegate: @escaping @Sendable (DeviceAddress) -> any PairingDelegate,
        report: @escaping @Sendable (DeviceAddress, Result<Pairing, PairingError>) async -> Void
    ) async {
        let changes = await manager.changes()
        let reader = scope.spawnCancellable { [adapter, inputs] in
            while let change = try? await changes.next() {
                if change.adapter == adapter { inputs.push(.event(change.event)) }
            }
        }
        var courses: [DeviceAddress: Course] = [:]
        while let input = try? await inputs.next(), !Task.isCancelled {
            let now = time.now
            switch input {
            case .event(let event):
                var central = courses.first { $0.value.process.concerns(event) }?.key
                if central == nil, let asking = event.pairingCentral, courses.count < Self.courseLimit {
                    var process = PairingProcess(
                        asking,
                        wantsBond: wantsBond,
                        limits: .init(total: timeout),
                        isAsked: true
                    )
                    let actions = process.start(now: now)
                    courses[asking] = Course(process: process, delegate: delegate(asking))
                    await perform(actions, of: asking, &courses, report)
                    central = asking
                }
                guard let central, let actions = courses[central]?.process.received(event, now: now) else { continue }
                await perform(actions, of: central, &courses, report)
            case .answer(let central, let answer):
                let actions = courses[central]?.process.answered(answer, now: now) ?? []
                await perform(actions, of: central, &courses, report)
            case .timer(let central):
                courses[central]?.timer.fired()
                let actions = courses[central]?.process.timerFired(now: now) ?? []
                await perform(actions, of: central, &courses, report)
            }
        }
        reader.cancel()
        for central in courses.keys {
            courses[central]?.asked?.cancel()
            courses[central]?.timer.stop()
        }
        await manager.stop(changes)
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
            case .tell(let step): await delegate.took(step)
            case .reply(isConfirmed: true): send(UserConfirmationReply(address))
            case .reply(isConfirmed: false): send(UserConfirmationNegativeReply(address))
            case .replyPasskey(let passkey?): send(UserPasskeyReply(address, passkey: passkey))
            case .replyPasskey(nil): send(UserPasskeyNegativeReply(address))
            case .cancel: courses[central]?.asked?.cancel()
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
