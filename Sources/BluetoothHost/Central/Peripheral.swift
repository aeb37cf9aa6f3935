// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A device in the role of GATT server, as seen from here.
///
/// It connects by itself when an operation needs the link, and operations that need the same connection share it. What is
/// done when about the link is the business of `ConnectionLifecycle`.
public actor Peripheral {
    /// How connections are made.
    public struct Configuration: Sendable {
        /// How long one attempt may take, once it is our turn.
        public var connectTimeout: Duration
        /// What happens after a failed attempt.
        public var retries: RetryPolicy
        /// What happens while another program has the device.
        public var waits: WaitPolicy
        /// Told when a wait for another program begins, with why there is no link yet.
        public var onWait: @Sendable (RadioError) -> Void
        /// Told after a failed attempt that is followed by another: attempt number, error, pause.
        public var onRetry: @Sendable (Int, RadioError, Duration) -> Void
        /// How the link is made again that observers have lost; `nil`: not at all.
        public var reconnection: Reconnection?
        /// Where databases are kept; `nil`: nowhere.
        public var store: (any DatabaseStore)?
        /// Told of what is odd but survivable in the device's behaviour.
        public var onDiagnostic: @Sendable (String) -> Void

        /// Makes a configuration. Others are waited for as long as an attempt may take, unless there is a policy.
        public init(
            connectTimeout: Duration = .seconds(10),
            retries: RetryPolicy = RetryPolicy(),
            waits: WaitPolicy? = nil,
            reconnection: Reconnection? = nil,
            store: (any DatabaseStore)? = nil,
            onRetry: @escaping @Sendable (Int, RadioError, Duration) -> Void = { _, _, _ in },
            onWait: @escaping @Sendable (RadioError) -> Void = { _ in },
            onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.connectTimeout = connectTimeout
            self.retries = retries
            self.waits = waits ?? WaitPolicy(patience: connectTimeout)
            self.onWait = onWait
            self.reconnection = reconnection
            self.store = store
            self.onRetry = onRetry
            self.onDiagnostic = onDiagnostic
        }
    }

    /// Where the device is.
    public nonisolated let address: DeviceAddress

    /// What it has, as far as that is known.
    public nonisolated let database: RemoteDatabase

    private let radio: any Radio
    let scope: TaskScope
    let time: any TimeSource
    let configuration: Configuration

    private(set) var lifecycle: ConnectionLifecycle<ATTConnection>
    private var callers: [UInt64: CheckedContinuation<Result<ATTConnection, any Error>, Never>] = [:]
    private var lastCaller: UInt64 = 0
    private var attempt: ScopedTask?
    /// While we have it, other programs that take turns leave the device alone.
    private var turn: (any Turn)?

    // What is observed, see `Peripheral+Observations.swift`.
    var observers: [SubscriptionTable.ObserverID: ObservationQueue] = [:]
    var lastObserver: SubscriptionTable.ObserverID = 0
    var subscriptions = SubscriptionTable()
    /// Subscriptions are made and given up one after the other.
    let subscribing = AsyncLock()
    /// Where the present link hands the values of a handle to an observer.
    var routes: [SubscriptionTable.ObserverID: [Handle: Route]] = [:]
    /// The link whose end is waited for.
    var watched: ATTConnection?
    var serviceChangedTask: ScopedTask?
    /// While everything is found again: what comes from new places waits here until observers were told of that.
    var changing: ValueGate?

    // How a lost link is made again, see `Peripheral+Links.swift`.
    var reconnecting: Reconnecting?
    var lastReconnection = 0
    /// When a link was made again, and how many such links did not last, one after the other.
    var restoredAt: Instant?
    var lossesInARow = 0

    /// A device at an address; nothing is sent yet.
    public init(
        _ address: DeviceAddress,
        radio: any Radio,
        scope: TaskScope,
        time: any TimeSource,
        configuration: Configuration = Configuration()
    ) {
        self.address = address
        self.radio = radio
        self.scope = scope
        self.time = time
        self.configuration = configuration
        database = RemoteDatabase(of: address, store: configuration.store)
        lifecycle = ConnectionLifecycle(retries: configuration.retries, waits: configuration.waits)
    }

    // MARK: - Link

    /// How many attempts the present connection took, or has taken so far; 0 without one.
    public var attempts: Int { lifecycle.attempts }

    /// Whether there is a link.
    public var isConnected: Bool { lifecycle.link.map { $0.end == nil } ?? false }

    /// The connection, made where there is none; callers that come meanwhile wait for the same one.
    ///
    /// Throws `ConnectFailure`, `CancellationError` where the caller was cancelled, or a `RadioError` with `closedLocally`
    /// where `disconnect` came in between. The attempt is given up with the last caller that waits for it.
    public func connection() async throws -> ATTConnection {
        endLifecycle()
        lastCaller += 1
        let caller = lastCaller
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<ATTConnection, any Error>, Never>) in
                guard !Task.isCancelled else {
                    continuation.resume(returning: .failure(CancellationError()))
                    return
                }
                callers[caller] = continuation
                execute(lifecycle.wanted(by: caller, now: time.now))
            }
        } onCancel: {
            // Where the scope has ended the attempt has ended with it, and told everybody.
            scope.spawn { await self.callerLeft(caller) }
        }
        return try result.get()
    }

    /// Closes the link, if there is one, or gives up the attempt to make one. Observations end. What is known of the
    /// device's database is kept, where there is a place for it.
    public func disconnect() async {
        endObservations()
        execute(lifecycle.disconnect())
        await database.save()
    }

    /// Others may have the device when its link has ended.
    func endLifecycle() {
        if lifecycle.link?.end != nil { execute(lifecycle.linkEnded()) }
    }

    private func callerLeft(_ caller: UInt64) {
        execute(lifecycle.callerLeft(caller))
    }

    private func makeAttempt(at moment: Instant, turnBy deadline: Instant) async {
        do throws(RadioError) {
            if moment > time.now {
                do {
                    try await time.sleep(until: moment)
                } catch {
                    throw RadioError(.cancelled, during: operation)
                }
            }
            if turn == nil {
                let (configuration, operation) = (configuration, operation)
                let subject = TurnSubject.device(DeviceAddress(address.address, address.type.connectionType))
                turn = try await radio.takeTurn(subject, by: deadline) {
                    configuration.onWait(subject.busyError($0, during: operation))
                }
            }
            let channel = try await radio.connectATT(to: address, deadline: time.now + configuration.connectTimeout)
            let connection = ATTConnection.start(
                channel,
                scope: scope,
                time: time,
                onDiagnostic: configuration.onDiagnostic
            )
            execute(lifecycle.attemptSucceeded(connection))
            // Also where nobody observes anything: what is known of the database may cease to hold.
            if lifecycle.link === connection { await watch(connection) }
        } catch {
            // Reconnecting has pauses of its own.
            execute(lifecycle.attemptFailed(error, now: time.now, isLast: reconnecting != nil))
        }
    }

    private func execute(_ actions: [ConnectionLifecycle<ATTConnection>.Action]) {
        for action in actions {
            switch action {
            case .attempt(let moment, let deadline):
                let attempt = scope.spawnCancellable { await self.makeAttempt(at: moment, turnBy: deadline) }
                self.attempt = attempt
                guard !attempt.isStarted else { continue }
                execute(lifecycle.attemptFailed(RadioError(.cancelled, during: operation), now: time.now))
            case .giveUp:
                attempt?.cancel()
            case .reportWait(let error):
                configuration.onWait(error)
            case .endTurn:
                turn?.end()
                turn = nil
            case .reportRetry(let attempt, let error, let pause):
                configuration.onRetry(attempt, error, pause)
            case .tell(let caller, let result):
                callers.removeValue(forKey: caller)?.resume(returning: result.mapError(explain))
            case .close(let connection):
                connection.close()
            }
        }
    }

    private var operation: String { "connection to \(address.address)" }

    private func explain(_ failure: ConnectionLifecycle<ATTConnection>.Failure) -> any Error {
        switch failure {
        case .failed(let failure): failure
        case .cancelled: CancellationError()
        case .disconnected: RadioError(.closedLocally, during: operation)
        }
    }

    // MARK: - Procedures

    /// Runs a GATT procedure on the link, connecting first where needed.
    public func perform<Procedure: GATTProcedure & Sendable>(
        _ procedure: Procedure
    ) async throws -> Procedure.Output {
        try await connection().perform(procedure)
    }

    /// Runs an operation on one link from its beginning to its end, connecting first where needed.
    ///
    /// The kernel calls a link connected before the device has answered on it once; where it then does not answer at all
    /// (HCI 0x3E), that shows as the loss of the link. Some devices hang up on the first central that comes after another
    /// one. To a user both are a failed attempt to connect, and are tried again like one. The operation has to be one that
    /// may be repeated.
    func onLink<Value>(_ operation: (ATTConnection) async throws -> Value) async throws -> Value {
        var attempt = 0
        while true {
            let connection = try await connection()
            do {
                return try await operation(connection)
            } catch let error as RadioError where error.mayBeFailedEstablishment && !connection.isProven {
                attempt += 1
                guard let pause = configuration.retries.pause(afterAttempt: attempt, failedWith: error) else {
                    throw ConnectFailure(error: error, attempts: attempt)
                }
                configuration.onRetry(attempt, error, pause)
                try await time.sleep(for: pause)
            }
        }
    }
}

extension RadioError {
    /// Whether the loss of a link on which the device has said nothing is as good as a failed attempt: it may never have been
    /// established (the kernel has no errno for HCI 0x3E), or the device has hung up.
    fileprivate var mayBeFailedEstablishment: Bool {
        switch cause {
        case .linkLost(let status), .connectFailed(let status):
            status == nil || status == .connectionFailedToBeEstablished
        case .closedByPeer: true
        default: false
        }
    }
}

/// A connection could not be made.
public struct ConnectFailure: Error, Equatable, Sendable {
    /// Why the last attempt failed.
    public let error: RadioError
    /// How many attempts there were.
    public let attempts: Int
}
