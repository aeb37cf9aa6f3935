// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import LinuxRadio
import RadioSharing
import Terminal
import Toolkit

extension RemoteRadioServer {
    /// Serves every process that connects, until the listener ends or the task is cancelled.
    func serveAll(of listener: PacketListener) async throws {
        try await withThrowingDiscardingTaskGroup { connections in
            while true {
                let channel = try await listener.accept()
                connections.addTask { await self.serve(channel) }
            }
        }
    }

    /// Serves every channel of a stream, until that ends or the task is cancelled.
    func serveAll(of stream: ChannelStream) async {
        let (channels, arrivals) = AsyncStream<any PacketChannel>.makeStream()
        await withDiscardingTaskGroup { connections in
            connections.addTask {
                await stream.carry { arrivals.yield($0) }
                arrivals.finish()
            }
            for await channel in channels { connections.addTask { await self.serve(channel) } }
            connections.cancelAll()
        }
    }
}

/// One adapter of a system, for processes that know of no others.
private struct LentAdapter: RadioSystem {
    let system: any RadioSystem
    /// The name or the address of the adapter; `nil` for the first one that can be used.
    let name: String?
    var time: any TimeSource { system.time }

    func prepare() async throws(RadioError) { try await system.prepare() }

    func adapters() async throws(RadioError) -> [AdapterDescription] {
        let all = try await system.adapters()
        guard let name else { return (all.first { (try? $0.checkUse()) != nil } ?? all.first).map { [$0] } ?? [] }
        return all.filter { $0.isMeant(by: name) }
    }

    func radio(named given: String?) throws(RadioError) -> any Radio { try system.radio(named: given ?? name) }
    func openManagement() throws(RadioError) -> any ManagementChannel { try system.openManagement() }
}

/// Lends an adapter of a system to the program at the other end of standard input and output, until that ends.
func lendByStandardStreams(_ system: any RadioSystem, _ selection: AdapterSelection, _ time: any TimeSource)
    async throws
{
    guard ProgramStream.isStartedByProgram else {
        throw BlectlError(
            .usage,
            cannot: "lend an adapter",
            "standard input and output do not lead to another program",
            hint: "'-i ssh:HOST' runs this there: blectl scan -i ssh:HOST"
        )
    }
    let program = ProgramStream(during: "standard streams")
    defer { program.shutDown() }
    let stream = ChannelStream(try program.standard(), isOpener: false, during: "standard streams")
    defer { stream.close() }
    try await system.prepare()
    let lent = LentAdapter(system: system, name: selection.name)
    let server = RemoteRadioServer(time: time, tellsLinks: true) { RemoteRadioServer.Machine(lent) {} }
    await server.serveAll(of: stream)
}

/// Lends the adapter of a system at a socket: all processes use the same one. Throws when the adapter is lost.
func lend(
    _ system: any RadioSystem,
    at path: String,
    _ time: any TimeSource,
    whenReady: @escaping @Sendable () async throws -> Void
) async throws {
    let socket = worldSocket(at: path)
    defer { socket.shutDown() }
    // The channel ends with the adapter.
    let watch = try system.radio(named: nil).openHCI(for: .questions)
    defer { watch.close() }
    let listener = try socket.listen()
    defer { listener.close() }
    let server = RemoteRadioServer(time: time, tellsLinks: true) { RemoteRadioServer.Machine(system) {} }
    try await untilFirst([
        { try await server.serveAll(of: listener) }, { while true { _ = try await watch.receive() } },
    ]) { try await whenReady() }
}

/// Runs tasks until the first of them ends, and cancels the others.
///
/// - Parameter announce: What is said of them meanwhile: nobody may read it.
func untilFirst(
    _ tasks: [@Sendable () async throws -> Void],
    announcing announce: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        for task in tasks {
            group.addTask {
                try await task()
                return true
            }
        }
        group.addTask {
            try await announce()
            return false
        }
        defer { group.cancelAll() }
        while try await group.next() == false {}
    }
}

/// The controller that `blectl radio` lends at a socket.
func lentController(
    named name: String,
    by socket: PacketSocket,
    _ scope: TaskScope,
    _ time: any TimeSource
) async throws(RadioError) -> ReachedController {
    let turns: TurnTaker = { (subject, deadline, onWait) async throws(RadioError) in
        try await socket.takeTurn(subject, of: name, by: deadline, time, onWait: onWait)
    }
    do throws(RadioError) {
        let system = try await RemoteRadioSystem.join(
            socket,
            named: name,
            turns: .taken(turns),
            time: time,
            scope: scope
        )
        return ReachedController(system: system) { socket.shutDown() }
    } catch {
        socket.shutDown()
        throw error
    }
}

/// An adapter of another machine, which a program there lends through ssh.
func controllerElsewhere(
    _ host: String,
    _ adapter: String?,
    named name: String,
    _ scope: TaskScope,
    _ time: any TimeSource
) async throws(RadioError) -> ReachedController {
    let program = ProgramStream(during: name)
    do throws(RadioError) {
        let stream = ChannelStream(try program.start(ssh(host, adapter), variables()), isOpener: true, during: name)
        scope.spawn { await stream.carry() }
        // A person may have to type a password, so that only ssh's own limits hold.
        do throws(RadioError) {
            try await stream.untilGreeted()
        } catch {
            guard error.cause == .controllerGone else { throw error }
            throw await program.failure(toReach: host) { body in WorkThread.start(body) }
        }
        program.isProven()
        let system = try await RemoteRadioSystem.join(stream, named: name, turns: .there, time: time, scope: scope)
        return ReachedController(system: system) { program.shutDown() }
    } catch {
        program.shutDown()
        throw error
    }
}

/// The command line that lends an adapter of another machine. A connection on which nothing comes for 15 s is lost.
private func ssh(_ host: String, _ adapter: String?) -> [String] {
    // The shell there reads it once more.
    let quoted = adapter?.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    let choice = quoted.map { " --adapter '\($0)'" }
    return [
        "ssh", "-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", "ConnectTimeout=10",
    ] + ControllerPlace.sshWords(for: host) + ["blectl radio --stdio" + (choice ?? "")]
}
