// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CProcess
import Captures
import CommandLineInterface
import Commands
import Glibc
import LinuxRadio
import Records
import SimulatedRadio
import Synchronization
import Terminal
import Toolkit

/// Runs a command on the chosen radio, and ends the process with its status. This is the composition root.
///
/// The main thread waits for signals. The first one cancels the command, which then cleans up: it stops scanning,
/// unsubscribes and disconnects. The second one ends the process at once.
func runCommand(_ given: CommandRequest, _ folder: SessionFolder) -> Never {
    populate_memory()
    // Before all else that starts a thread, because threads inherit the blocked signals.
    let signals = SignalWaiter()
    var request = given
    let world = place(of: request, folder)
    if world.clock != nil {
        request.global.radio = .simulation(.virtual)
        request.global.sharesClock = true
    }
    // In virtual time a slow reader has to block the command: if a task waited for it, the clock would go on.
    let hasParent = WaitingParent(environment: environment) != nil
    let loop = request.global.isVirtualTime ? nil : try? EventLoop()
    let standard: any StandardWriter
    // Without the thread of a loop, tasks run on those of the runtime.
    var time: (any TimeSource)?
    if request.global.isVirtualTime {
        standard = directWriter(for: request, world.clock, watchesReader: !hasParent)
    } else {
        let writer = StreamWriter(watchesReader: !hasParent, startsThread: loop == nil) { loop?.isCurrent == true }
        standard = writer
        if let loop {
            if (try? loop.start { writer.settle() }) != nil {
                time = loop
                writer.watchReader { loop.watchEnd(of: $0, onEnd: $1) }
            } else {
                writer.start()
            }
        }
    }
    let shell = request.name == .shell ? ShellTerminal(writer: standard) : nil
    let writer = shell?.writer ?? standard
    // The process of a session has none: it stays when the command at the terminal has ended.
    let terminal = shell != nil || request.holdsSession ? nil : ControllingTerminal(writer: writer)
    let interruption = Interruption(writer)
    // Until the command reports its status, so that a bug cannot look like success.
    let status = Mutex(ExitStatus.internalError)
    let worldFaults = faults(of: request, in: world)
    let streams = Streams(writer: writer, terminal: terminal, shell: shell, sessions: folder)
    start(request, world, worldFaults, time ?? SystemTimeSource.linux, streams, interruption) { result in
        status.withLock { $0 = result }
        signals.finish()
    }
    @Sendable func die(of number: Int32) -> Never {
        // Both terminals restore their settings before the process ends, because the shell does not.
        terminal?.restore()
        shell?.restore()
        signals.die(of: number)
    }
    var received: Int32?
    while true {
        switch signals.next() {
        case .finished:
            // By the signal, so that the shell that runs the program knows why it ended.
            if let received { die(of: received) }
            terminal?.restore()
            shell?.restore()
            exit(status.withLock { $0 }.rawValue)
        // Ctrl-C ends the command that runs in the shell, and not the shell.
        case .signal(SIGINT) where shell != nil && received == nil: shell?.interrupt()
        case .signal(let number):
            if received != nil { die(of: number) }
            received = number
            // Cleaning up takes time.
            world.clock?.member.setActive(true)
            interruption.trigger()
            // A limit for cleaning up, because it may be blocked: by a terminal that was stopped in the middle of a
            // line.
            limitCleanup { die(of: number) }
        case .suspended:
            if shell?.suspend({ signals.allowStop() }) == true { continue }
            guard let terminal, terminal.isShown else { fallthrough }
            // This thread cannot await: a task leaves the screen, and then wakes it.
            Task {
                await terminal.leave(SystemTimeSource.linux)
                signals.allowStop()
            }
        case .mayStop:
            signals.stop()
            terminal?.resume()
            shell?.resume()
        case .continued:
            terminal?.resume()
            shell?.resume()
        case .resized:
            terminal?.resized()
            shell?.resized()
        }
    }
}

/// The writer of a command in virtual time. A clock that it shares with others goes on for an endless command, or for the
/// process of a session, until that has printed its first line: from then on it is there for what others do.
private func directWriter(for request: CommandRequest, _ clock: JoinedClock?, watchesReader: Bool) -> DirectWriter {
    let isEndless = request.isEndless || request.holdsSession
    return DirectWriter(watchesReader: watchesReader) {
        if isEndless { clock?.member.setActive(false) }
    } onEnd: {
        clock?.member.setActive(true)
    }
}

/// Limits the time for cleaning up after a signal to 10 s, then calls `die`.
private func limitCleanup(_ die: @escaping @Sendable () -> Void) {
    // A separate thread, because the other ones may be blocked.
    WorkThread.start {
        sleep(10)
        die()
    }
}

/// The standard streams of the process, and the sessions of its user.
struct Streams: Sendable {
    let writer: any StandardWriter
    let terminal: ControllingTerminal?
    /// The terminal of a shell, which has no other one.
    let shell: ShellTerminal?
    let sessions: SessionFolder
}

extension GlobalOptions {
    /// Whether the command runs in virtual time: on one thread, with a clock that jumps.
    fileprivate var isVirtualTime: Bool { radio == .simulation(.virtual) }
}

/// Starts the command in a task on the clock `time`, or for virtual time on a separate thread, which runs all its jobs.
private func start(
    _ request: CommandRequest,
    _ place: SimulatedLocation,
    _ faults: FaultAssignment?,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption,
    whenDone: @escaping @Sendable (ExitStatus) -> Void
) {
    guard request.global.isVirtualTime else {
        Task(executorPreference: time.executor) {
            whenDone(await perform(request, place, faults, time, streams, interruption))
        }
        return
    }
    let time = place.clock?.time ?? VirtualTime()
    WorkThread.start {
        whenDone(time.run { await perform(request, place, faults, time, streams, interruption) })
    }
}

private func perform(
    _ request: CommandRequest,
    _ place: SimulatedLocation,
    _ faults: FaultAssignment?,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption
) async -> ExitStatus {
    switch request.global.radio {
    case .socket(let path):
        let system = UnixRadioSystem(path: path, time: time)
        defer { system.shutDown() }
        return await run(request, time, streams, interruption) { _ in system }
    case .adapters:
        guard request.global.adapters.places.isEmpty else {
            return await useControllers(request, time, streams, interruption)
        }
        let system = LinuxRadioSystem(time: time)
        defer { system.shutDown() }
        return await run(request, time, streams, interruption) { _ in system }
    case .simulation: return await simulate(request, place, faults, time, streams, interruption)
    }
}

/// The environment with which the process was started, as `NAME=value`. Not from /proc, which does not show it to a process
/// that has capabilities, or keys in its memory.
@Sendable func variables() -> [String] {
    var variables: [String] = []
    var next = environment_words()
    while let place = next, let word = place.pointee {
        variables.append(String(decoding: UnsafeRawBufferPointer(start: word, count: strlen(word)), as: UTF8.self))
        next = place + 1
    }
    return variables
}

/// The machine of a system, for `doctor`. Its type is asked for by what the options say, because a cast in vain looks at all
/// conformances of the program.
private func inspected(_ system: any RadioSystem, _ options: GlobalOptions) -> (any InspectedMachine)? {
    switch options.radio {
    case .adapters: system as? LinuxRadioSystem
    case .simulation: system as? SimulatedRadioSystem
    case .socket: nil
    }
}

/// Runs blocking calls on threads of their own; `nil` in virtual time, which stands still while its only thread waits.
private func blocking(_ options: GlobalOptions) -> BlockingRunner? {
    if options.isVirtualTime { return nil }
    return { body in WorkThread.start(body) }
}

/// The options of the command. A time limit is for the process that waits until a session has begun, and not for the session.
private func options(of request: CommandRequest, hasParent: Bool) -> GlobalOptions {
    var options = request.global
    if hasParent { options.deadline = nil }
    return options
}

/// Runs a command and everything that it starts, until its output is written.
///
/// - Parameters:
///   - clock: The clock that the command shares with other processes; `nil` for none.
///   - worldError: Why the world of the command cannot be used, if a session may save it.
///   - makeSystem: Makes the adapters that the command uses.
///   - names: Returns the names of the devices in the simulated world.
///   - remarks: Messages about the adapters at the end.
func run(
    _ request: CommandRequest,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption,
    _ clock: JoinedClock? = nil,
    naming names: @escaping @Sendable () async -> [DeviceAddress: String] = { [:] },
    worldError: BlectlError? = nil,
    makeSystem: (TaskScope) async throws(BlectlError) -> any RadioSystem,
    remarks: (any RadioSystem) async -> [String] = { _ in [] }
) async -> ExitStatus {
    let parent = WaitingParent(environment: environment)
    let options = options(of: request, hasParent: parent != nil)
    return await withTaskScope { scope in
        let standard = StandardStreams(options.streams, environment: environment, writer: streams.writer)
        // Before the system is made, because that waits for the world as well.
        clock?.member.setOnHeld { process in
            standard.diagnostics.note("waiting for process \(process), which holds the clock of the world")
        }
        var system: any RadioSystem
        let capture: RunCapture?
        do throws(BlectlError) {
            // A file that cannot be created is reported before a radio is touched.
            let words = commandLine().map { String(decoding: $0, as: UTF8.self) }
            capture = try RunCapture(of: request, line: words, standard.diagnostics)
            system = try await makeSystem(scope)
        } catch {
            return await CommandRunner.report(error, of: request, standard.output, standard.diagnostics, time)
        }
        let bare = system
        let isRedacted = options.streams.isRedacted
        let packets = request.name == .run ? PacketHistory(since: time.now, isRedacted: isRedacted) : nil
        // The tracing of a shell is switched between its commands. Elsewhere `-v` decides once.
        let lines = request.name == .shell ? SwitchedTap() : nil
        let trace = lines?.tap ?? PacketTrace.tap(standard.diagnostics, since: time.now, on: options.adapters)
        // A line of a shell may ask for the times when its link is there already.
        let timing = options.tellsTiming || request.name == .shell ? TimedLinks() : nil
        // The steps of a script and the lines of a shell have times of their own.
        let hasParts = request.name == .run || request.name == .shell
        let whole = hasParts ? nil : timing?.wholeRun()
        var output = standard.output
        output.timing = whole?.counting
        if output.style.isTerminal {
            output.style.localOffset = {
                LinuxWallClock.zone(WallTime(nanosecondsSince1970: Int64($0) * 1_000_000_000))
            }
        }
        let live = request.holdsSession ? LiveCapture(time: time, isRedacted: isRedacted) : nil
        let observers = PacketObservers(trace: trace, packets: packets, capture: capture, timing: timing, live: live)
        system = observers.tapping(system, time)
        let sessions = SessionSupport(
            folder: streams.sessions,
            system: SessionSockets(clock: clock),
            arguments: commandLine().map { String(decoding: $0, as: UTF8.self) },
            parent: parent,
            worldError: worldError,
            capture: live?.begin,
            tapping: { observers.tapping($0, time) }
        )
        let worlds = WorldSockets(time: time, scope: scope, clock: clock)
        let context = CommandContext(
            commands: .all,
            options: options,
            system: system,
            time: time,
            scope: scope,
            output: output,
            diagnostics: standard.diagnostics,
            stores: DataStores(options, time, standard.diagnostics),
            process: ProcessResources(
                terminal: streams.terminal,
                shell: lines.map { ShellHost(writer: streams.writer, terminal: streams.shell, packets: $0) },
                machine: inspected(bare, options),
                blocking: blocking(options),
                variables: variables,
                zone: LinuxWallClock.zone,
                lend: { system, path, whenReady in
                    guard let path else { return try await lendByStandardStreams(system, options.adapters, time) }
                    try await lend(system, at: path, time, whenReady: whenReady)
                }
            ),
            simulation: SimulationAccess(
                devices: { servedDevices().map { $0.definition(seed: options.simulationSeed) } },
                connector: worlds.connector(at:),
                serve: worlds.serve(at:files:seed:whenReady:),
                declaredNames: names,
                world: worldAccess(of: bare, options, worlds),
                needsTime: { clock?.member.setActive(true) }
            ),
            runState: RunState(timedLinks: timing, timing: whole, packets: packets, addToCapture: capture?.add),
            pairing: PairingEnvironment(
                mayAsk: !hasParts && request.name != .session && !options.isVirtualTime,
                // The private world of a process has no other machine that could pair with it.
                hasCentrals: !options.isSimulated || !(bare is SimulatedRadioSystem)
            ),
            sessions: options.mayShareLinks ? sessions : nil
        )
        // The command has ended when this returns, interrupted or not. An interrupted one may have no status; none is
        // used then, because the process ends by the signal.
        let status =
            await interruption.interrupting {
                await CommandRunner.run(request, in: context)
            }
            ?? .success
        clock?.member.setActive(true)
        for remark in await remarks(bare) { standard.diagnostics.note(remark) }
        guard let capture else { return status }
        return await capture.finish(status, standard.output, time)
    }
}
