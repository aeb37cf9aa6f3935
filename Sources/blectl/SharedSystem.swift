// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Commands
import LinuxRadio
import RadioSharing
import SimulatedRadio
import Toolkit

/// A way to the process that keeps a world alive, which ends.
protocol ClosableConnector: RemoteConnector {
    func shutDown()
}

extension PacketSocket: ClosableConnector {}

func worldSocket(at path: String) -> PacketSocket {
    PacketSocket(path: path, maximumLength: SimulatedLocation.maximumPacket)
}

/// The labels in the files of the world at a path, asked for before there are tasks. There are none if nobody answers: the
/// command says so when it joins the world.
func labels(ofWorldAt path: String) -> [AssignedNumber] {
    // So many that all labels of a world fit.
    let packets = try? worldSocket(at: path).answers(to: RemoteRequest.labels.encoded(), within: 5_000, limit: 10_000)
    return (packets ?? []).flatMap { (try? WorldLabel.labels(in: $0)) ?? [] }
        .map { AssignedNumber(uuid: $0.uuid, kind: $0.isService ? .service : .characteristic, name: $0.name) }
}

/// Joins the world of another process as a machine.
func joinSharedWorld(
    _ path: String,
    by connector: any RemoteConnector,
    _ time: any TimeSource,
    _ scope: TaskScope
) async throws(BlectlError) -> RemoteRadioSystem {
    do throws(RadioError) {
        return try await RemoteRadioSystem.join(connector, time: time, scope: scope)
    } catch {
        throw BlectlError(joining: path, error, doing: "join a simulated world")
    }
}

/// Asks the process that keeps a world alive for the names of its devices. There are none if it does not answer: what
/// is kept of them needs no world.
func sharedNames(by connector: any RemoteConnector, _ time: any TimeSource)
    -> @Sendable () async -> [DeviceAddress: String]
{
    {
        let answers = try? await WorldClient(connector, time: time).answers(to: .list, timeout: .seconds(2))
        let names = (answers ?? []).compactMap { answer -> (DeviceAddress, String)? in
            guard case .device(let device) = answer else { return nil }
            return (device.address, device.advertisedName ?? device.name)
        }
        return Dictionary(names) { first, _ in first }
    }
}

/// The way to touch the world of a simulated radio, in this process or in another one; `nil` on the air.
func worldAccess(of system: any RadioSystem, _ options: GlobalOptions, _ sockets: WorldSockets) -> WorldAccess? {
    guard options.isSimulated else { return nil }
    if let own = system as? SimulatedRadioSystem {
        return { request in
            let answers = await own.control.answers(to: request)
            if case .failed(let problem)? = answers.last { throw problem }
            return answers
        }
    }
    guard system is RemoteRadioSystem, let path = options.simulatedWorlds.first else { return nil }
    let client = WorldClient(sockets.connector(at: path), time: sockets.time)
    return { try await client.answers(to: $0) }
}
