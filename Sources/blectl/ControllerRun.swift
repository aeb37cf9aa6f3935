// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import ControllerRadio
import LinuxRadio
import RadioSharing
import Synchronization
import Terminal
import Toolkit

/// A controller that is not the kernel's, as a machine with one adapter.
struct ReachedController: Sendable {
    let system: any RadioSystem
    let end: @Sendable () async -> Void
}

/// Runs the command on controllers that are not the kernel's, and on adapters beside them: with the hosts of the
/// processes that lend them, or with those of this process.
func useControllers(
    _ request: CommandRequest,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption
) async -> ExitStatus {
    let names = request.global.adapters.names
    let kernel = LinuxRadioSystem(time: time)
    defer { kernel.shutDown() }
    // A scope that lasts longer than the command, because its links are ended after it.
    return await withLastingTaskScope(time) { scope in
        let ends = Mutex<[@Sendable () async -> Void]>([])
        @Sendable func opened(_ place: ControllerPlace) async throws(RadioError) -> any RadioSystem {
            do throws(RadioError) {
                let reached = try await reach(place, scope, time)
                ends.withLock { $0.append(reached.end) }
                return reached.system
            } catch {
                throw error.on(place.name)
            }
        }
        let status = await run(request, time, streams, interruption) { _ in
            JointRadioSystem(parts(of: names, kernel, opened), scope: scope, time: time)
        }
        await withDiscardingTaskGroup { group in
            for end in ends.withLock({ $0 }) { group.addTask { await end() } }
        }
        return status
    }
}

/// The parts of a machine with adapters of these names, in their order. All adapters of the kernel are in one.
private func parts(
    of names: [String],
    _ kernel: LinuxRadioSystem,
    _ opened: @escaping @Sendable (ControllerPlace) async throws(RadioError) -> any RadioSystem
) -> [JointRadioSystem.Part] {
    var parts: [JointRadioSystem.Part] = []
    var hasKernel = false
    for name in names {
        if let place = ControllerPlace(name) {
            parts.append(.init(named: name) { () async throws(RadioError) in try await opened(place) })
        } else if !hasKernel {
            hasKernel = true
            parts.append(.init { () async throws(RadioError) in kernel })
        }
    }
    return parts
}

/// Reaches a controller. One that this process is the host of is not touched before an adapter is needed.
private func reach(
    _ place: ControllerPlace,
    _ scope: TaskScope,
    _ time: any TimeSource
) async throws(RadioError) -> ReachedController {
    let addresses = ControllerAddresses(time)
    switch place {
    case .ssh(let host, let adapter):
        let reached = try await controllerElsewhere(host, adapter, named: place.name, scope, time)
        // The bonds with its devices are here.
        if let adapter = try await reached.system.adapters().first {
            await addresses?.keep(adapter.bondAddress, of: place.name)
        }
        return reached
    case .unix(let path):
        let socket = worldSocket(at: path)
        // The socket of a controller carries a stream, and refuses a connection for packets.
        if socket.isServed { return try await lentController(named: place.name, by: socket, scope, time) }
        socket.shutDown()
    case .tcp, .serial, .usb, .user: break
    }
    let transport = ControllerTransport(to: place, time: time)
    let taken: TakenAdapter? =
        if case .user(let index) = place { TakenAdapter(index: index, scope: scope, time: time) } else { nil }
    let system = ControllerRadioSystem(
        place.name,
        randomAddress: addresses?.address(of: place.name),
        keep: { await addresses?.keep($0, of: place.name) },
        scope: scope,
        time: time,
        revive: { error, attempt throws(RadioError) in try await transport.revive(after: error, attempt) }
    ) { () async throws(RadioError) in
        if let taken { return try await taken.take() }
        return try await transport.connect(by: time.now + .seconds(5)) { body in WorkThread.start(body) }
    }
    return ReachedController(system: system) {
        await system.shutDown()
        await taken?.giveBack()
        transport.shutDown()
    }
}
