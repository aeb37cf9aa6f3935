// SPDX-License-Identifier: MIT

public import Bluetooth
private import Synchronization

/// A device in the role of GATT server, as this client sees it.
///
/// It connects when an operation needs the link, and operations that need the same connection share it. Three state
/// machines decide what happens, and this actor carries out their actions: `ConnectionLifecycle` when to connect and to
/// try again, `ObservationLifecycle` what to find and to switch on, `LinkRecovery` how a link that observers have lost
/// is made again.
public actor Peripheral {
    /// The address of the device.
    public nonisolated let address: DeviceAddress

    /// The part of its database that is known.
    public nonisolated let database: RemoteDatabase

    /// The adapter, or another way to the device, see `take`.
    private let currentRadio: Mutex<any Radio>
    nonisolated var radio: any Radio { currentRadio.withLock { $0 } }
    let scope: TaskScope
    /// Held by an update of the firmware.
    nonisolated let updates = AsyncLock()
    let time: any TimeSource
    /// How connections are made. Another way to the device changes a part of it.
    private(set) var configuration: Configuration

    // The connection.
    private(set) var lifecycle: ConnectionLifecycle<ATTConnection>
    /// Reads and changes the properties of the link, see `Peripheral+Link.swift`.
    private(set) var linkControl: LinkControl
    /// The callers that wait for a connection, by their numbers.
    private var callers: [UInt64: CheckedContinuation<Result<Grant, any Error>, Never>] = [:]
    private var lastCaller: UInt64 = 0
    private var connecting: ScopedTask?
    private(set) var linkMade: (instant: Instant, wall: WallTime)?
    /// The last connection, for its failure to raise the security.
    private var lastConnection: ATTConnection?
    /// How the device takes the exchange of the MTU.
    private nonisolated let mtuHistory: MTUHistory
    /// While it lasts, other programs that take turns leave the device alone.
    private var turn: (any Turn)?

    // The observations, see `Peripheral+Observations.swift`.
    /// Decides what to find and to switch on.
    var observation = ObservationLifecycle<ATTConnection>()
    /// The values that observers have not taken.
    var queues: [SubscriptionTable.ObserverID: ObservationQueue] = [:]
    /// Held by the pass that is carried out.
    let passes = AsyncLock()
    /// Asks the device to indicate changes, and holds back values from new places until observers have the event of the
    /// changed database.
    var changes = GatedTask()

    // The recovery of a lost link, see `Peripheral+Recovery.swift`.
    /// Decides how the link is made again.
    var recovery: LinkRecovery
    /// Makes the link again, and holds back values of a new link until observers have the event of the restored link.
    var restoring = GatedTask()

    typealias Grant = ConnectionLifecycle<ATTConnection>.Grant
    typealias Claim = ConnectionLifecycle<ATTConnection>.Claim

    /// Creates a device at an address without sending anything.
    public init(
        _ address: DeviceAddress,
        radio: any Radio,
        scope: TaskScope,
        time: any TimeSource,
        configuration: Configuration = Configuration()
    ) {
        self.address = address
        currentRadio = Mutex(radio)
        self.scope = scope
        self.time = time
        self.configuration = configuration
        linkControl = LinkControl(radio, scope: scope, time: time)
        database = RemoteDatabase(of: address, store: configuration.store)
        mtuHistory = MTUHistory(
            of: address,
            in: configuration.store,
            patience: configuration.exchangeTimeout,
            scope: scope,
            report: configuration.onDiagnostic
        )
        lifecycle = ConnectionLifecycle(retries: configuration.retries, waits: configuration.waits)
        recovery = LinkRecovery(policy: configuration.reconnection)
    }

    /// The same device at an address, which may be another one, while another program runs on it. Nothing of its database is
    /// known, and its link needs no security unless it demands some.
    ///
    /// - Parameter connectTimeout: How long an attempt to connect may take; `nil` for as long as usual.
    func sibling(at address: DeviceAddress, connectTimeout: Duration?) -> Peripheral {
        var configuration = configuration
        configuration.connectTimeout = connectTimeout ?? configuration.connectTimeout
        configuration.store = nil
        configuration.retries = RetryPolicy(retries: 0)
        configuration.completeSecurity = nil
        configuration.linkGuard = nil
        return Peripheral(address, radio: radio, scope: scope, time: time, configuration: configuration)
    }

    // MARK: - Link

    /// Whether the device takes no exchange of the MTU, as far as is known, so that its values have at most 20 octets.
    package nonisolated var refusesMTUExchange: Bool { mtuHistory.isRefused }

    /// The number of attempts that the present connection took, or has taken so far; 0 without one.
    public var attempts: Int { lifecycle.attempts }

    /// Whether there is a link.
    public var isConnected: Bool { lifecycle.link.map { $0.end == nil } ?? false }

    /// The present security of the link; `nil` without one.
    package var linkSecurity: LinkSecurity? { lifecycle.link.flatMap { $0.end == nil ? $0.security : nil } }

    package nonisolated var adapter: AdapterDescription { radio.adapter }

    /// The connection. Connects first if there is none; callers that arrive in the meantime share the attempt.
    ///
    /// Throws `ConnectFailure`, `CancellationError` if the caller was cancelled, or a `RadioError` with `closedLocally`
    /// if `disconnect` was called in the meantime. The attempt is abandoned when its last caller has left.
    public func connection() async throws -> ATTConnection {
        try await connection(lifecycle.claim()).link
    }

    func connection(_ claim: Claim) async throws -> Grant {
        // The end of the link may not have been reported yet, and the lifecycle would grant a dead link.
        reportEndOfLink()
        lastCaller += 1
        let caller = lastCaller
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Grant, any Error>, Never>) in
                guard !Task.isCancelled else {
                    continuation.resume(returning: .failure(CancellationError()))
                    return
                }
                // Before the lifecycle is asked, which may resume the caller at once.
                callers[caller] = continuation
                execute(lifecycle.wanted(by: caller, claim, now: time.now))
            }
        } onCancel: {
            // If the scope has ended, so has the attempt, and every caller was resumed.
            scope.spawn { await self.callerLeft(caller) }
        }
        return try result.get()
    }

    /// Closes the link, or abandons the attempt to make one. Observations end. The known part of the device's database
    /// is stored if there is a store.
    public func disconnect() async {
        // First, so that the recovery does not take the end of the link for a loss.
        endObservations()
        execute(lifecycle.disconnect())
        await linkControl.close()
        await database.save()
    }

    /// Closes a link on which the device owes an answer, and waits for its end, so that the next one is a new link. If
    /// another program holds the link, the wait ends too.
    public func abandonLink() async {
        await disconnect()
        await awaitEndOfLink()
    }

    /// Waits until the kernel has let go of a closed link, so that the next one is new.
    func awaitEndOfLink() async {
        _ = try? await radio.awaitEndOfLinks(time) { $0 == address.address }
    }

    /// Reports the end of the link to the lifecycle, so that other programs may have the device.
    func reportEndOfLink() {
        if lifecycle.link?.end != nil { execute(lifecycle.linkEnded()) }
    }

    private func callerLeft(_ caller: UInt64) {
        execute(lifecycle.callerLeft(caller))
    }

    /// Makes an attempt to connect. The turn is kept over several attempts, so that another program does not come in
    /// between.
    private func connect(at moment: Instant, turnBy deadline: Instant, mayChoose: Bool = true) async {
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
                // All programs have to name the device alike, so an identity address counts as public or random.
                let subject = TurnSubject.device(DeviceAddress(address.address, address.type.connectionType))
                turn = try await radio.takeTurn(subject, by: deadline) {
                    configuration.onWait(subject.busyError($0, during: operation))
                }
            }
            let mustPrepare = configuration.link?.isEmpty == false
            if configuration.observesLink || mustPrepare { await linkControl.listen() }
            // Before the link, because the kernel has to know the identity of a device that it connects to.
            let security = await nextSecurity
            let channel: any ATTChannel
            do throws(RadioError) {
                channel = try await radio.connectATT(to: address, deadline: time.now + configuration.connectTimeout)
            } catch  where error.meansEndedProcess {
                // The next way is part of the same attempt: it is there already, and needs no pause.
                guard mayChoose, let route = await configuration.chooseRoute?() else { throw error }
                await take(route)
                let now = time.now
                return await connect(at: now, turnBy: now + configuration.waits, mayChoose: false)
            }
            // Before the first packet is taken from the channel.
            linkMade = (time.now, time.wallClock)
            var preparation: (@Sendable () async throws -> Void)?
            if mustPrepare { preparation = { [self] in try await prepare(channel.connectionHandle) } }
            let connection = ATTConnection.start(
                channel,
                scope: scope,
                time: time,
                security: security,
                guardedBy: configuration.linkGuard,
                mtuHistory: mtuHistory,
                bearers: configuration.bearers,
                onBearers: configuration.onBearers,
                onDiagnostic: configuration.onDiagnostic,
                onSecurityRaised: configuration.onSecurityRaised,
                preparation: preparation
            )
            lastConnection = connection
            execute(lifecycle.attemptSucceeded(connection))
            // Without observers too: the device may announce that its database changes.
            if lifecycle.link === connection { await watch(connection) }
            // It may have ended before it was watched, and other programs wait for the turn.
            reportEndOfLink()
        } catch {
            execute(lifecycle.attemptFailed(error, now: time.now))
        }
    }

    /// Takes another way to the device, with the security that belongs to it.
    private func take(_ route: PeripheralRoute) async {
        await linkControl.close()
        turn?.end()
        turn = nil
        currentRadio.withLock { $0 = route.radio }
        linkControl = LinkControl(route.radio, scope: scope, time: time)
        configuration.completeSecurity = route.completeSecurity
        configuration.linkGuard = route.linkGuard
        configuration.chooseRoute = route.chooseRoute
    }

    private var nextSecurity: SecurityPolicy {
        get async {
            var security = configuration.security
            if let complete = configuration.completeSecurity { security = await complete(security) }
            guard let last = lastConnection, let failure = last.raisingFailure else { return security }
            return security.afterFailure(at: failure, hadBond: last.hasBond, now: time.now)
        }
    }

    /// Carries out the lifecycle's actions. An attempt that cannot start, because the scope has ended, fails at once,
    /// so that no caller waits for it.
    private func execute(_ actions: [ConnectionLifecycle<ATTConnection>.Action]) {
        for action in actions {
            switch action {
            case .attempt(let moment, let deadline):
                let task = scope.spawnCancellable { await self.connect(at: moment, turnBy: deadline) }
                connecting = task
                guard !task.isStarted else { continue }
                execute(lifecycle.attemptFailed(RadioError(.cancelled, during: operation), now: time.now))
            case .giveUp:
                connecting?.cancel()
            case .reportWait(let error):
                configuration.onWait(error)
            case .endTurn:
                turn?.end()
                turn = nil
            case .reportRetry(let attempt, let error, let pause):
                configuration.onRetry(attempt, error, pause)
            case .resume(let caller, let result):
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
}
