// SPDX-License-Identifier: MIT

public import Bluetooth

/// The management of the machine's adapters. Performs commands and distributes events about adapters.
///
/// `ManagementCommandQueue` decides which event answers which command; this actor moves packets, resumes waiting tasks
/// and keeps the timer.
public actor AdapterManager {
    /// The maximum time for an answer of the kernel. It is long, because powering a controller takes many HCI commands,
    /// each with its own timeout.
    public static let commandTimeout = Duration.seconds(10)
    /// The number of events that wait for an observer. Beyond it the oldest are dropped.
    private static let observerLimit = 64

    private let channel: any ManagementChannel
    private let scope: TaskScope
    private let time: any TimeSource

    private var queue = ManagementCommandQueue()
    private var timer = DeadlineTimer()
    private var waiters: [CommandID: CheckedContinuation<Result<[UInt8], ManagementCommandFailure>, Never>] =
        [:]
    private var lastCommand: UInt64 = 0
    private var observers: [BoundedQueue<AdapterChange>] = []
    private var end: RadioError?

    private init(_ channel: any ManagementChannel, scope: TaskScope, time: any TimeSource) {
        self.channel = channel
        self.scope = scope
        self.time = time
    }

    /// Opens the system's management channel and starts its receive loop in the scope.
    public static func open(_ system: any RadioSystem, scope: TaskScope, time: any TimeSource) throws(RadioError)
        -> AdapterManager
    {
        let channel = try system.openManagement()
        let manager = AdapterManager(channel, scope: scope, time: time)
        let isStarted = scope.spawn {
            do throws(RadioError) {
                while true {
                    await manager.received(try await channel.receive())
                }
            } catch {
                await manager.ended(error)
            }
        }
        guard isStarted else {
            channel.close()
            throw RadioError(.cancelled, during: "management of adapters")
        }
        return manager
    }

    /// Performs a command, and returns its return parameters. Cancelling the task does not cancel the command; the wait
    /// is bounded by the command timeout.
    ///
    /// Throws `permissionDenied` if the process lacks `CAP_NET_ADMIN`.
    @discardableResult
    package func perform<Command: ManagementCommand>(
        _ command: Command,
        on adapter: ManagementIndex
    ) async throws(RadioError) -> Command.ReturnParameters {
        let bytes = try await answer(to: command, on: adapter)
        do throws(DecodeError) {
            return try Command.returnParameters(decoding: bytes)
        } catch {
            throw failure(.unsupported, of: command, on: adapter, "\(error)")
        }
    }

    /// Asks for the settings of the adapter with that address. Throws `adapterRemoved` if its number is another one's by
    /// now.
    package func information(
        on adapter: ManagementIndex,
        of address: BluetoothAddress
    ) async throws(RadioError) -> ReadControllerInformation.ReturnParameters {
        let information = try await perform(ReadControllerInformation(), on: adapter)
        guard information.address == address else {
            throw failure(.adapterRemoved, of: ReadControllerInformation(), on: adapter)
        }
        return information
    }

    /// The return parameters as octets. It is one function for all commands, because a copy for each is 60 KB in all.
    private func answer(
        to command: any ManagementCommand,
        on adapter: ManagementIndex
    ) async throws(RadioError) -> [UInt8] {
        if let end { throw end }
        lastCommand += 1
        let id = CommandID(rawValue: lastCommand)
        let result = await withCheckedContinuation { continuation in
            // Before the command is submitted, which may fail at once.
            waiters[id] = continuation
            execute(queue.submit(command, to: adapter, id: id, deadline: time.now + Self.commandTimeout))
        }
        switch result {
        case .success(let bytes): return bytes
        case .failure(.closed): throw end ?? failure(.closedLocally, of: command, on: adapter)
        case .failure(.timedOut): throw failure(.controllerSilent, of: command, on: adapter)
        case .failure(.queueFull): throw failure(.adapterBusy, of: command, on: adapter)
        case .failure(.rejected(let status)): throw failure(Self.cause(of: status), of: command, on: adapter)
        }
    }

    private func failure(
        _ cause: RadioError.Cause,
        of command: any ManagementCommand,
        on adapter: ManagementIndex,
        _ detail: String? = nil
    ) -> RadioError {
        let operation = "\(adapter) (\(type(of: command).name))" + (detail.map { ": \($0)" } ?? "")
        return RadioError(cause, during: operation, on: adapter == .none ? nil : adapter.description)
    }

    /// Performs a command that waits for a person, beside all others. It ends with its answer, or with the channel:
    /// Cancel Pair Device ends Pair Device.
    func performAlongside<Command: ManagementCommand>(
        _ command: Command,
        on adapter: ManagementIndex
    ) async -> Result<[UInt8], ManagementCommandFailure> {
        if end != nil { return .failure(.closed) }
        lastCommand += 1
        let id = CommandID(rawValue: lastCommand)
        return await withCheckedContinuation { continuation in
            waiters[id] = continuation
            execute(queue.submitAlongside(command, to: adapter, id: id))
        }
    }

    private static func cause(of status: ManagementStatus) -> RadioError.Cause {
        switch status {
        case .permissionDenied: .permissionDenied(capability: "CAP_NET_ADMIN")
        case .radioBlocked: .radioBlocked(byHardware: false)
        case .invalidIndex: .adapterRemoved
        case .notPowered: .adapterDown
        case .notSupported, .unknownCommand: .unsupported
        case .timeout: .controllerSilent
        default: .managementRejected(status)
        }
    }

    // MARK: - Events

    /// Delivers the changes of adapters from now on. The oldest are dropped if they are not read.
    public func changes() -> BoundedQueue<AdapterChange> {
        let changes = BoundedQueue<AdapterChange>(limit: Self.observerLimit, overflow: .dropOldest)
        if let end { changes.finish(end) } else { observers.append(changes) }
        return changes
    }

    /// Delivers no more changes to a queue of `changes`.
    func stop(_ changes: BoundedQueue<AdapterChange>) {
        observers.removeAll { $0 === changes }
    }

    // MARK: - End

    /// Closes the channel. All waiting tasks get an error.
    public func close() {
        ended(RadioError(.closedLocally, during: "management of adapters"))
    }

    private func received(_ bytes: [UInt8]) {
        guard let packet = try? ManagementPacket(decoding: bytes), let event = try? ManagementEvent(packet) else {
            return
        }
        switch event {
        case .known(is ManagementCommandCompleteEvent), .known(is ManagementCommandStatusEvent):
            execute(queue.eventReceived(event, about: packet.adapter))
        case .known:
            for observer in observers { observer.push(AdapterChange(adapter: packet.adapter, event: event)) }
        case .unknown: break
        }
    }

    private func timerFired() {
        timer.fired()
        execute(queue.timerFired(now: time.now))
    }

    private func ended(_ reason: RadioError) {
        guard end == nil else { return }
        end = reason
        channel.close()
        execute(queue.channelClosed())
        timer.stop()
        for observer in observers { observer.finish(reason) }
        observers = []
    }

    /// Carries out the queue's actions, and sets the timer for its next deadline.
    private func execute(_ actions: [ManagementCommandQueue.Action]) {
        for action in actions {
            switch action {
            case .send(let packet):
                do throws(RadioError) {
                    try channel.send(packet)
                } catch {
                    ended(error)
                }
            case .completed(let id, let result):
                waiters.removeValue(forKey: id)?.resume(returning: result)
            }
        }
        timer.arm(queue.nextDeadline, in: scope, time) { await self.timerFired() }
    }
}

/// A change of an adapter: it was added or removed, or its settings changed.
public struct AdapterChange: Hashable, Sendable {
    /// The index of the adapter in the management interface.
    public let adapter: ManagementIndex
    package let event: ManagementEvent
}
