// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Glibc
import RadioSharing
import Records
import Synchronization
import Terminal
import Toolkit

/// Holds the link to a device for other commands, until it is stopped, is no longer used, or cannot continue.
struct SessionHolder {
    /// How often the holder looks whether its socket is still there. In virtual time a day passes at once, in which each look
    /// is a turn of this process.
    private var lookInterval: Duration { context.options.sharesClock ? .seconds(3_600) : .seconds(2) }

    private let start: SessionOptions.Start
    private let device: DeviceOptions
    private let support: SessionSupport
    private let context: CommandContext

    init(
        _ start: SessionOptions.Start,
        _ device: DeviceOptions,
        _ support: SessionSupport,
        _ context: CommandContext
    ) {
        self.start = start
        self.device = device
        self.support = support
        // The first record of a session is the session.
        self.context = context.withoutPairingRecords()
    }

    func run() async throws {
        let chosen = try await context.ownConnection(for: device)
        let central = chosen.connector.central
        let reference = try await chosen.reference()
        let label = start.label ?? SessionLabel(device: reference)
        // Such a label is made of the name of the device, which `--redact` hides.
        if start.label == nil { context.diagnostics.conceal(label.description) }
        try await refuseSecond(reference, label)
        let entry = try support.folder.entry(label, reference.address.address, world: context.options.worldDigits)
        let listener = try await listen(entry, reference)
        defer { listener.close() }
        try await hold(reference, entry, listener, central)
    }

    /// Creates the socket, unless another session with the device begins at the same time.
    private func listen(
        _ entry: SessionSocket,
        _ reference: DeviceReference
    ) async throws -> any RemoteListening {
        // Until the socket listens: of two commands at once, the second one then finds the socket of the first one.
        let lock = try await support.folder.lock(context.time)
        defer { withExtendedLifetime(lock) {} }
        let others = support.folder.entries().filter { $0.world == entry.world && $0.address == entry.address }
        for other in others where other.label != entry.label {
            // A socket of a killed process has no listener.
            guard let probe = try? support.system.connector(at: other.path).connect() else { continue }
            probe.close()
            context.diagnostics.conceal(other.label)
            throw BlectlError(
                .temporaryFailure,
                cannot: "start a session with \(reference.text)",
                "session '\(other.label)' is about to hold it",
                hint: "blectl session stop \(Prose.quoted(other.label))"
            )
        }
        do throws(RadioError) {
            return try support.system.listen(at: entry.path)
        } catch {
            let described = BlectlError(error, doing: "start a session with \(reference.text)")
            guard case .system = error.cause, !error.isOfFileLimit else { throw described }
            let action = described.action ?? "start a session"
            throw BlectlError(.cannotCreateOutput, cannot: action, described.reason, hint: described.hint)
        }
    }

    private func refuseSecond(_ reference: DeviceReference, _ label: SessionLabel) async throws {
        for other in await context.sessions(inOwnWorld: true).map(\.description) {
            if other.device == reference.address { throw BlectlError(held: other) }
            guard other.name == label.description else { continue }
            throw BlectlError(
                .temporaryFailure,
                cannot: "start a session with \(reference.text)",
                "session '\(other.name)' has \(other.reference.text)",
                hint: "choose another name: --label"
            )
        }
    }

    /// Holds the link, and serves other processes through the listener until the session is stopped.
    private func hold(
        _ reference: DeviceReference,
        _ entry: SessionSocket,
        _ listener: any RemoteListening,
        _ central: Central
    ) async throws {
        let (time, diagnostics) = (context.time, context.diagnostics)
        let link = SharedLink(
            keeping: start.buffer,
            opensLater: true,
            to: reference.address,
            bearers: device.connection.bearers,
            store: device.connection.usesCache ? context.stores.databases : nil,
            time: time,
            scope: context.scope,
            onOddity: { diagnostics.note($0.text) }
        ) { diagnostics.detail($0) }
        let radio = SharingRadio(central.radio, sharing: link)
        let connection = OneTimeConnection(
            device,
            on: Central(radio, scope: context.scope, time: time),
            context
        )
        let held = connection.device(reference)
        let session = HeldSession(
            entry,
            with: reference,
            on: central.radio.adapter,
            of: context.options.world,
            since: time.wallClock,
            link,
            hasBond: connection.connector.keepsBond(of: reference)
        )
        let (stops, stop) = AsyncStream<Void>.makeStream()
        let (opening, opened) = AsyncStream<Never>.makeStream()
        let (announcement, announced) = AsyncStream<Never>.makeStream()
        let server = self.server(for: session, on: central.radio, sharing: link) { stop.finish() }
        try await withCleanup {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                func addTask(_ task: @escaping @Sendable () async throws -> Void) {
                    group.addTask {
                        try await task()
                        return true
                    }
                }
                addTask { try await serve(listener, with: server) }
                addTask { for await _ in stops {} }
                addTask { try await watch(listener, entry, session) }
                addTask { try await keep(held, connection, session) { opened.finish() } }
                // Beside the link, which is made again also while nobody reads the first line.
                group.addTask {
                    for await _ in opening {}
                    try await announce(session) { announced.finish() }
                    return false
                }
                if let idle = start.idle {
                    addTask {
                        // Until then, no command can use the session.
                        for await _ in announcement {}
                        try await link.untilIdle(for: idle)
                    }
                }
                defer { group.cancelAll() }
                while try await group.next() == false {}
            }
            try Task.checkCancellation()
        } cleanup: {
            // Another process may have ended it, and nobody reads what this one still says.
            context.output.hurry(.stalled)
            // The clock that it shares with others may stand still.
            context.simulation.needsTime()
            listener.close()
            // After the listener, so that no command comes while the link ends.
            await link.close(.linkLost(nil))
            await held.peripheral.disconnect()
        }
        try await context.output.report(
            SessionResult(session: session.description, state: .stopped, timestamp: Timestamp(time))
        )
    }

    /// The server that lends the link to other processes.
    ///
    /// - Parameters:
    ///   - radio: The adapter that has the link.
    ///   - onStop: Called when a process asks for the end of the session.
    private func server(
        for session: HeldSession,
        on radio: any Radio,
        sharing link: SharedLink,
        onStop: @escaping @Sendable () -> Void
    ) -> RemoteRadioServer {
        // The management interface of the machine is open to each process, with its own privileges.
        let guests = SharedRadioSystem(
            link,
            on: radio.adapter,
            controlledBy: radio,
            managedBy: context.options.isSimulated ? context.system : nil,
            time: context.time
        )
        return RemoteRadioServer(
            guests: guests,
            time: context.time,
            describe: { session.description },
            capture: support.capture,
            onStop: onStop
        )
    }

    /// Serves the processes that connect to the socket, until the task is cancelled or the socket fails.
    private func serve(_ listener: any RemoteListening, with server: RemoteRadioServer) async throws {
        try await withThrowingDiscardingTaskGroup { connections in
            while true {
                let channel = try await listener.accept()
                connections.addTask { await server.serve(channel) }
            }
        }
    }

    /// Throws when the socket's file is gone, because no command could find the session or stop it then, and when the
    /// shared world of the device is gone.
    private func watch(
        _ listener: any RemoteListening,
        _ entry: SessionSocket,
        _ session: HeldSession
    ) async throws {
        let world = context.options.sharedWorld
        let action = "go on with session '\(entry.label)'"
        while listener.isReachable {
            if let world, !session.description.link.isUp, let connector = context.simulation.connector {
                guard let probe = try? connector(world).connect() else {
                    throw BlectlError(.temporaryFailure, cannot: action, "the world at \(world) has ended")
                }
                probe.close()
            }
            try await context.time.sleep(for: lookInterval)
        }
        throw BlectlError(.temporaryFailure, cannot: action, "its socket \(entry.path) was removed")
    }

    /// Connects and keeps the link.
    ///
    /// - Parameter whenOpened: Called once, when commands can use the session.
    private func keep(
        _ held: ConnectedDevice,
        _ connection: OneTimeConnection,
        _ session: HeldSession,
        whenOpened: @Sendable () -> Void
    ) async throws {
        try await connection.connect(held)
        let name = held.reference.text
        let diagnostics = context.diagnostics
        try await keptLink(of: held) {
            session.open()
            // They help later commands to choose a session; it is of use without them.
            let services = try? await untilDeadline(context.time.now + context.options.timeout, context.time) {
                try await held.peripheral.primaryServices()
            }
            session.found(services ?? [])
            whenOpened()
        } onNews: { news in
            switch news {
            case .lost(let error): diagnostics.note("lost the link to \(name): \(error.reason)")
            case .failed(let error, let pause):
                let why = BlectlError(describing: error, doing: "connect to \(name)")?.message ?? "cancelled"
                diagnostics.note("\(why); trying again in \(pause)")
            case .restored:
                session.open()
                diagnostics.note("the link to \(name) is there again")
            }
        }
    }

    /// Reports the session. The waiting parent leaves only after the output is written, so that nothing is printed after
    /// the end of its command.
    ///
    /// - Parameter whenReported: Called before the output is written, because nobody may read it.
    private func announce(_ session: HeldSession, whenReported: () -> Void) async throws {
        try Task.checkCancellation()
        let (output, diagnostics) = (context.output, context.diagnostics)
        let result = SessionResult(session: session.description, state: nil, timestamp: Timestamp(context.time))
        try await output.report(result)
        whenReported()
        // A script may wait for the line, and a full disk is noticed now.
        do { try await output.flush() } catch OutputFailure.brokenPipe {}
        if let timing = context.runState.timing, output.timing != nil, !output.writesRecords {
            diagnostics.lines(timing.text)
        }
        guard let parent = support.parent else { return }
        diagnostics.clearProgress()
        await output.drain()
        await diagnostics.drain()
        parent.leave()
    }
}

extension SessionHolder {
    /// Keeps the link. If it cannot be encrypted, the error says that it was to be held.
    private func keptLink(
        of held: ConnectedDevice,
        whenReady: () async throws -> Void,
        onNews: @Sendable (LinkKeeper.News) -> Void
    ) async throws {
        do {
            try await LinkKeeper(held.peripheral, time: context.time).keep(whenReady: whenReady, onNews: onNews)
        } catch let failure as SecurityFailure {
            let described = BlectlError(describing: failure, doing: "hold a link to \(held.reference.text)")
            throw described?.about(device: held.reference) ?? failure
        }
    }
}

/// A session, and its present knowledge of the device.
private final class HeldSession: Sendable {
    private let start: SessionDescription
    private let link: SharedLink
    /// Whether the keys of the device are kept.
    private let hasBond: Bool
    private let services = Mutex<[BluetoothUUID]>([])

    /// - Parameters:
    ///   - adapter: The adapter that has the link.
    ///   - world: Where the device is: at the adapters of this machine, at a socket, or in a simulated world.
    ///   - start: When the session began.
    ///   - link: The link that the session holds.
    ///   - hasBond: Whether the keys of the device are kept.
    init(
        _ entry: SessionSocket,
        with device: DeviceReference,
        on adapter: AdapterDescription,
        of world: String,
        since start: WallTime,
        _ link: SharedLink,
        hasBond: Bool
    ) {
        self.start = SessionDescription(
            name: entry.label,
            device: device.address,
            deviceName: device.name,
            socket: device.socket,
            source: world,
            adapter: adapter,
            process: getpid(),
            since: "\(start)",
            services: [],
            link: link.status
        )
        self.link = link
        self.hasBond = hasBond
    }

    /// Lets guests use the link, which is prepared and encrypted.
    func open() { link.open() }

    func found(_ services: [BluetoothUUID]) { self.services.withLock { $0 = services } }

    var description: SessionDescription {
        var description = start
        description.services = services.withLock { $0 }
        description.link = link.status
        if hasBond { description.link.security.hasBond = true }
        return description
    }
}
