// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import BluetoothHost
import Glibc
import LinuxRadio
import SimulatedRadio
import Synchronization

/// Runs a command on the chosen radio, and ends the process with its status. This is the composition root.
///
/// The main thread waits for signals. The first one cancels the command, which then cleans up: it stops scanning,
/// unsubscribes and disconnects. The second one ends the process at once.
func runCommand(_ request: CommandRequest) -> Never {
    let signals = SignalWaiter()
    let writer: any StandardWriter = request.global.isVirtualTime ? DirectWriter() : StreamWriter()
    let terminal = ControllingTerminal(writer: writer)
    let interruption = Interruption(writer)
    let status = Mutex(ExitStatus.internalError)
    let world = place(of: request)
    let worldFaults = faults(of: request, in: world)
    start(request, world, worldFaults, Streams(writer: writer, terminal: terminal), interruption) { result in
        status.withLock { $0 = result }
        signals.finish()
    }
    @Sendable func die(of number: Int32) -> Never {
        terminal?.restore()
        signals.die(of: number)
    }
    var received: Int32?
    while true {
        switch signals.next() {
        case .finished:
            if let received { die(of: received) }
            terminal?.restore()
            exit(status.withLock { $0 }.rawValue)
        case .signal(let number):
            if received != nil { die(of: number) }
            received = number
            interruption.trigger()
            // A limit for cleaning up, because it may be blocked: by a terminal that was stopped in the middle of a
            // line.
            WorkThread.start {
                sleep(10)
                die(of: number)
            }
        case .suspended:
            guard let terminal, terminal.isShown else { fallthrough }
            Task {
                await terminal.leave(SystemTimeSource.linux)
                signals.allowStop()
            }
        case .mayStop:
            signals.stop()
            terminal?.resume()
        case .continued: terminal?.resume()
        case .resized: terminal?.resized()
        }
    }
}

/// The world of a command that uses a radio, if it is a simulated one. A world that does not exist ends the process.
private func place(of request: CommandRequest) -> SimulatedPlace {
    guard request.name.usesRadio, case .simulation = request.global.radio else { return .own(.empty) }
    do throws(BlectlError) {
        return try SimulatedPlace(request.global)
    } catch {
        fail(error, command: request.name)
    }
}

/// The standard streams of the process.
private struct Streams: Sendable {
    let writer: any StandardWriter
    let terminal: ControllingTerminal?
}

extension GlobalOptions {
    /// Whether the command runs in virtual time: on one thread, with a clock that jumps.
    fileprivate var isVirtualTime: Bool { radio == .simulation(.virtual) }
}

/// Starts the command in a task, or for virtual time on a thread of its own, which runs all its jobs.
private func start(
    _ request: CommandRequest,
    _ place: SimulatedPlace,
    _ faults: FaultAssignment?,
    _ streams: Streams,
    _ interruption: Interruption,
    whenDone: @escaping @Sendable (ExitStatus) -> Void
) {
    switch request.global.radio {
    case .socket(let path):
        let system = UnixRadioSystem(path: path)
        Task {
            let status = await run(request, system.time, streams, interruption) { _ in system }
            system.shutDown()
            whenDone(status)
        }
    case .adapters:
        let system = LinuxRadioSystem()
        Task {
            let status = await run(request, system.time, streams, interruption) { _ in system }
            system.shutDown()
            whenDone(status)
        }
    case .simulation(.real):
        let time = SystemTimeSource.linux
        Task { whenDone(await simulate(request, place, faults, time, streams, interruption)) }
    case .simulation(.virtual):
        let time = VirtualTime()
        WorkThread.start { whenDone(time.run { await simulate(request, place, faults, time, streams, interruption) }) }
    }
}

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
        for index in devices.indices { devices[index].faults += faults?.rules(ofDevice: index) ?? [] }
        let world = SimulatedWorld(
            seed: content.seed ?? request.global.simulationSeed,
            adapter: Set(request.global.simulatedAdapter.compactMap { AdapterTrait(rawValue: $0.rawValue) }),
            devices: devices
        )
        return await run(request, time, streams, interruption) { scope in
            SimulatedRadioSystem(world, time: time, scope: scope)
        } remarks: { system in
            guard let faults, let system = system as? SimulatedRadioSystem else { return [] }
            return faults.remarks(unmet: await system.unmetFaults())
        }
    case .shared(let path):
        let joined = Mutex<SharedSystem?>(nil)
        let status = await run(request, time, streams, interruption) { scope throws(BlectlError) in
            let shared = try await joinSharedWorld(path, time, scope)
            joined.withLock { $0 = shared }
            return shared.system
        }
        joined.withLock { $0 }?.leave()
        return status
    }
}

/// The devices that are simulated, and that `serve` can be.
func builtInDevices() -> [SimulatedDevice] {
    do {
        return try SimulatedDevice.builtIn()
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

/// The environment with which the process was started, as `NAME=value`.
@Sendable private func variables() -> [String] {
    var octets: [UInt8] = []
    let file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { break }
        octets += buffer.prefix(count)
    }
    return octets.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
}

/// Runs blocking calls on threads of their own; `nil` in virtual time, which stands still while its only thread waits.
private func blocking(_ options: GlobalOptions) -> BlockingRunner? {
    if options.isVirtualTime { return nil }
    return { body in WorkThread.start(body) }
}

private func run(
    _ request: CommandRequest,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption,
    makeSystem: (TaskScope) async throws(BlectlError) -> any RadioSystem,
    remarks: (any RadioSystem) async -> [String] = { _ in [] }
) async -> ExitStatus {
    let options = request.global
    return await withTaskScope { scope in
        let standard = StandardStreams(options.streams, environment: environment, writer: streams.writer)
        var system: any RadioSystem
        do throws(BlectlError) {
            system = try await makeSystem(scope)
        } catch {
            return await CommandRunner.report(error, of: request, standard.output, standard.diagnostics, time)
        }
        let bare = system
        if let tap = PacketTrace.tap(standard.diagnostics, since: time.now) {
            system = TappedRadioSystem(system, time: time, tap: tap)
        }
        let context = CommandContext(
            options: options,
            system: system,
            time: time,
            scope: scope,
            output: standard.output,
            diagnostics: standard.diagnostics,
            terminal: streams.terminal,
            zone: LinuxWallClock.zone,
            state: state(options, standard.diagnostics),
            databases: databases(options, time, standard.diagnostics),
            blocking: blocking(options),
            variables: variables,
            devices: { builtInDevices().map { $0.definition(seed: options.simulationSeed) } },
            worlds: WorldSockets(time: time, scope: scope)
        )
        // The command has ended when this returns, interrupted or not.
        let status =
            await CommandRunner.interruptible(by: interruption) { await CommandRunner.run(request, in: context) }
            ?? .success
        for remark in await remarks(bare) { standard.diagnostics.note(remark) }
        return status
    }
}
