// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import LinuxRadio
import RadioSharing
import SimulatedRadio
import Synchronization
import Terminal
import Toolkit

/// The world of a command that uses a radio, or names devices, if it is a simulated one, without the clock of a shared
/// one. If the radio needs a world that does not exist, that ends the process, unless a session in that world may have the
/// device.
func place(of request: CommandRequest, _ sessions: SessionFolder) -> SimulatedLocation {
    guard case .simulation = request.global.radio else { return .own(.empty) }
    guard request.usesRadio else {
        // A broken world must not keep a command from stored data, which needs none. But its devices have the names.
        guard request.name.has(.keptDevices), case .own(let files)? = try? SimulatedLocation(request.global) else {
            return .own(.empty)
        }
        return .own(files)
    }
    do throws(BlectlError) {
        return try SimulatedLocation(request.global)
    } catch {
        if request.mayRun(onOneOf: sessions) { return .unusable(error) }
        fail(error, command: request.name)
    }
}

/// The world of a command, with the clock of a shared one.
func joined(_ place: SimulatedLocation, of request: CommandRequest) -> SimulatedLocation {
    if let path = request.command.askedWorld, let clock = JoinedClock(ofWorldAt: path) { return .asked(clock) }
    guard case .shared(let path, _) = place else { return place }
    return .shared(path: path, JoinedClock(ofWorldAt: path))
}

/// Runs the command in a simulated world: in a private one, which ends with the command, or as one machine of a shared
/// one.
func simulate(
    _ request: CommandRequest,
    _ place: SimulatedLocation,
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
    case .shared(let path, let clock):
        let connector: any ClosableConnector = clock ?? worldSocket(at: path)
        let joined = Mutex<RemoteRadioSystem?>(nil)
        let names = sharedNames(by: connector, time)
        let status = await run(request, time, streams, interruption, clock, naming: names) {
            scope throws(BlectlError) in
            if let clock { scope.spawn { await clock.member.follow() } }
            let system = try await joinSharedWorld(path, by: connector, time, scope)
            joined.withLock { $0 = system }
            return system
        } remarks: { _ in
            // The next command finds the place free, and with it the bonds of this one.
            await joined.withLock { $0 }?.depart()
            return []
        }
        joined.withLock { $0 }?.leave()
        connector.shutDown()
        return status
    case .asked(let clock):
        return await run(request, time, streams, interruption, clock) { scope in
            scope.spawn { await clock.member.follow() }
            return SimulatedRadioSystem(SimulatedWorld(devices: []), time: time, scope: scope)
        }
    case .unusable(let error):
        return await run(request, time, streams, interruption, worldError: error) { scope in
            SimulatedRadioSystem(SimulatedWorld(devices: []), time: time, scope: scope)
        }
    }
}

/// Returns the names of the devices of a world of this process; of a shared one for a command that shows what is kept,
/// and needs no machine there.
private func names(
    of request: CommandRequest,
    in devices: [SimulatedDevice],
    _ time: any TimeSource
) -> @Sendable () async -> [DeviceAddress: String] {
    if request.name.has(.keptDevices), case .shared(let path, _)? = try? SimulatedLocation(request.global) {
        let socket = worldSocket(at: path)
        return {
            defer { socket.shutDown() }
            return await sharedNames(by: socket, time)()
        }
    }
    let names = Dictionary(devices.map { ($0.address, $0.advertisedName ?? $0.name) }) { first, _ in first }
    return { names }
}

/// The devices that are simulated, and that `serve` can be.
func builtInDevices() -> [SimulatedDevice] {
    valid { () throws(SimulatedDevice.BuiltInError) in try SimulatedDevice.builtIn() }
}

/// The devices that `serve` can be.
func servedDevices() -> [SimulatedDevice] {
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
