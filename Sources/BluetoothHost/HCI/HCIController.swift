// SPDX-License-Identifier: MIT

package import Bluetooth

/// The controller of an adapter. Sends commands and distributes events.
///
/// `HCICommandQueue` decides which event answers which command; this actor moves packets, resumes waiting tasks and
/// keeps the timer.
public actor HCIController {
    /// The maximum time for an answer of the controller: 2 s, after which the kernel gives up a command as well (Linux,
    /// HCI_CMD_TIMEOUT).
    public static let commandTimeout = Duration.seconds(2)

    /// The adapter as it was when the channel was opened.
    public nonisolated let adapter: AdapterDescription

    private let channel: any HCIChannel
    private let scope: TaskScope
    private let time: any TimeSource

    private var queue = HCICommandQueue()
    private var timer = DeadlineTimer()
    private var waiters: [CommandID: CheckedContinuation<Result<[UInt8], HCICommandFailure>, Never>] = [:]
    private var lastCommand: UInt64 = 0
    private let follower: EventFollower?
    private var observers: [Observer] = []
    private var othersWatch: (@Sendable (HCICommandPacket) -> Void)?
    private var lastObserver = 0
    /// Received events that observers have not got yet.
    private var undelivered: [HCIEvent] = []
    /// Why the channel has ended; `nil` while it is open.
    private(set) var end: RadioError?

    /// The number of malformed packets from the controller.
    public private(set) var malformedCount = 0

    /// Whether another program was the last to switch scanning on or off. Then this process must not switch it off.
    private(set) var isScanningUpToOthers = false

    /// Gets each event that answers no command while it is received, and `nil` at the end. Must not block.
    ///
    /// An observer gets events in a task of its own, perhaps only after the answer to a command that came later. A
    /// follower has every earlier event when the caller of a command gets the answer.
    typealias EventFollower = @Sendable (HCIEvent?) -> Void

    private struct Observer {
        let id: Int
        let queue: BoundedQueue<HCIEvent>
        let isInterested: @Sendable (HCIEvent) -> Bool
    }

    private init(
        adapter: AdapterDescription,
        channel: any HCIChannel,
        follower: EventFollower?,
        scope: TaskScope,
        time: any TimeSource
    ) {
        self.adapter = adapter
        self.follower = follower
        self.channel = channel
        self.scope = scope
        self.time = time
    }

    /// Opens the adapter's HCI channel and starts its receive loop in the scope.
    public static func open(
        _ radio: any Radio,
        for use: HCIUse = .host,
        scope: TaskScope,
        time: any TimeSource
    ) throws(RadioError) -> HCIController {
        try open(radio, for: use, followedBy: nil, scope: scope, time: time)
    }

    static func open(
        _ radio: any Radio,
        for use: HCIUse = .host,
        followedBy follower: EventFollower?,
        scope: TaskScope,
        time: any TimeSource
    ) throws(RadioError) -> HCIController {
        let channel = try radio.openHCI(for: use)
        let controller = HCIController(
            adapter: radio.adapter,
            channel: channel,
            follower: follower,
            scope: scope,
            time: time
        )
        let isStarted = scope.spawn {
            do throws(RadioError) {
                while true {
                    await controller.received(try await channel.receiveWaiting())
                }
            } catch {
                await controller.ended(error)
            }
        }
        guard isStarted else {
            channel.close()
            throw RadioError(.cancelled, during: radio.adapter.name)
        }
        return controller
    }

    /// The number of events that were dropped before they were read.
    public nonisolated var droppedCount: Int { channel.droppedCount }

    // MARK: - Commands

    /// Performs a command, and returns its return parameters.
    ///
    /// Cancelling the task does not cancel the command, because commands that clean up must be sent when the task is
    /// cancelled. The wait is bounded by the command timeout.
    @discardableResult
    package func perform<Command: HCICommand>(_ command: Command) async throws(RadioError) -> Command.ReturnParameters {
        let bytes = try await answer(to: command)
        do throws(DecodeError) {
            return try Command.returnParameters(decoding: bytes)
        } catch {
            throw RadioError(.unsupported, during: "\(operation(command)): \(error)", on: adapter.name)
        }
    }

    /// The return parameters as octets. It is one function for all commands, because a copy for each is 70 KB in all.
    private func answer(to command: any HCICommand) async throws(RadioError) -> [UInt8] {
        if let end { throw end }
        lastCommand += 1
        let id = CommandID(rawValue: lastCommand)
        let result = await withCheckedContinuation { continuation in
            // Before the command is submitted, which may fail at once.
            waiters[id] = continuation
            execute(queue.submit(command, id: id, deadline: time.now + Self.commandTimeout))
        }
        switch result {
        case .success(let bytes):
            return bytes
        case .failure(.closed):
            throw end ?? RadioError(.closedLocally, during: operation(command))
        case .failure(let failure):
            throw RadioError(Self.cause(of: failure), during: operation(command), on: adapter.name)
        }
    }

    private func operation(_ command: any HCICommand) -> String { "\(adapter.name) (\(type(of: command).name))" }

    private static func cause(of failure: HCICommandFailure) -> RadioError.Cause {
        switch failure {
        case .rejected(let status): .commandRejected(status)
        case .timedOut: .controllerSilent
        case .closed: .closedLocally
        case .queueFull: .adapterBusy
        case .invalidAnswer: .unsupported
        }
    }

    // MARK: - Events

    /// Delivers the controller's events from now on, as far as `isInterested` accepts them. Answers to commands are
    /// omitted, except on request those by which another program has switched scanning on or off.
    func observe(
        limit: Int,
        where isInterested: @escaping @Sendable (HCIEvent) -> Bool = { !$0.hasSwitchedScanning }
    ) -> HCIObservation {
        let events = BoundedQueue<HCIEvent>(limit: limit, overflow: .dropOldest)
        lastObserver += 1
        let observer = Observer(id: lastObserver, queue: events, isInterested: isInterested)
        if let end { events.finish(end) } else { observers.append(observer) }
        return HCIObservation(id: observer.id, queue: events)
    }

    func stopObserving(_ observation: HCIObservation) {
        observers.removeAll { $0.id == observation.id }
        observation.queue.finish(RadioError(.closedLocally, during: "observation"))
    }

    /// Calls a function with each command that another program or the kernel sends from now on.
    func watchOthers(_ watch: @escaping @Sendable (HCICommandPacket) -> Void) { othersWatch = watch }

    // MARK: - End

    /// Closes the channel. All waiting tasks get an error.
    public func close() {
        ended(RadioError(.closedLocally, during: adapter.name))
    }

    /// Takes packets from the channel. Commands are those of other programs: the queue needs them to distinguish their
    /// answers from its own.
    private func received(_ packets: ArraySlice<[UInt8]>) {
        for bytes in packets {
            do throws(DecodeError) {
                switch try HCIPacket(decoding: bytes) {
                case .event(let packet): received(try HCIEvent(packet))
                case .command(let packet):
                    queue.othersSent(packet.opcode, deadline: time.now + Self.commandTimeout)
                    othersWatch?(packet)
                case .acl, .other: break
                }
            } catch {
                malformedCount += 1
            }
        }
        notifyObservers()
    }

    /// Takes an event: an answer goes to the queue, anything else to the observers.
    private func received(_ event: HCIEvent) {
        switch event {
        case .known(is CommandCompleteEvent), .known(is CommandStatusEvent):
            // The adapter is shared: an answer to no command of this queue belongs to another program.
            let actions = queue.eventReceived(event, now: time.now)
            if event.hasSwitchedScanning {
                isScanningUpToOthers = actions.isEmpty
                if isScanningUpToOthers { undelivered.append(event) }
            }
            // Observers get earlier events before the command's caller gets its answer, so that the order is kept.
            if !actions.isEmpty { notifyObservers() }
            execute(actions)
        default:
            undelivered.append(event)
        }
    }

    /// Wakes each observer once for all new events, because a crowd causes more events than tasks can be woken for.
    private func notifyObservers() {
        guard !undelivered.isEmpty else { return }
        if let follower { for event in undelivered { follower(event) } }
        for observer in observers { observer.queue.push(contentsOf: undelivered.filter(observer.isInterested)) }
        undelivered.removeAll(keepingCapacity: true)
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
        follower?(nil)
        for observer in observers { observer.queue.finish(reason) }
        observers = []
    }

    /// Carries out the queue's actions, and sets the timer for its next deadline.
    private func execute(_ actions: [HCICommandQueue.Action]) {
        for action in actions {
            switch action {
            case .send(let packet):
                do throws(RadioError) {
                    try channel.send(packet)
                } catch {
                    // Events that came before the failure are still delivered; the channel's end follows them.
                    channel.hangUp(error)
                }
            case .completed(let id, let result):
                waiters.removeValue(forKey: id)?.resume(returning: result)
            }
        }
        timer.arm(queue.nextDeadline, in: scope, time) { await self.timerFired() }
    }
}

struct HCIObservation: Sendable {
    let id: Int
    let queue: BoundedQueue<HCIEvent>
}

extension HCIController {
    /// Ends a link. If the link has ended already, this does nothing.
    func disconnect(_ handle: UInt16?) async {
        guard let handle else { return }
        _ = try? await perform(HCIDisconnect(ConnectionHandle(rawValue: handle)))
    }
}
