// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// The controller of an adapter: sends it commands and hands out its events.
///
/// Which command waits for which event is the business of `HCICommandQueue`; this actor moves packets, wakes those who wait
/// and keeps the one timer.
public actor HCIController {
    /// How long the controller may take to answer a command.
    public static let commandTimeout = Duration.seconds(2)

    /// Which adapter it is.
    public nonisolated let adapter: AdapterDescription

    private let channel: any HCIChannel
    private let scope: TaskScope
    private let time: any TimeSource

    private var queue = HCICommandQueue()
    private var timer = DeadlineTimer()
    private var waiters: [HCICommandID: CheckedContinuation<Result<[UInt8], HCICommandFailure>, Never>] = [:]
    private var lastCommand: UInt64 = 0
    private var observers: [Observer] = []
    private var lastObserver = 0
    /// What has come and was not told to observers yet.
    private var untold: [HCIEvent] = []
    private var end: RadioError?

    /// How many packets from the controller made no sense.
    public private(set) var malformedCount = 0

    /// Whether it was another program that has last switched scanning on or off. What it is now is that program's business.
    private(set) var isScanningUpToOthers = false

    private struct Observer {
        let id: Int
        let queue: BoundedQueue<HCIEvent>
        let isInterested: @Sendable (HCIEvent) -> Bool
    }

    private init(adapter: AdapterDescription, channel: any HCIChannel, scope: TaskScope, time: any TimeSource) {
        self.adapter = adapter
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
        let channel = try radio.openHCI(for: use)
        let controller = HCIController(adapter: radio.adapter, channel: channel, scope: scope, time: time)
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

    /// How many events were dropped before they could be looked at.
    public nonisolated var droppedCount: Int { channel.droppedCount }

    // MARK: - Commands

    /// Sends a command and returns what it returns.
    ///
    /// Not cancelled with the task: the controller answers within the command timeout or is given up, and commands that tidy
    /// up have to go through just when the task was cancelled.
    @discardableResult
    public func perform<Command: HCICommand>(_ command: Command) async throws(RadioError) -> Command.ReturnParameters {
        let operation = "\(adapter.name) (\(Command.name))"
        if let end { throw end }
        lastCommand += 1
        let id = HCICommandID(rawValue: lastCommand)
        let result = await withCheckedContinuation { continuation in
            waiters[id] = continuation
            execute(queue.submit(command, id: id, deadline: time.now + Self.commandTimeout))
        }
        switch result {
        case .success(let bytes):
            do throws(DecodeError) {
                return try Command.returnParameters(decoding: bytes)
            } catch {
                throw RadioError(.unsupported, during: "\(operation): \(error)", on: adapter.name)
            }
        case .failure(.closed):
            throw end ?? RadioError(.closedLocally, during: operation)
        case .failure(let failure):
            throw RadioError(Self.cause(of: failure), during: operation, on: adapter.name)
        }
    }

    private static func cause(of failure: HCICommandFailure) -> RadioError.Cause {
        switch failure {
        case .rejected(let status): .commandRejected(status)
        case .timedOut: .controllerSilent
        case .closed: .closedLocally
        case .cancelled: .cancelled
        case .queueFull: .adapterBusy
        case .invalidAnswer: .unsupported
        }
    }

    // MARK: - Events

    /// The controller's events from now on, as far as they are of interest. The answers to commands are not among them, but
    /// for those by which another program has switched scanning on or off, where they are asked for.
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

    // MARK: - End

    /// Closes the channel; everybody who waits is told.
    public func close() {
        ended(RadioError(.closedLocally, during: adapter.name))
    }

    private func received(_ packets: ArraySlice<[UInt8]>) {
        for bytes in packets {
            do throws(DecodeError) {
                switch try HCIPacket(decoding: bytes) {
                case .event(let packet): received(try HCIEvent(packet))
                case .command(let packet): queue.othersSent(packet.opcode, deadline: time.now + Self.commandTimeout)
                case .acl, .other: break
                }
            } catch {
                malformedCount += 1
            }
        }
        tellObservers()
    }

    private func received(_ event: HCIEvent) {
        switch event {
        case .commandComplete, .commandStatus:
            // The adapter is shared: what answers no command of ours answers another program's.
            let actions = queue.eventReceived(event, now: time.now)
            if event.hasSwitchedScanning {
                isScanningUpToOthers = actions.isEmpty
                if isScanningUpToOthers { untold.append(event) }
            }
            // Whoever gets the answer finds what came before it told.
            if !actions.isEmpty { tellObservers() }
            execute(actions)
        default:
            untold.append(event)
        }
    }

    /// Wakes each observer once for all that has come.
    private func tellObservers() {
        guard !untold.isEmpty else { return }
        for observer in observers { observer.queue.push(contentsOf: untold.filter(observer.isInterested)) }
        untold.removeAll(keepingCapacity: true)
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
        for observer in observers { observer.queue.finish(reason) }
        observers = []
    }

    private func execute(_ actions: [HCICommandQueue.Action]) {
        for action in actions {
            switch action {
            case .send(let packet):
                do throws(RadioError) {
                    try channel.send(packet)
                } catch {
                    // The events that came before are handed out; the end of the channel follows them.
                    channel.hangUp(error)
                }
            case .completed(let id, let result):
                waiters.removeValue(forKey: id)?.resume(returning: result)
            }
        }
        timer.arm(queue.nextDeadline, in: scope, time) { await self.timerFired() }
    }
}

/// The stream of events that one observer sees.
struct HCIObservation: Sendable {
    let id: Int
    let queue: BoundedQueue<HCIEvent>
}
