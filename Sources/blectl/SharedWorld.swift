// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Bluetooth
import BluetoothDevices
import BluetoothHost
import Glibc
import LinuxRadio
import SimulatedRadio

enum SimulatedPlace: Sendable {
    /// A world of this process.
    case own(SimulatedFiles)
    /// A world that another process keeps alive, whose socket is at the path.
    case shared(path: String)
}

extension SimulatedPlace {
    /// The longest first packet and the longest later one, in octets.
    static let maximumPacket = max(RemoteRequest.maximumLength, RemotePacket.maximumLength)

    /// The world that the options name.
    init(_ options: GlobalOptions) throws(BlectlError) {
        let worlds = options.simulatedWorlds
        guard let path = try Self.socket(among: worlds) else {
            do throws(BlectlError) {
                self = .own(try SimulatedFiles(worlds))
            } catch {
                // The socket of a world that has ended is gone, too.
                guard error.status == .cannotOpenInput, error.hint == nil else { throw error }
                throw error.with(hint: "keep a shared world alive: blectl simulate serve --socket PATH")
            }
            return
        }
        if let option = options.privateWorldOption {
            throw BlectlError(
                .usage,
                "'--\(option)' is for a world of this command, and \(path) is one that others share",
                hint: options.faults.isEmpty
                    ? "leave it out, or name the world's properties with 'blectl simulate serve'"
                    : "write it into the 'faults' of a device file or of a world file, and serve that with "
                        + "'blectl simulate serve'"
            )
        }
        self = .shared(path: path)
    }

    /// The only socket among the values of `--simulate`; `nil` if all of them are files.
    private static func socket(among worlds: [String]) throws(BlectlError) -> String? {
        let sockets = worlds.filter(isSocket)
        guard let socket = sockets.first else { return nil }
        guard worlds.count == 1 else {
            throw BlectlError(.usage, "a socket is a whole world: '--simulate=\(socket)' cannot have others beside it")
        }
        return socket
    }

    private static func isSocket(_ path: String) -> Bool {
        // By stat(2), which follows symbolic links: one to a socket is as good.
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}

/// The content of a world of this process. This is where files become devices.
struct SimulatedFiles: Sendable {
    /// The devices of the files; the built-in ones if there are no files.
    let devices: [SimulatedDevice]
    /// The seed that the files state.
    let seed: UInt64?

    /// No devices.
    static let empty = SimulatedFiles()

    private init() {
        devices = []
        seed = nil
    }

    init(_ files: [String]) throws(BlectlError) {
        guard !files.isEmpty else {
            devices = builtInDevices()
            seed = nil
            return
        }
        let world = try DeviceFiles.world(files)
        var devices: [SimulatedDevice] = []
        for definition in world.devices {
            do {
                devices.append(try SimulatedDevice(definition))
            } catch {
                // The reader has tried it before.
                throw BlectlError(.badData, cannot: "simulate \(definition.label)", "\(error)")
            }
        }
        self.devices = devices
        seed = world.seed
    }
}

/// A machine in the world of another process.
func joinSharedWorld(_ path: String, _ time: any TimeSource, _ scope: TaskScope) async throws(BlectlError)
    -> SharedSystem
{
    let socket = PacketSocket(path: path, maximumLength: SimulatedPlace.maximumPacket)
    do throws(RadioError) {
        return SharedSystem(
            socket: socket,
            system: try await RemoteRadioSystem.join(socket, time: time, scope: scope)
        )
    } catch {
        socket.shutDown()
        throw BlectlError(joining: path, error, doing: "join a simulated world")
    }
}

/// Asks the process that keeps a world alive for the names of its devices. There are none if it does not answer: what
/// is kept of them needs no world.
func sharedNames(at path: String, _ time: any TimeSource) -> @Sendable () async -> [DeviceAddress: String] {
    {
        let socket = PacketSocket(path: path, maximumLength: SimulatedPlace.maximumPacket)
        defer { socket.shutDown() }
        let answers = try? await WorldClient(socket, time: time).answers(to: .list, timeout: .seconds(2))
        let names = (answers ?? []).compactMap { answer -> (DeviceAddress, String)? in
            guard case .device(let device) = answer else { return nil }
            return (device.address, device.advertisedName ?? device.name)
        }
        return Dictionary(names) { first, _ in first }
    }
}

/// A machine in the world of another process, with the way there.
struct SharedSystem: Sendable {
    let socket: PacketSocket
    let system: RemoteRadioSystem

    /// Ends the machine.
    func leave() {
        system.leave()
        socket.shutDown()
    }
}

/// The worlds that processes share through sockets.
struct WorldSockets: SharedWorlds {
    let time: any TimeSource
    let scope: TaskScope

    func connector(at path: String) -> any RemoteConnector {
        PacketSocket(path: path, maximumLength: SimulatedPlace.maximumPacket)
    }

    /// Serves a world at a socket, until a process asks for its end.
    func serve(
        at path: String,
        files: [String],
        seed: UInt64,
        whenReady: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let content = try SimulatedFiles(files)
        let socket = PacketSocket(path: path, maximumLength: SimulatedPlace.maximumPacket)
        defer { socket.shutDown() }
        let listener = try socket.listen()
        defer { listener.close() }
        let world = RunningWorld(
            SimulatedWorld(seed: content.seed ?? seed, devices: content.devices),
            time: time,
            scope: scope
        )
        let (stops, stop) = AsyncStream<Void>.makeStream()
        let server = RemoteRadioServer(time: time) {
            let system = world.join()
            return RemoteRadioServer.Machine(system, leave: system.leave)
        } control: { request in
            await world.control.answers(to: request)
        } onAnswered: { request in
            // Only after the answer, because the end of the world closes the connection of the process that has asked.
            if request == .stop { stop.yield() }
        }
        try await whenReady(content.devices.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { connections in
                    while true {
                        let channel = try await listener.accept()
                        connections.addTask { await server.serve(channel) }
                    }
                }
            }
            group.addTask { for await _ in stops { break } }
            defer { group.cancelAll() }
            try await group.next()
        }
        try Task.checkCancellation()
    }
}
