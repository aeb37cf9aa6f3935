// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
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
    // While signals still end the process: a world may be read from a pipe, and nobody takes them before the command runs.
    let files = place(of: given, folder)
    // Before all else that starts a thread, because threads inherit the blocked signals.
    let signals = SignalWaiter()
    var request = given
    let world = joined(files, of: request)
    if world.clock != nil {
        request.global.radio = .simulation(.virtual)
        request.global.sharesClock = true
    }
    let (standard, loop) = standardWriter(for: request, world.clock)
    let shell = request.name == .shell ? ShellTerminal(writer: standard) : nil
    let writer = shell?.writer ?? standard
    // The process of a session has none: it stays when the command at the terminal has ended.
    let terminal = shell != nil || request.holdsSession ? nil : ControllingTerminal(writer: writer)
    let interruption = Interruption(writer)
    // Until the command reports its status, so that a bug cannot look like success.
    let status = Mutex(ExitStatus.internalError)
    let worldFaults = faults(of: request, in: world)
    let streams = Streams(writer: writer, terminal: terminal, shell: shell, sessions: folder)
    start(request, world, worldFaults, loop ?? SystemTimeSource.linux, streams, interruption) { result in
        status.withLock { $0 = result }
        signals.finish()
    }
    handle(signals, world.clock, streams, interruption) { status.withLock { $0 } }
}

/// The writer of a command, and its clock in real time; without that, tasks run on the threads of the runtime.
private func standardWriter(
    for request: CommandRequest,
    _ clock: JoinedClock?
) -> (writer: any StandardWriter, loop: EventLoop?) {
    let watchesReader = WaitingParent(environment: environment) == nil
    // In virtual time a slow reader has to block the command: if a task waited for it, the clock would go on.
    if request.global.isVirtualTime { return (directWriter(for: request, clock, watchesReader: watchesReader), nil) }
    let loop = try? EventLoop()
    let writer = StreamWriter(watchesReader: watchesReader, startsThread: loop == nil) { loop?.isCurrent == true }
    guard let loop else { return (writer, nil) }
    guard (try? loop.start { writer.settle() }) != nil else {
        writer.start()
        return (writer, nil)
    }
    writer.watchReader { loop.watchEnd(of: $0, onEnd: $1) }
    return (writer, loop)
}

/// Waits for signals until the command has ended, and ends the process with its status.
private func handle(
    _ signals: SignalWaiter,
    _ clock: JoinedClock?,
    _ streams: Streams,
    _ interruption: Interruption,
    status: () -> ExitStatus
) -> Never {
    let (terminal, shell) = (streams.terminal, streams.shell)
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
            exit(status().rawValue)
        // Ctrl-C ends the command that runs in the shell, and not the shell.
        case .signal(SIGINT) where shell != nil && received == nil: shell?.interrupt()
        case .signal(let number):
            if received != nil { die(of: number) }
            received = number
            // Cleaning up takes time.
            clock?.member.setActive(true)
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
    var isVirtualTime: Bool { radio == .simulation(.virtual) }
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
        let system: any RadioSystem
        let capture: RunCapture?
        do throws(BlectlError) {
            // A file that cannot be created is reported before a radio is touched.
            let words = commandLine().map { String(decoding: $0, as: UTF8.self) }
            capture = try RunCapture(of: request, line: words, standard.diagnostics)
            system = try await makeSystem(scope)
        } catch {
            return await CommandRunner.report(error, of: request, standard.output, standard.diagnostics, time)
        }
        let observers = PacketObservers(of: request, options, capture, standard.diagnostics, time)
        let run = CommandRun(
            request: request,
            options: options,
            time: time,
            streams: streams,
            standard: standard,
            observers: observers,
            clock: clock
        )
        let context = run.context(
            on: system,
            scope,
            naming: names,
            sessions: run.sessions(startedBy: parent, worldError: worldError)
        )
        // The command has ended when this returns, interrupted or not. An interrupted one may have no status; none is
        // used then, because the process ends by the signal.
        let status =
            await interruption.interrupting {
                await CommandRunner.run(request, in: context)
            }
            ?? .success
        clock?.member.setActive(true)
        for remark in await remarks(system) { standard.diagnostics.note(remark) }
        guard let capture else { return status }
        return await capture.finish(status, standard.output, time)
    }
}

/// The faults of the command line, given to the devices of the world; `nil` for none, and for `serve`, which gives them
/// to the device that it serves. A device or a characteristic that does not exist ends the process.
func faults(of request: CommandRequest, in place: SimulatedLocation) -> FaultAssignment? {
    let options = request.global
    guard !options.faults.isEmpty, request.usesRadio, request.name != .serve, case .own(let content) = place else {
        return nil
    }
    do throws(UsageError) {
        // The definitions have the names of the devices and the characteristics that a fault refers to.
        return try FaultAssignment(
            options.faults,
            to: content.devices.map { $0.definition(seed: options.simulationSeed) },
            of: request.name,
            formats: options.formats
        )
    } catch {
        let names = content.devices.map { $0.advertisedName ?? $0.name }
        fail(error, names: names + options.faults.map(\.description))
    }
}
