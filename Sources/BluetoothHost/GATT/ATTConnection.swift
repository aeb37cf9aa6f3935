// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// The ATT bearers of a link: passes events to their state machines and carries out the actions.
///
/// All rules of the protocol are in `ATTBearer` and in the procedures. This actor moves bytes, resumes waiting callers
/// and keeps the timer. When the link ends, every waiting caller gets the same error. A link may have enhanced bearers
/// beside the usual one; each procedure has its requests on one bearer, and several run at once then.
public actor ATTConnection {
    /// The MTU that is offered to the device, in octets: enough for the longest attribute, and what other hosts offer.
    public static let offeredMTU: UInt16 = 517

    /// The device at the other end.
    public nonisolated let peer: DeviceAddress

    /// The changes of its database that the device has announced.
    nonisolated let serviceChanges = ServiceChanges()

    let channel: any ATTChannel
    let time: any TimeSource
    let scope: TaskScope
    private let onDiagnostic: @Sendable (LinkDiagnostic) -> Void
    let onSecurityRaised: @Sendable (ATTErrorCode, LinkSecurity) -> Void
    let onBearers: @Sendable (BearerOutcome) -> Void
    nonisolated let bondIsKept: Atomic<Bool>
    /// Has the say before the security is raised; `nil`: the kernel alone has it.
    let linkGuard: (any LinkGuard)?

    // The security of the link, see `ATTConnection+Security.swift`.
    var protection: LinkProtection
    var raisingFirst: SharedOperation<Void>?
    var raisingOnDemand: SharedOperation<Void>?

    /// The work on the link before the first request; see `protect`.
    let preparation: (@Sendable () async throws -> Void)?
    var preparing: SharedOperation<Void>?

    /// The bearers by their numbers: first that of the channel, then the enhanced ones, also those that have ended.
    var lanes: [BearerLane]
    private var timer = DeadlineTimer()
    private var waiters: [ATTTransactionID: (lane: Int, continuation: CheckedContinuation<Reply, Never>)] = [:]
    private var lastTransaction: UInt64 = 0
    /// In the order of their arrival, so that virtual time wakes them in the same order in every run.
    private var observers: [(id: ObserverID, handle: Handle?, sink: ValueSink)] = []
    private var lastObserver: ObserverID = 0
    /// The observers without room for more values, if the link has flow control.
    private var fullObservers: [any BackpressureSource] = []

    // The exchange of the MTU, see `ATTConnection+MTU.swift`.
    var mtuExchange: SharedOperation<UInt16>?
    /// How the device takes the exchange; `nil` if nobody would make another link without it.
    let mtuHistory: MTUHistory?
    var lastAnswer: Instant?
    /// What is wanted of the bearers, and the work for it; see `ATTConnection+Bearers.swift`.
    var wanted: BearerRequest
    var fulfilling: SharedOperation<BearerOutcome>?
    /// The reason why there are no enhanced bearers.
    var lack: BearerOutcome.Lack?
    /// Whether the bearer has the request of the exchange.
    var isMTURequested = false
    var isMTUExchanged = false

    private let preparedWrites = AsyncLock()
    private nonisolated let endState = Mutex<RadioError?>(nil)
    private nonisolated let hasReceived = Atomic(false)
    /// Whether the owner has closed the link. An end during the encryption of the link means something else otherwise.
    nonisolated let isClosedByOwner = Atomic(false)
    private nonisolated let raisingFailureState = Mutex<Instant?>(nil)
    private nonisolated let holdBack = ReceiveThrottle()
    private var reportedDrops = 0

    /// The result of a request, and the MTU of its response, which need not be that of the bearer any more.
    private struct Reply {
        let result: Result<ATTResponse, ATTFailure>
        let mtu: UInt16
    }

    private init(
        channel: any ATTChannel,
        scope: TaskScope,
        time: any TimeSource,
        security: SecurityPolicy,
        linkGuard: (any LinkGuard)?,
        mtuHistory: MTUHistory?,
        bearers: BearerRequest,
        onBearers: @escaping @Sendable (BearerOutcome) -> Void,
        preparation: (@Sendable () async throws -> Void)?,
        onDiagnostic: @escaping @Sendable (LinkDiagnostic) -> Void,
        onSecurityRaised: @escaping @Sendable (ATTErrorCode, LinkSecurity) -> Void
    ) {
        self.preparation = preparation
        self.mtuHistory = mtuHistory
        protection = LinkProtection(security)
        bondIsKept = Atomic(security.hasBond)
        self.linkGuard = linkGuard
        self.onSecurityRaised = onSecurityRaised
        self.onBearers = onBearers
        self.channel = channel
        self.scope = scope
        self.time = time
        self.onDiagnostic = onDiagnostic
        peer = channel.peer
        wanted = bearers
        // The same size in both roles, as the specification requires (Vol 3, Part F, 3.4.2.2). A waiting request is a
        // suspended task of this program, so the number of callers limits their number.
        let bearer = ATTBearer(maximumMTU: min(channel.maximumMTU, bearers.largestMTU), requestLimit: .max)
        lanes = [BearerLane(bearer: bearer, channel: channel)]
    }

    /// Takes over a connected channel and starts its receive loop in the scope. The end of the scope ends it.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - scope: The scope in which the tasks of the connection run.
    ///   - time: The clock of its deadlines.
    ///   - security: The requirements for the security of the link.
    ///   - onDiagnostic: Called with behaviour of the device that is odd but harmless.
    ///   - onSecurityRaised: Called when the security was raised because the device had refused a request: its reason,
    ///     and the security now.
    ///   - preparation: The work on the link before the first request. If it fails, the request fails, and the next one
    ///     tries again.
    public static func start(
        _ channel: any ATTChannel,
        scope: TaskScope,
        time: any TimeSource,
        security: SecurityPolicy = SecurityPolicy(),
        onDiagnostic: @escaping @Sendable (LinkDiagnostic) -> Void = { _ in },
        onSecurityRaised: @escaping @Sendable (ATTErrorCode, LinkSecurity) -> Void = { _, _ in },
        preparation: (@Sendable () async throws -> Void)? = nil
    ) -> ATTConnection {
        start(
            channel,
            scope: scope,
            time: time,
            security: security,
            guardedBy: nil,
            onDiagnostic: onDiagnostic,
            onSecurityRaised: onSecurityRaised,
            preparation: preparation
        )
    }

    /// Also takes a guard, which decides before the security of the link is raised, what earlier links have shown about
    /// the exchange of the MTU, and what is wanted of the bearers.
    static func start(
        _ channel: any ATTChannel,
        scope: TaskScope,
        time: any TimeSource,
        security: SecurityPolicy,
        guardedBy linkGuard: (any LinkGuard)?,
        mtuHistory: MTUHistory? = nil,
        bearers: BearerRequest = BearerRequest(),
        onBearers: @escaping @Sendable (BearerOutcome) -> Void = { _ in },
        onDiagnostic: @escaping @Sendable (LinkDiagnostic) -> Void = { _ in },
        onSecurityRaised: @escaping @Sendable (ATTErrorCode, LinkSecurity) -> Void = { _, _ in },
        preparation: (@Sendable () async throws -> Void)? = nil
    ) -> ATTConnection {
        let connection = ATTConnection(
            channel: channel,
            scope: scope,
            time: time,
            security: security,
            linkGuard: linkGuard,
            mtuHistory: mtuHistory,
            bearers: bearers,
            onBearers: onBearers,
            preparation: preparation,
            onDiagnostic: onDiagnostic,
            onSecurityRaised: onSecurityRaised
        )
        let isStarted = scope.spawn {
            do throws(RadioError) {
                while true {
                    for observer in await connection.received(try await channel.receiveAged()) {
                        await connection.holdBack.wait(for: observer)
                    }
                }
            } catch {
                await connection.ended(error)
            }
        }
        // The scope has ended, and a link that nobody reads must not stay open.
        if !isStarted { connection.close() }
        return connection
    }

    // MARK: - State

    /// The MTU in octets, the largest one if there are several bearers: 23 until it is exchanged.
    public var mtu: UInt16 { lanes[lane].bearer.mtu }

    /// The bearer of the channel, which every link has.
    var bearer: ATTBearer { lanes[0].bearer }

    /// The reason of the connection's end; `nil` while it is connected.
    public nonisolated var end: RadioError? { endState.withLock { $0 } }

    /// The time at which the security could not be raised although the device had demanded it.
    nonisolated var raisingFailure: Instant? { raisingFailureState.withLock { $0 } }

    /// Notes that the security could not be raised on demand.
    func noteRaisingFailure() { raisingFailureState.withLock { $0 = $0 ?? time.now } }

    /// Whether the device has sent anything.
    public nonisolated var isProven: Bool { hasReceived.load(ordering: .relaxed) }

    /// Whether the link is encrypted: a bonded device recognises this client by the key.
    public nonisolated var isEncrypted: Bool { channel.security.isEncrypted }

    /// Whether the channel holds the device back while observers have no room.
    nonisolated var hasFlowControl: Bool { channel.hasFlowControl }

    /// The handle of the connection in HCI; `nil` if it is not known.
    public nonisolated var connectionHandle: UInt16? { channel.connectionHandle }

    /// The properties of the link that the channel knows without a command to the controller.
    public nonisolated var linkState: LinkState { channel.linkState }

    // MARK: - Requests

    /// Runs a procedure to its end, request by request.
    ///
    /// If a procedure is abandoned midway, this sends its last request (a long write cancels its prepared parts) before
    /// it throws. Procedures that prepare writes run one after the other, because a device has one queue for them.
    public func perform<Procedure: GATTProcedure>(_ procedure: Procedure) async throws -> Procedure.Output {
        guard procedure.preparesWrites else { return try await run(procedure) }
        return try await preparedWrites.withLock { try await run(procedure) }
    }

    /// Runs a procedure, and once more if the device has refused it and the security of the link was raised for that.
    ///
    /// - Parameter lane: The bearer; `nil` for any, after what is wanted of the bearers was done.
    func run<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        on lane: Int? = nil
    ) async throws -> Procedure.Output {
        try await protect()
        if lane == nil, !wanted.isUsual { try await fulfil() }
        // Noted before the request: the link may be raised for another request before this one is refused.
        let epoch = protection.epoch
        do {
            return try await runOnce(procedure, on: lane)
        } catch GATTError.refused(let refusal) {
            guard try await protect(after: refusal, sentIn: epoch) else { throw GATTError.refused(refusal) }
        }
        return try await runOnce(procedure, on: lane)
    }

    /// Runs a procedure request by request. A procedure that was cut short is cleaned up if the server may have kept
    /// a part of it, such as a queue of prepared writes.
    private func runOnce<Procedure: GATTProcedure>(
        _ original: Procedure,
        on given: Int?
    ) async throws -> Procedure.Output {
        try Task.checkCancellation()
        let lane = given ?? self.lane
        lanes[lane].procedures += 1
        defer { lanes[lane].procedures -= 1 }
        var procedure = original
        var step = procedure.start(mtu: lanes[lane].bearer.mtu)
        while true {
            switch step {
            case .send(let request):
                let reply = await send(request, on: lane)
                let answer: ATTAnswer
                switch reply.result {
                case .success(let response): answer = .success(response)
                case .failure(.errorResponse(let response)): answer = .failure(response)
                case .failure(.closed) where lane > 0 && end == nil && request.mayBeRepeated:
                    // The device has closed the bearer, and another one serves as well.
                    return try await runOnce(original, on: nil)
                case .failure(let failure):
                    if let request = procedure.abort() { await cleanUp(with: request, on: lane) }
                    throw connectionError(failure, on: lane)
                }
                step = procedure.received(answer, mtu: reply.mtu)
            case .done(let output):
                return output
            case .failed(let error):
                throw error
            }
        }
    }

    /// Sends a request and waits for its answer; cancelling the task ends the wait, and the late answer is dropped.
    private func send(_ request: ATTRequest, on lane: Int) async -> Reply {
        lastTransaction += 1
        let id = ATTTransactionID(rawValue: lastTransaction)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(returning: Reply(result: .failure(.cancelled), mtu: mtu))
                    return
                }
                if case .exchangeMTU = request { isMTURequested = true }
                // Before the request is submitted, which may fail at once.
                waiters[id] = (lane, continuation)
                execute(lanes[lane].bearer.submit(request, id: id, now: time.now), on: lane)
            }
        } onCancel: {
            // If the scope has ended, so has the receive loop, and every waiting caller was resumed.
            scope.spawn { await self.cancel(id) }
        }
    }

    /// Sends a request although the task was cancelled, and waits a moment for its answer.
    ///
    /// At the end of that time only the wait ends: the request remains in the queue of the bearer, before all later
    /// ones.
    private func cleanUp(with request: ATTRequest, on lane: Int) async {
        guard end == nil else { return }
        let request = SharedOperation(in: scope) { await self.send(request, on: lane) }
        await scope.cleanUp(time) { _ = try await request.value() }
    }

    private func cancel(_ id: ATTTransactionID) {
        guard let lane = waiters[id]?.lane else { return }
        execute(lanes[lane].bearer.cancel(id), on: lane)
    }

    /// Sends a command, and waits until the kernel has taken it, which is the back-pressure of writes without response.
    ///
    /// A device may stop to receive without losing the link. The wait then ends after the timeout of a transaction.
    public func send(_ command: ATTCommand) async throws {
        try Task.checkCancellation()
        try await protect()
        if !wanted.isUsual { try await fulfil() }
        if let end { throw end }
        // All on the same bearer, so that they keep their order.
        let lane = lanes.firstIndex { $0.isOpen && $0.bearer.mtu == mtu } ?? 0
        execute(try lanes[lane].bearer.submit(command), on: lane)
        if let end { throw end }
        // A device whose values are not taken may stop receiving, and then there is never room.
        holdBack.lift()
        defer { holdBack.restore() }
        let deadline = time.now + ATTBearer.transactionTimeout
        try await withDeadline(deadline, time, operation: "room for data to \(peer.address)") {
            [channel = lanes[lane].channel] in
            do throws(RadioError) {
                try await channel.drained()
            } catch {
                throw error.cause == .cancelled ? CancellationError() : error
            }
        }
    }

    // MARK: - Values

    typealias ObserverID = Int

    /// Passes the values of one characteristic, or of all, to a sink, from now on until `stopObserving`.
    func observe(_ handle: Handle?, _ sink: ValueSink) -> ObserverID {
        lastObserver += 1
        if let end {
            sink.ended(end)
        } else {
            observers.append((lastObserver, handle, sink))
        }
        return lastObserver
    }

    func stopObserving(_ id: ObserverID) {
        observers.removeAll { $0.id == id }
    }

    // MARK: - End

    /// Waits for the end of the link, and returns its reason; `nil` if the task was cancelled before.
    package func untilEnded() async -> RadioError? {
        let (ends, continuation) = AsyncStream<RadioError>.makeStream()
        let sink = ValueSink(received: { _ in true }, ended: { continuation.yield($0) })
        let id = observe(nil, sink)
        defer { stopObserving(id) }
        for await end in ends { return end }
        return nil
    }

    /// Closes the link. Every waiting caller gets an error.
    public nonisolated func close() {
        isClosedByOwner.store(true, ordering: .relaxed)
        close(RadioError(.closedLocally, during: "connection to \(peer.address)"))
    }

    /// The receive loop finds the channel closed and ends the rest.
    nonisolated func close(_ reason: RadioError) {
        endState.withLock { $0 = $0 ?? reason }
        channel.close()
        // The end is not delayed by slow readers.
        holdBack.lift()
    }

    /// Processes received PDUs. Returns the observers for whose room a link with flow control waits.
    private func received(_ pdus: [TimestampedPacket]) -> [any BackpressureSource] {
        if !hasReceived.exchange(true, ordering: .relaxed) { mtuHistory?.answered() }
        let dropped = channel.droppedCount
        if dropped > reportedDrops {
            let lost = "\(count: dropped - reportedDrops, "value") dropped, for which there was no room"
            reportedDrops = dropped
            onDiagnostic(LinkDiagnostic("\(peer.address): \(lost)", isOverflow: true))
        }
        let now = (time.now, time.wallClock)
        for pdu in pdus { received(pdu, on: 0, now) }
        defer { fullObservers = [] }
        return fullObservers
    }

    /// Processes a PDU of a bearer.
    ///
    /// - Parameter now: The time; the PDUs of a batch have it in common.
    func received(_ pdu: TimestampedPacket, on lane: Int, _ now: ArrivalTime) {
        let arrival = (now.instant + (.zero - pdu.age), now.wall + (.zero - pdu.age))
        execute(lanes[lane].bearer.pduReceived(pdu.bytes, now: now.instant), on: lane, arrival: arrival)
    }

    private func timerFired() {
        timer.fired()
        for lane in lanes.indices { execute(lanes[lane].bearer.timerFired(now: time.now), on: lane) }
    }

    /// The channel has ended. The first reason is reported to all.
    private func ended(_ reason: RadioError) {
        close(reason)
        for lane in lanes.indices { ended(lane) }
        timer.stop()
        serviceChanges.finish(end ?? reason)
        let present = observers
        observers = []
        for observer in present { observer.sink.ended(end ?? reason) }
    }

    func ended(_ lane: Int) {
        if lane > 0 { lanes[lane].channel.close() }
        execute(lanes[lane].bearer.channelClosed(), on: lane)
    }

    /// - Parameter arrival: When the PDU arrived that has led to the actions.
    private func execute(_ actions: [ATTBearer.Action], on lane: Int, arrival: ArrivalTime? = nil) {
        for action in actions {
            switch action {
            case .send(let pdu):
                do throws(RadioError) {
                    try lanes[lane].channel.send(pdu)
                } catch {
                    // PDUs that arrived before are still delivered, and then the end of the channel. If this side has
                    // closed the channel, the receive loop reads no more.
                    if end == nil { lanes[lane].channel.hangUp(error) } else { ended(error) }
                }
            case .completed(let id, let result):
                lastAnswer = time.now
                let reply = Reply(result: result, mtu: lanes[lane].bearer.responseMTU)
                waiters.removeValue(forKey: id)?.continuation.resume(returning: reply)
            case .received(let pdu):
                deliver(pdu, at: arrival ?? (time.now, time.wallClock))
            // This side has no attributes: the bearer answers the requests of the device, and no indication is sent.
            case .indicationConfirmed, .indicationFailed, .serve:
                break
            case .close(let failure) where lane > 0:
                onDiagnostic(LinkDiagnostic("\(peer.address): an enhanced bearer is closed: \(failure)"))
                ended(lane)
            case .close(let failure):
                ended(RadioError(.closedLocally, during: "connection to \(peer.address): \(failure)"))
            case .report(let diagnostic):
                onDiagnostic(LinkDiagnostic("\(peer.address): \(diagnostic)", isLostUpdate: diagnostic.isLostUpdate))
            }
        }
        holdBack.setAnswerAwaited(lanes.contains { $0.bearer.isAnswerAwaited })
        let deadline = lanes.lazy.compactMap(\.bearer.nextDeadline).min()
        timer.arm(deadline, in: scope, time) { await self.timerFired() }
    }

    private func deliver(_ pdu: ATTServerPDU, at arrival: ArrivalTime) {
        let mtu = isMTUExchanged || mtu > ATTBearer.minimumMTU ? nil : mtu
        for event in ValueEvent.events(of: pdu, at: arrival.instant, wall: arrival.wall, mtu: mtu) {
            // Before the observers, because one that gets the value may ask about the database at once.
            serviceChanges.received(event)
            for observer in observers where observer.handle == nil || observer.handle == event.handle {
                guard !observer.sink.received(event), let room = observer.sink.room else { continue }
                if !fullObservers.contains(where: { $0 === room }) { fullObservers.append(room) }
            }
        }
    }

    /// A failure of the bearer as an error, with the radio's reason for an end.
    private func connectionError(_ failure: ATTFailure, on lane: Int) -> any Error {
        switch failure {
        case .closed where lane > 0 && end == nil:
            RadioError(.closedByPeer(nil), during: "enhanced bearer to \(peer.address)")
        case .closed: end ?? RadioError(.closedLocally, during: "connection to \(peer.address)")
        case .cancelled: CancellationError()
        default: failure
        }
    }
}
