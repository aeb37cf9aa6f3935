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
    let server = RemoteRadioServer(time: time) { RemoteRadioServer.Machine(system) {} }
    try await whenReady()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.serveAll(of: listener) }
        group.addTask { while true { _ = try await watch.receive() } }
        defer { group.cancelAll() }
        try await group.next()
    }
}

/// Runs the command on a controller that `blectl radio` lends at a socket.
func useLentController(
    at path: String,
    named name: String,
    by socket: PacketSocket,
    _ request: CommandRequest,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption
) async -> ExitStatus {
    await run(request, time, streams, interruption) { scope throws(BlectlError) in
        let turns: TurnTaker = { (subject, deadline, onWait) async throws(RadioError) in
            try await socket.takeTurn(subject, of: name, by: deadline, time, onWait: onWait)
        }
        do throws(RadioError) {
            return try await RemoteRadioSystem.join(socket, named: name, turns: turns, time: time, scope: scope)
        } catch {
            throw BlectlError(error.on(name), doing: "use the controller that is lent at \(path)")
        }
    }
}
