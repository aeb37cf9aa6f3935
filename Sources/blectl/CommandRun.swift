// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import CProcess
import Captures
import Commands
import Glibc
import LinuxRadio
import Records
import SimulatedRadio
import Terminal
import Toolkit

/// A run of a command, with what its context is made of besides the radio.
struct CommandRun: Sendable {
    let request: CommandRequest
    let options: GlobalOptions
    let time: any TimeSource
    let streams: Streams
    let standard: StandardStreams
    let observers: PacketObservers
    /// The clock that it shares with other processes; `nil` for none.
    let clock: JoinedClock?

    /// Whether it has parts with times and pairings of their own: the steps of a script, or the lines of a shell.
    private var hasParts: Bool { request.name == .run || request.name == .shell }

    /// The context of the command on a system, whose packets its observers see.
    ///
    /// - Parameter names: Returns the names of the devices in the simulated world.
    func context(
        on system: any RadioSystem,
        _ scope: TaskScope,
        naming names: @escaping @Sendable () async -> [DeviceAddress: String],
        sessions: SessionSupport
    ) -> CommandContext {
        let timing = hasParts ? nil : observers.timing?.wholeRun()
        return CommandContext(
            commands: .all,
            options: options,
            system: observers.tapping(system, time),
            time: time,
            scope: scope,
            output: output(countedBy: timing),
            diagnostics: standard.diagnostics,
            stores: DataStores(options, time, standard.diagnostics),
            process: process(on: system),
            simulation: simulation(
                on: system,
                WorldSockets(time: time, scope: scope, clock: clock, blocking: blocking),
                naming: names
            ),
            runState: RunState(
                timedLinks: observers.timing,
                timing: timing,
                packets: observers.packets,
                addToCapture: observers.capture?.add
            ),
            pairing: PairingEnvironment(
                mayAsk: !hasParts && request.name != .session && !options.isVirtualTime,
                // The private world of a process has no other machine that could pair with it.
                hasCentrals: !options.isSimulated || !(system is SimulatedRadioSystem)
            ),
            sessions: options.mayShareLinks ? sessions : nil
        )
    }

    /// How the command finds and holds sessions.
    ///
    /// - Parameters:
    ///   - parent: The process that waits until the session of this one has begun; `nil` for none.
    ///   - worldError: Why the world of the command cannot be used, if a session may save it.
    func sessions(startedBy parent: WaitingParent?, worldError: BlectlError?) -> SessionSupport {
        SessionSupport(
            folder: streams.sessions,
            system: SessionSockets(clock: clock),
            arguments: commandLine().map { String(decoding: $0, as: UTF8.self) },
            parent: parent,
            worldError: worldError,
            capture: observers.live?.begin,
            tapping: { [observers, time] in observers.tapping($0, time) }
        )
    }

    private func output(countedBy timing: RunTiming?) -> Output {
        var output = standard.output
        output.timing = timing?.counting
        guard output.style.isTerminal else { return output }
        output.style.localOffset = {
            LinuxWallClock.zone(WallTime(nanosecondsSince1970: Int64($0) * 1_000_000_000))
        }
        return output
    }

    private func process(on system: any RadioSystem) -> ProcessResources {
        ProcessResources(
            terminal: streams.terminal,
            shell: observers.lines.map {
                ShellHost(writer: streams.writer, terminal: streams.shell, packets: $0)
            },
            machine: inspected(system),
            blocking: blocking,
            variables: variables,
            zone: LinuxWallClock.zone,
            lend: { [options, time] system, path, whenReady in
                guard let path else { return try await lendByStandardStreams(system, options.adapters, time) }
                try await lend(system, at: path, time, whenReady: whenReady)
            }
        )
    }

    /// Runs blocking calls on threads of their own; `nil` in virtual time, which stands still while its only thread waits.
    private var blocking: BlockingRunner? {
        if options.isVirtualTime { return nil }
        return { body in WorkThread.start(body) }
    }

    /// The machine of a system, for `doctor`. Its type is asked for by what the options say, because a cast in vain looks
    /// at all conformances of the program.
    private func inspected(_ system: any RadioSystem) -> (any InspectedMachine)? {
        switch options.radio {
        case .adapters: system as? LinuxRadioSystem
        case .simulation: system as? SimulatedRadioSystem
        case .socket: nil
        }
    }

    private func simulation(
        on system: any RadioSystem,
        _ worlds: WorldSockets,
        naming names: @escaping @Sendable () async -> [DeviceAddress: String]
    ) -> SimulationAccess {
        SimulationAccess(
            devices: { [options] in servedDevices().map { $0.definition(seed: options.simulationSeed) } },
            connector: worlds.connector(at:),
            serve: worlds.serve(at:files:seed:whenReady:),
            declaredNames: names,
            world: worldAccess(of: system, options, worlds),
            needsTime: { [clock] in clock?.member.setActive(true) }
        )
    }
}

/// The environment with which the process was started, as `NAME=value` and a zero. Not from /proc, which does not show it
/// to a process that has capabilities, or keys in its memory.
@Sendable func variables() -> [[CChar]] {
    var variables: [[CChar]] = []
    var next = environment_words()
    while let place = next, let word = place.pointee {
        variables.append(Array(UnsafeBufferPointer(start: word, count: strlen(word) + 1)))
        next = place + 1
    }
    return variables
}
