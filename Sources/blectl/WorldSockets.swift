// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Captures
import LinuxRadio
import RadioSharing
import SimulatedRadio
import Toolkit

/// The sockets of the worlds that processes share.
struct WorldSockets: Sendable {
    let time: any TimeSource
    let scope: TaskScope
    /// The clock of the world that the command uses or asks; `nil` in real time.
    let clock: JoinedClock?
    /// Runs reads that may block; `nil` for the caller's thread.
    let blocking: BlockingRunner?

    /// A way to the process that keeps the world alive whose socket is at the path.
    func connector(at path: String) -> any RemoteConnector { clock ?? worldSocket(at: path) }

    /// Serves a world at a socket, until a process asks for its end.
    func serve(
        at path: String,
        files: [String],
        seed: UInt64,
        whenReady: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let content = try await StandardStreams.reading(files, blocking) { try SimulatedFiles(files) }
        let socket = worldSocket(at: path)
        defer { socket.shutDown() }
        let listener = try socket.listen()
        defer { listener.close() }
        let world = RunningWorld(
            SimulatedWorld(seed: content.seed ?? seed, devices: content.devices),
            time: time,
            scope: scope
        )
        let (stops, stop) = AsyncStream<Void>.makeStream()
        let live = LiveCapture(time: time)
        let clock = (time as? VirtualTime).map { WorldClock(sharing: $0) }
        defer { clock?.release() }
        // What a process opens whose clock is that of the world comes through its one connection.
        let (arrivals, arrive) = AsyncStream<any PacketChannel>.makeStream()
        let join = clock.map { clock in
            { @Sendable (channel: any PacketChannel, process: UInt32) async in
                await clock.serve(ClockLink(channel), to: process, greeting: JoinedClock.greeting) { arrive.yield($0) }
            }
        }
        let labels = content.labels.map { WorldLabel(name: $0.name, uuid: $0.uuid, isService: $0.kind == .service) }
        let server = RemoteRadioServer(time: time, capture: live.begin, clock: join, labels: labels) {
            let system = world.join()
            let machine = live.adding(system)
            return RemoteRadioServer.Machine(machine.system) {
                system.leave()
                live.remove(machine.number)
            }
        } control: { request in
            await world.control.answers(to: request)
        } onAnswered: { request in
            // Only after the answer, because the end of the world closes the connection of the process that has asked.
            if request == .stop { stop.yield() }
        }
        try await untilFirst([
            { try await server.serveAll(of: listener) },
            {
                await withDiscardingTaskGroup { connections in
                    for await channel in arrivals { connections.addTask { await server.serve(channel) } }
                }
            },
            { for await _ in stops { break } },
        ]) { try await whenReady(content.devices.count) }
        try Task.checkCancellation()
    }
}
