// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import Synchronization

/// One connected ATT bearer: feeds the state machine with what happens and carries out what it says.
///
/// All rules of the protocol are in `ATTBearer` and in the procedures; this actor moves bytes, wakes those who wait and keeps
/// the one timer. The link's end, for whatever reason, ends every waiter with the same error.
public actor ATTConnection {
    /// How long a cancelled operation may take to leave the device as it was.
    public static let tidyUpTimeout = Duration.seconds(2)

    /// The device at the other end.
    public nonisolated let peer: DeviceAddress

    private let channel: any ATTChannel
    private let time: any TimeSource
    private let scope: TaskScope
    private let onDiagnostic: @Sendable (String) -> Void

    private var bearer: ATTBearer
    private var timer = DeadlineTimer()
    private var waiters: [ATTTransactionID: CheckedContinuation<Result<ATTResponse, ATTFailure>, Never>] = [:]
    private var lastTransaction: UInt64 = 0
    /// In the order in which they came, so that virtual time wakes them in the same order in every run.
    private var observers: [(id: Int, handle: Handle?, queue: BoundedQueue<ValueEvent>)] = []
    private var lastObserver = 0
    private var mtuExchange: SharedOperation<UInt16>?
    private nonisolated let endState = Mutex<RadioError?>(nil)

    private init(
        channel: any ATTChannel,
        scope: TaskScope,
        time: any TimeSource,
        onDiagnostic: @escaping @Sendable (String) -> Void
    ) {
        self.channel = channel
        self.scope = scope
        self.time = time
        self.onDiagnostic = onDiagnostic
        peer = channel.peer
        bearer = ATTBearer(maximumMTU: channel.maximumMTU)
    }

    /// Takes over a connected channel: starts its receive loop in the scope.
    public static func start(
        _ channel: any ATTChannel,
        scope: TaskScope,
        time: any TimeSource,
        onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }
    ) -> ATTConnection {
        let connection = ATTConnection(channel: channel, scope: scope, time: time, onDiagnostic: onDiagnostic)
        scope.spawn {
            do throws(RadioError) {
                while true {
                    await connection.received(try await channel.receive())
                }
            } catch {
                await connection.ended(error)
            }
        }
        return connection
    }

    // MARK: - State

    /// The MTU in octets: 23 until it was exchanged.
    public var mtu: UInt16 { bearer.mtu }

    /// Why the connection ended; `nil` while it is there.
    public nonisolated var end: RadioError? { endState.withLock { $0 } }

    /// The handle of the link below, where it is known.
    public nonisolated var connectionHandle: UInt16? { channel.connectionHandle }

    /// Exchanges the MTU unless that was done; callers that come meanwhile wait for the same exchange.
    public func exchangeMTU(offering offered: UInt16) async throws -> UInt16 {
        let exchange: SharedOperation<UInt16>
        if let mtuExchange {
            exchange = mtuExchange
        } else {
            let offered = min(offered, channel.maximumMTU)
            // There is one exchange in the life of a bearer: it goes on though the first who asked for it has gone.
            exchange = SharedOperation(in: scope, endsWithLastCaller: false) {
                try await self.perform(MTUExchange(offering: offered))
            }
            mtuExchange = exchange
        }
        _ = try await exchange.value()
        return bearer.mtu
    }

    // MARK: - Requests

    /// Runs a procedure to its end, request by request.
    ///
    /// A procedure that is cancelled in mid-way is given the chance to tidy up at the device (a long write cancels what it
    /// has prepared) before this throws.
    public func perform<Procedure: GATTProcedure>(_ procedure: Procedure) async throws -> Procedure.Output {
        var procedure = procedure
        var step = procedure.start(mtu: bearer.mtu)
        while true {
            switch step {
            case .send(let request):
                let result: Result<ATTResponse, ATTErrorResponse>
                do throws(ATTFailure) {
                    result = .success(try await send(request))
                } catch {
                    guard case .errorResponse(let response) = error else {
                        if error == .cancelled, let request = procedure.abort() { await tidyUp(request) }
                        throw connectionError(error)
                    }
                    result = .failure(response)
                }
                step = procedure.received(result, mtu: bearer.mtu)
            case .done(let output):
                return output
            case .failed(let error):
                throw error
            }
        }
    }

    /// Sends a request and waits for its answer; cancelling the task gives up the wait, and the late answer is dropped.
    private func send(_ request: ATTRequest) async throws(ATTFailure) -> ATTResponse {
        lastTransaction += 1
        let id = ATTTransactionID(rawValue: lastTransaction)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(returning: Result<ATTResponse, ATTFailure>.failure(.cancelled))
                    return
                }
                waiters[id] = continuation
                execute(bearer.submit(request, id: id, now: time.now))
            }
        } onCancel: {
            scope.spawn { await self.cancel(id) }
        }
        return try result.get()
    }

    /// Sends a request although the task was cancelled, and waits a moment for its answer.
    private func tidyUp(_ request: ATTRequest) async {
        try? await scope.shielded {
            try await withDeadline(self.time.now + Self.tidyUpTimeout, self.time, operation: "tidying up") {
                _ = try await self.send(request)
            }
        }
    }

    private func cancel(_ id: ATTTransactionID) {
        execute(bearer.cancel(id))
        waiters.removeValue(forKey: id)?.resume(returning: .failure(.cancelled))
    }

    /// Sends a command, and waits until the kernel has taken it: the back-pressure of writes without response.
    public func send(_ command: ATTCommand) async throws {
        try Task.checkCancellation()
        if let end { throw end }
        execute(try bearer.submit(command))
        if let end { throw end }
        try await channel.drained()
    }

    // MARK: - Values

    /// The values that the device sends by itself, of one characteristic or of all, from now on.
    ///
    /// - Parameter limit: How many values wait for a slow reader; older ones are dropped and counted.
    public func observe(_ handle: Handle?, limit: Int = 4_096) -> ValueObservation {
        let queue = BoundedQueue<ValueEvent>(limit: limit, overflow: .dropOldest)
        lastObserver += 1
        let id = lastObserver
        if let end {
            queue.finish(end)
        } else {
            observers.append((id, handle, queue))
        }
        return ValueObservation(queue: queue) { [scope] in
            scope.spawn { await self.stopObserving(id) }
        }
    }

    private func stopObserving(_ id: Int) {
        guard let index = observers.firstIndex(where: { $0.id == id }) else { return }
        observers.remove(at: index).queue.finish(RadioError(.closedLocally, during: "observation"))
    }

    // MARK: - End

    /// Closes the link; everybody who waits is told.
    public func close() {
        channel.close()
        ended(RadioError(.closedLocally, during: "connection to \(peer.address)"))
    }

    private func received(_ pdu: [UInt8]) {
        execute(bearer.pduReceived(pdu, now: time.now))
    }

    private func timerFired() {
        timer.fired()
        execute(bearer.timerFired(now: time.now))
    }

    private func ended(_ reason: RadioError) {
        let isFirst = endState.withLock { end in
            defer { end = end ?? reason }
            return end == nil
        }
        guard isFirst else { return }
        execute(bearer.channelClosed())
        timer.stop()
        for observer in observers { observer.queue.finish(reason) }
        observers = []
    }

    private func execute(_ actions: [ATTBearer.Action]) {
        for action in actions {
            switch action {
            case .send(let pdu):
                do throws(RadioError) {
                    try channel.send(pdu)
                } catch {
                    channel.close()
                    ended(error)
                }
            case .completed(let id, let result):
                waiters.removeValue(forKey: id)?.resume(returning: result)
            case .received(let pdu):
                deliver(pdu)
            case .indicationConfirmed, .indicationFailed, .serve:
                break
            case .close(let failure):
                channel.close()
                ended(RadioError(.closedLocally, during: "connection to \(peer.address): \(failure)"))
            case .report(let diagnostic):
                onDiagnostic("\(peer.address): \(diagnostic)")
            }
        }
        timer.arm(bearer.nextDeadline, in: scope, time) { await self.timerFired() }
    }

    private func deliver(_ pdu: ATTServerPDU) {
        let instant = time.now
        for event in ValueEvent.events(of: pdu, at: instant, wall: time.wallClock) {
            for observer in observers where observer.handle == nil || observer.handle == event.handle {
                observer.queue.push(event)
            }
        }
    }

    /// A failure of the bearer in the words of the radio, where the radio knows better why.
    private func connectionError(_ failure: ATTFailure) -> any Error {
        switch failure {
        case .closed: end ?? RadioError(.closedLocally, during: "connection to \(peer.address)")
        case .cancelled: CancellationError()
        default: failure
        }
    }
}
