// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Bluetooth
import BluetoothHost
import CArguments
import Glibc
import LinuxRadio
import SimulatedRadio
import Synchronization

/// Runs a command on the chosen radio, and ends the process with its status. This is the composition root.
///
/// The main thread waits for signals. The first one cancels the command, which then cleans up: it stops scanning,
/// unsubscribes and disconnects. The second one ends the process at once.
func runCommand(_ request: CommandRequest, _ folder: SessionFolder) -> Never {
    // Before all else that starts a thread, because threads inherit the blocked signals.
    let signals = SignalWaiter()
    // In virtual time a slow reader has to block the command: if a task waited for it, the clock would go on.
    let standard: any StandardWriter = request.global.isVirtualTime ? DirectWriter() : StreamWriter()
    let shell = request.name == .shell ? ShellTerminal(writer: standard) : nil
    let writer = shell?.writer ?? standard
    let terminal = request.name == .shell ? nil : ControllingTerminal(writer: writer)
    let interruption = Interruption(writer)
    // Until the command reports its status, so that a bug cannot look like success.
    let status = Mutex(ExitStatus.internalError)
    let world = place(of: request)
    let worldFaults = faults(of: request, in: world)
    let streams = Streams(writer: writer, terminal: terminal, shell: shell, sessions: SessionChannels(folder: folder))
    start(request, world, worldFaults, streams, interruption) {
        result in
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

/// The world of a command that uses a radio, or names devices, if it is a simulated one. If the radio needs a world that
/// does not exist, that ends the process.
func place(of request: CommandRequest) -> SimulatedPlace {
    guard case .simulation = request.global.radio else { return .own(.empty) }
    guard request.usesRadio else {
        // A broken world must not keep a command from stored data, which needs none. But its devices have the names.
        guard request.name.showsKeptDevices, case .own(let files)? = try? SimulatedPlace(request.global) else {
            return .own(.empty)
        }
        return .own(files)
    }
    do throws(BlectlError) {
        return try SimulatedPlace(request.global)
    } catch {
        fail(error, command: request.name)
    }
}

/// The standard streams of the process, and the sessions of its user.
struct Streams: Sendable {
    let writer: any StandardWriter
    let terminal: ControllingTerminal?
    /// The terminal of a shell, which has no other one.
    let shell: ShellTerminal?
    let sessions: SessionChannels
}

extension GlobalOptions {
    /// Whether the command runs in virtual time: on one thread, with a clock that jumps.
    fileprivate var isVirtualTime: Bool { radio == .simulation(.virtual) }
}

/// Starts the command in a task, or for virtual time on a separate thread, which runs all its jobs.
private func start(
    _ request: CommandRequest,
    _ place: SimulatedPlace,
    _ faults: FaultAssignment?,
    _ streams: Streams,
    _ interruption: Interruption,
    whenDone: @escaping @Sendable (ExitStatus) -> Void
) {
    guard request.global.isVirtualTime else {
        Task { whenDone(await perform(request, place, faults, SystemTimeSource.linux, streams, interruption)) }
        return
    }
    let time = VirtualTime()
    WorkThread.start {
        whenDone(time.run { await perform(request, place, faults, time, streams, interruption) })
    }
}

/// Runs the command on the radio of its options.
///
/// - Parameter loop: The loop that runs everything; `nil` for threads.
func perform(
    _ request: CommandRequest,
    _ place: SimulatedPlace,
    _ faults: FaultAssignment?,
    _ time: any TimeSource,
    loop: EventLoop? = nil,
    _ streams: Streams,
    _ interruption: Interruption
) async -> ExitStatus {
    switch request.global.radio {
    case .socket(let path):
        let system = loop.map { UnixRadioSystem(path: path, on: $0) } ?? UnixRadioSystem(path: path, time: time)
        defer { system.shutDown() }
        return await run(request, time, streams, interruption) { _ in system }
    case .adapters:
        let system = loop.map { LinuxRadioSystem(on: $0) } ?? LinuxRadioSystem(time: time)
        defer { system.shutDown() }
        return await run(request, time, streams, interruption) { _ in system }
    case .simulation: return await simulate(request, place, faults, time, streams, interruption)
    }
}

/// Runs the command in a simulated world: in a private one, which ends with the command, or as one machine of a shared
/// one.
private func simulate(
    _ request: CommandRequest,
    _ place: SimulatedPlace,
    _ faults: FaultAssignment?,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption
) async -> ExitStatus {
    switch place {
    case .own(let content):
        var devices = content.devices
        // The faults of the command line come after those of the device files.
        for index in devices.indices { devices[index].faults += faults?.rules(ofDevice: index) ?? [] }
        let world = SimulatedWorld(
            seed: content.seed ?? request.global.simulationSeed,
            adapter: Set(request.global.simulatedAdapter.compactMap { AdapterTrait(rawValue: $0.rawValue) }),
            devices: devices
        )
        let names = names(of: request, in: devices, time)
        return await run(request, time, streams, interruption, naming: names) { scope in
            SimulatedRadioSystem(world, time: time, scope: scope)
        } remarks: { system in
            // A fault that never acted may be mistyped, so it is reported to the user.
            guard let faults, let system = system as? SimulatedRadioSystem else { return [] }
            return faults.remarks(unmet: await system.unmetFaults())
        }
    case .shared(let path):
        let joined = Mutex<SharedSystem?>(nil)
        let names = sharedNames(at: path, time)
        let status = await run(request, time, streams, interruption, naming: names) { scope throws(BlectlError) in
            let shared = try await joinSharedWorld(path, time, scope)
            joined.withLock { $0 = shared }
            return shared.system
        } remarks: { _ in
            // The next command finds the place free, and with it the bonds of this one.
            await joined.withLock { $0 }?.system.depart()
            return []
        }
        joined.withLock { $0 }?.leave()
        return status
    }
}

/// Returns the names of the devices of a world of this process; of a shared one for a command that shows what is kept,
/// and needs no machine there.
private func names(
    of request: CommandRequest,
    in devices: [SimulatedDevice],
    _ time: any TimeSource
) -> @Sendable () async -> [DeviceAddress: String] {
    if request.name.showsKeptDevices, case .shared(let path)? = try? SimulatedPlace(request.global) {
        return sharedNames(at: path, time)
    }
    let names = Dictionary(devices.map { ($0.address, $0.advertisedName ?? $0.name) }) { first, _ in first }
    return { names }
}

/// The devices that are simulated, and that `serve` can be.
func builtInDevices() -> [SimulatedDevice] {
    valid { () throws(SimulatedDevice.BuiltInError) in try SimulatedDevice.builtIn() }
}

/// The devices that `serve` can be.
private func servedDevices() -> [SimulatedDevice] {
    builtInDevices() + valid { () throws(SimulatedDevice.BuiltInError) in try SimulatedDevice.builtInApart() }
}

private func valid(
    _ devices: () throws(SimulatedDevice.BuiltInError) -> [SimulatedDevice]
) -> [SimulatedDevice] {
    do {
        return try devices()
    } catch {
        preconditionFailure("the built-in devices are valid: \(error)")
    }
}

/// The folder for data that are kept between runs; `nil` for simulated devices and sockets, because only real devices
/// are remembered.
private func state(_ options: GlobalOptions, _ diagnostics: Diagnostics) -> StateFolder? {
    guard options.radio == .adapters else { return nil }
    let folder = StateFolder.state(environment: environment) { diagnostics.detail($0) }
    if folder == nil { diagnostics.detail("nothing is remembered: neither HOME nor XDG_STATE_HOME names a folder") }
    return folder
}

/// The bonds of the user. Simulated devices have bonds of their own, which virtual time forgets with the process, because
/// each run must be independent of earlier ones.
func bonds(_ options: GlobalOptions, _ time: any TimeSource) -> (any BondStore)? {
    let folder = StateFolder.state(environment: environment)
    switch options.radio {
    case .adapters: return folder.map { BondFiles(folder: $0, time: time, onKeys: ProcessMemory.hide) }
    case .simulation(.real):
        return folder.map { BondFiles(folder: $0.subfolder("simulated"), time: time, onKeys: ProcessMemory.hide) }
    // A socket has no pairing, so that nothing needs to be kept for it.
    case .simulation(.virtual), .socket: return MemoryBonds()
    }
}

/// The keys of this machine's private addresses, which are kept where bonds are.
private func identities(_ options: GlobalOptions, _ time: any TimeSource) -> (any IdentityKeyStore)? {
    let folder = StateFolder.state(environment: environment)
    switch options.radio {
    case .adapters: return folder.map { IdentityFiles(folder: $0, time: time, onKeys: ProcessMemory.hide) }
    case .simulation(.real):
        return folder.map {
            IdentityFiles(folder: $0.subfolder("simulated"), time: time, onKeys: ProcessMemory.hide)
        }
    case .simulation(.virtual), .socket: return MemoryIdentities(seed: options.simulationSeed)
    }
}

/// The GATT cache. Simulated devices have a cache of their own. Virtual time has none, because each run must be
/// independent of earlier ones.
private func databases(
    _ options: GlobalOptions,
    _ time: any TimeSource,
    _ diagnostics: Diagnostics
) -> DatabaseFiles? {
    guard let folder = StateFolder.cache(environment: environment, report: { diagnostics.detail($0) }) else {
        return nil
    }
    switch options.radio {
    case .adapters, .socket: return DatabaseFiles(folder: folder, time: time)
    case .simulation(.real): return DatabaseFiles(folder: folder.subfolder("simulated"), time: time)
    case .simulation(.virtual): return nil
    }
}

/// The environment with which the process was started, as `NAME=value`. Not from /proc, which does not show it to a process
/// that has capabilities, or keys in its memory.
@Sendable private func variables() -> [String] {
    var variables: [String] = []
    var next = environment_words()
    while let place = next, let word = place.pointee {
        variables.append(String(decoding: UnsafeRawBufferPointer(start: word, count: strlen(word)), as: UTF8.self))
        next = place + 1
    }
    return variables
}

/// Runs blocking calls on threads of their own; `nil` in virtual time, which stands still while its only thread waits.
private func blocking(_ options: GlobalOptions) -> BlockingRunner? {
    if options.isVirtualTime { return nil }
    return { body in WorkThread.start(body) }
}

/// The system, with taps for all observers of its packets.
private func tapped(
    _ system: any RadioSystem,
    _ time: any TimeSource,
    _ trace: PacketTap?,
    _ packets: PacketHistory?,
    _ capture: RunCapture?,
    _ timing: TimedLinks?
) -> any RadioSystem {
    var taps: [PacketTap] = []
    if let trace { taps.append(trace) }
    if let packets { taps.append(packets.tap) }
    if let capture { taps.append(capture.tap) }
    if let timing { taps.append(timing.tap) }
    // Without observers there is no wrapper, which saves each packet one layer.
    guard !taps.isEmpty else { return system }
    let (all, linkTaps) = (taps, [capture?.linkTap, timing?.linkTap].compactMap { $0 })
    return TappedRadioSystem(system, time: time) { link in
        for tap in linkTaps { tap(link) }
    } tap: { packet in
        for tap in all { tap(packet) }
    }
}

/// The options of the command. A time limit is for the process that waits until a session has begun, and not for the session.
private func options(of request: CommandRequest, hasParent: Bool) -> GlobalOptions {
    var options = request.global
    if hasParent { options.deadline = nil }
    return options
}

/// The sessions of this user, and the one that was found already.
struct SessionChannels: Sendable {
    var sockets = SessionSockets()
    let folder: SessionFolder
    var attached: AttachedSession?
}

/// Runs a command and everything that it starts, until its output is written.
///
/// - Parameters:
///   - makeSystem: Makes the adapters that the command uses.
///   - names: Returns the names of the devices in the simulated world.
///   - remarks: Messages about the adapters at the end.
func run(
    _ request: CommandRequest,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption,
    naming names: @escaping @Sendable () async -> [DeviceAddress: String] = { [:] },
    makeSystem: (TaskScope) async throws(BlectlError) -> any RadioSystem,
    remarks: (any RadioSystem) async -> [String] = { _ in [] }
) async -> ExitStatus {
    let parent = WaitingParent(environment: environment)
    let options = options(of: request, hasParent: parent != nil)
    return await withTaskScope { scope in
        let standard = StandardStreams(options.streams, environment: environment, writer: streams.writer)
        var system: any RadioSystem
        let capture: RunCapture?
        do throws(BlectlError) {
            // A file that cannot be created is reported before a radio is touched.
            capture = try RunCapture(of: request, standard.diagnostics)
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
        output.timing = whole
        system = tapped(system, time, trace, packets, capture, timing)
        var context = CommandContext(
            options: options,
            system: system,
            time: time,
            scope: scope,
            output: output,
            diagnostics: standard.diagnostics,
            terminal: streams.terminal,
            zone: LinuxWallClock.zone,
            state: state(options, standard.diagnostics),
            databases: databases(options, time, standard.diagnostics),
            blocking: blocking(options),
            variables: variables,
            devices: { servedDevices().map { $0.definition(seed: options.simulationSeed) } },
            worlds: WorldSockets(time: time, scope: scope),
            packets: packets,
            shell: lines.map {
                ShellSurroundings(writer: streams.writer, terminal: streams.shell, packets: $0)
            }
        )
        (context.timedLinks, context.timing) = (timing, whole)
        context.mayAsk = !hasParts && request.name != .session && !options.isVirtualTime
        context.bonds = bonds(options, time)
        context.identities = identities(options, time)
        context.declaredNames = names
        context.machine = bare as? any InspectedMachine
        // The private world of a process has no other machine that could pair with it.
        context.hasPairingCentrals = !(bare is SimulatedRadioSystem)
        if !options.isVirtualTime {
            context.sessions = SessionSupport(
                folder: streams.sessions.folder,
                system: streams.sessions.sockets,
                arguments: commandLine().map { String(decoding: $0, as: UTF8.self) },
                parent: parent,
                tapping: { tapped($0, time, trace, packets, capture, timing) }
            )
            context.sessions?.attached = streams.sessions.attached
        }
        // The command has ended when this returns, interrupted or not. An interrupted one may have no status; none is
        // used then, because the process ends by the signal.
        let status =
            await CommandRunner.interruptible(by: interruption) { [context] in
                await CommandRunner.run(request, in: context)
            }
            ?? .success
        for remark in await remarks(bare) { standard.diagnostics.note(remark) }
        guard let capture else { return status }
        return await capture.finish(status, standard.output, time)
    }
}
