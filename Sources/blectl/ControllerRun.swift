// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import ControllerRadio
import LinuxRadio
import Terminal
import Toolkit

/// Runs the command on a controller that is not the kernel's: with the host of the process that lends it, or with one of
/// this process.
func useController(
    at place: ControllerPlace,
    _ request: CommandRequest,
    _ time: any TimeSource,
    _ streams: Streams,
    _ interruption: Interruption
) async -> ExitStatus {
    if case .unix(let path) = place {
        let socket = worldSocket(at: path)
        defer { socket.shutDown() }
        // The socket of a controller carries a stream, and refuses a connection for packets.
        if socket.isServed {
            return await useLentController(
                at: path,
                named: place.name,
                by: socket,
                request,
                time,
                streams,
                interruption
            )
        }
    }
    if case .ssh(let host, let adapter) = place {
        return await useControllerElsewhere(host, adapter, named: place.name, request, time, streams, interruption)
    }
    let transport = ControllerTransport(to: place, time: time)
    defer { transport.shutDown() }
    // A scope that lasts longer than the command, because its links are ended after it.
    return await withLastingTaskScope(time) { scope in
        let taken: TakenAdapter? =
            if case .user(let index) = place { TakenAdapter(index: index, scope: scope, time: time) } else { nil }
        let addresses = StateFolder.state(environment: environment).map { StaticAddresses(folder: $0, time: time) }
        let system = ControllerRadioSystem(
            place.name,
            randomAddress: addresses?.address(of: place.name),
            keep: { await addresses?.keep($0, of: place.name) },
            scope: scope,
            time: time,
            revive: { error, attempt throws(RadioError) in
                try await transport.revive(after: error, attempt)
            }
        ) { () async throws(RadioError) in
            if let taken { return try await taken.take() }
            return try await transport.connect(by: time.now + .seconds(5)) { body in WorkThread.start(body) }
        }
        let status = await run(request, time, streams, interruption) { _ in system }
        await system.shutDown()
        await taken?.giveBack()
        return status
    }
}
