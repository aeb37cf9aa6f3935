// SPDX-License-Identifier: MIT

package import Bluetooth

/// Pairs an adapter with devices, and takes bonds back, through the management interface.
///
/// `PairingProcess` decides; this carries out its actions. The adapter is left without a running pairing, however it
/// ends.
package struct Pairer: Sendable {
    package struct Request: Sendable {
        /// The input and output that this machine claims to have.
        package var capability: IOCapability
        /// Whether the keys are to be kept, if the device agrees.
        package var wantsBond: Bool
        /// The time limit for the pairing. The time in which a person is asked does not count.
        package var timeout: Duration
        /// The minimum time that a person has to enter a shown passkey at the device.
        package var displayTime: Duration

        package init(
            capability: IOCapability,
            wantsBond: Bool = true,
            timeout: Duration = .seconds(30),
            displayTime: Duration = .seconds(30)
        ) {
            self.capability = capability
            self.wantsBond = wantsBond
            self.timeout = timeout
            self.displayTime = displayTime
        }
    }

    private enum Input: Sendable {
        case event(ManagementEvent)
        case completed(Result<Void, ManagementCommandFailure>)
        case answer(PairingAnswer)
        case linkEnded(RadioError)
        case security(SecurityManagerPDU)
        case timer
        case cancelled
    }

    /// A pairing that runs, and what its actions have begun.
    private struct Course {
        var process: PairingProcess
        let address: ManagementAddress
        let capability: IOCapability
        let delegate: any PairingDelegate
        let inputs: BoundedQueue<Input>
        /// The events of the kernel, among which the completion of Pair Device is put.
        let changes: BoundedQueue<AdapterChange>
        var timer = DeadlineTimer()
        var asked: ScopedTask?
        var isOver = false
        /// The result, once it is over; `nil` if it was cancelled.
        var result: Result<Pairing, PairingError>?
    }

    /// The number of events, answers and observations that wait for the pairing. Beyond it the oldest are dropped.
    private static let inputLimit = 256

    private let manager: AdapterManager
    private let adapter: ManagementIndex
    private let scope: TaskScope
    private let time: any TimeSource

    /// Creates a pairer for an adapter.
    ///
    /// - Parameters:
    ///   - scope: Outlives the task that pairs, so that a cancelled pairing is taken back.
    ///   - time: The clock of its deadlines.
    package init(_ manager: AdapterManager, on adapter: ManagementIndex, scope: TaskScope, time: any TimeSource) {
        self.manager = manager
        self.adapter = adapter
        self.scope = scope
        self.time = time
    }

    /// Pairs with a device.
    ///
    /// Throws `PairingError`, or `RadioError` if the kernel does not let this process pair. If the task is cancelled,
    /// the pairing is undone first.
    ///
    /// - Parameters:
    ///   - device: The device, by the address that it has at the moment.
    ///   - request: The parameters of the pairing.
    ///   - link: The link to the device. It is kept until the keys have arrived, and its end ends the pairing.
    ///   - observer: Reads the traffic of the link; `nil` if no observer is available.
    ///   - delegate: Answers the prompts.
    package func pair(
        _ device: DeviceAddress,
        _ request: Request,
        on link: ATTConnection? = nil,
        observing observer: SecurityObserver? = nil,
        delegate: any PairingDelegate
    ) async throws -> Pairing {
        let inputs = BoundedQueue<Input>(limit: Self.inputLimit, overflow: .dropOldest)
        return try await withTaskCancellationHandler {
            try await scope.shielded {
                try await run(device, request, link, observer?.observations, delegate, inputs)
            }
        } onCancel: {
            inputs.push(.cancelled)
        }
    }

    private func run(
        _ device: DeviceAddress,
        _ request: Request,
        _ link: ATTConnection?,
        _ observed: BoundedQueue<SecurityObserver.Observation>?,
        _ delegate: any PairingDelegate,
        _ inputs: BoundedQueue<Input>
    ) async throws -> Pairing {
        var readers = await PairingReaders(manager, on: adapter, scope: scope) { event in
            inputs.push(Self.input(event))
        }
        if let link { readers.add { if let end = await link.untilEnded() { inputs.push(.linkEnded(end)) } } }
        if let observed { readers.read(observed) { seen in inputs.push(.security(seen.pdu)) } }
        let process = PairingProcess(
            device,
            wantsBond: request.wantsBond,
            limits: PairingProcess.Limits(total: request.timeout, display: request.displayTime),
            isObserved: observed != nil
        )
        var course = Course(
            process: process,
            address: ManagementAddress(device),
            capability: request.capability,
            delegate: delegate,
            inputs: inputs,
            changes: readers.changes
        )
        var actions = course.process.start(now: time.now)
        while true {
            for action in actions { await perform(action, &course) }
            if course.isOver { break }
            course.timer.arm(course.process.nextDeadline, in: scope, time) { inputs.push(.timer) }
            // If there is no input, the scope has ended, and so has everything else.
            guard let input = try? await inputs.next() else { break }
            actions = self.actions(for: input, &course)
        }
        course.timer.stop()
        course.asked?.cancel()
        await readers.stop()
        guard let result = course.result else { throw CancellationError() }
        switch result {
        case .success(let pairing): return pairing
        case .failure(let error): throw explained(error)
        }
    }

    private func perform(_ action: PairingProcess.Action, _ course: inout Course) async {
        switch action {
        case .pair: begin(PairDevice(course.address, capability: course.capability), course.changes)
        case .ask(let prompt):
            let (delegate, inputs) = (course.delegate, course.inputs)
            course.asked = scope.spawnCancellable { inputs.push(.answer(await delegate.answer(prompt))) }
        case .withdraw: course.asked?.cancel()
        case .report(let step): await course.delegate.took(step)
        case .reply(isConfirmed: true): send(UserConfirmationReply(course.address))
        case .reply(isConfirmed: false): send(UserConfirmationNegativeReply(course.address))
        case .replyPasskey(let passkey?): send(UserPasskeyReply(course.address, passkey: passkey))
        case .replyPasskey(nil): send(UserPasskeyNegativeReply(course.address))
        case .cancel:
            course.asked?.cancel()
            send(CancelPairDevice(course.address))
        case .unpair: send(UnpairDevice(course.address, disconnects: false))
        case .finished(let result):
            course.isOver = true
            course.result = result
        }
    }

    private func actions(for input: Input, _ course: inout Course) -> [PairingProcess.Action] {
        let now = time.now
        switch input {
        case .event(let event): return course.process.received(event, now: now)
        case .completed(let result): return course.process.completed(result, now: now)
        case .answer(let answer): return course.process.answered(answer, now: now)
        case .linkEnded(let error): return course.process.linkEnded(error, now: now)
        case .security(let pdu): return course.process.observed(pdu)
        case .cancelled: return course.process.cancelled(now: now)
        case .timer:
            course.timer.fired()
            return course.process.timerFired(now: now)
        }
    }

    private static func input(_ event: ManagementEvent) -> Input {
        switch event {
        case .known(let event as ManagementCommandCompleteEvent):
            .completed(event.status == .success ? .success(()) : .failure(.rejected(event.status)))
        case .known(let event as ManagementCommandStatusEvent): .completed(.failure(.rejected(event.status)))
        default: .event(event)
        }
    }

    /// Sends Pair Device, and puts its completion after the events that came before it.
    private func begin(_ command: PairDevice, _ changes: BoundedQueue<AdapterChange>) {
        let (manager, adapter) = (manager, adapter)
        scope.spawn {
            let status: ManagementStatus
            switch await manager.performAlongside(command, on: adapter) {
            case .success: status = .success
            case .failure(.rejected(let refusal)): status = refusal
            case .failure(.timedOut): status = .timeout
            case .failure(.queueFull): status = .busy
            case .failure(.closed): status = .failed
            }
            let end = ManagementCommandCompleteEvent(PairDevice.opcode, status: status, returnParameters: [])
            changes.push(AdapterChange(adapter: adapter, event: .known(end)))
        }
    }

    /// Sends a command whose own answer does not matter: the pairing goes on, or it fails.
    private func send(_ command: some ManagementCommand) {
        let (manager, adapter) = (manager, adapter)
        scope.spawn { _ = try? await manager.perform(command, on: adapter) }
    }

    private func explained(_ error: PairingError) -> any Error {
        let name = adapter.description
        return switch error.problem {
        case .rejected(.permissionDenied):
            RadioError(.permissionDenied(capability: "CAP_NET_ADMIN"), during: "pairing", on: name)
        case .rejected(.notPowered): RadioError(.adapterDown, during: name, on: name)
        case .rejected(.invalidIndex): RadioError(.adapterRemoved, during: name, on: name)
        case .rejected(.unknownCommand), .rejected(.notSupported):
            RadioError(.unsupported, during: "pairing", on: name)
        default: error
        }
    }

    /// Takes the keys of a device from the kernel, and ends the link to it. Returns `false` if the kernel has none.
    package func unpair(_ device: DeviceAddress) async throws(RadioError) -> Bool {
        do throws(RadioError) {
            try await manager.perform(UnpairDevice(ManagementAddress(device), disconnects: true), on: adapter)
            return true
        } catch {
            if error.cause == .managementRejected(.notPaired) { return false }
            throw error
        }
    }
}
