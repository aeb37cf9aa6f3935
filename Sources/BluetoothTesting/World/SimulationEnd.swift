// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothDevices
import SimulatedRadio

/// Something that a test has left behind in its simulation.
public enum Leftover: Hashable, Sendable, CustomStringConvertible {
    /// Nothing was due any more, and the test still waited: only another thread could have gone on.
    case deadlock(after: Duration)
    /// The test has not ended within its limit of time.
    case endless(limit: Duration)
    /// Requests to a device have no answer.
    case waitingRequests(Int, device: String)
    /// Attempts to connect still wait for a device.
    case waitingConnections(Int)
    /// A fault of a device never acted.
    case unmetFault(FaultRule, device: String)
    /// The adapter still scans.
    case scan
    /// The adapter still advertises.
    case advertising
    /// Links that the test has opened itself, and not through `Simulation`, are still there.
    case links(Int)

    /// The finding as a sentence without its end.
    public var description: String {
        switch self {
        case .deadlock(let uptime):
            "nothing is due after \(uptime) of virtual time, and the test still waits: for a device that answers "
                + "nothing, for something that never happens, or for a thread outside of virtual time ('time: .real')"
        case .endless(let limit): "the test has not ended after \(limit)"
        case .waitingRequests(let count, let device):
            "\(count == 1 ? "a request" : "\(count) requests") to '\(device)' never got an answer"
        case .waitingConnections(let count):
            "\(count == 1 ? "an attempt" : "\(count) attempts") to connect still waited at the end"
        case .unmetFault(let rule, let device): "the fault '\(rule)' of '\(device)' never acted"
        case .scan: "the adapter was left scanning"
        case .advertising: "the adapter was left advertising"
        case .links(let count): count == 1 ? "a link was left open" : "\(count) links were left open"
        }
    }
}

extension Simulation {
    /// Disconnects the links of the simulation, and returns what is left in use.
    func end() async -> [Leftover] {
        var left: [Leftover] = []
        // A link that has just ended takes its requests with it, and an answer may be on its way: both take a moment.
        try? await run(limit: .seconds(1)) { [self] in
            for device in devices where await waitingRequests(of: device) > 0 { return false }
            return true
        }
        // Counted before the links end, because their end also ends requests and attempts to connect.
        for device in devices {
            let waiting = await waitingRequests(of: device)
            if waiting > 0 { left.append(.waitingRequests(waiting, device: device.label)) }
        }
        if world.control.waitingConnections > 0 { left.append(.waitingConnections(world.control.waitingConnections)) }
        for (device, faults) in zip(devices, await world.unmetFaults()) {
            left += faults.map { .unmetFault($0, device: device.label) }
        }
        await belongings.disconnect()
        let machines = belongings.machines
        // The disconnection takes its time on the air, and a scan that was left ends in the background.
        try? await run(limit: .seconds(1)) {
            machines.allSatisfy { !$0.isScanning && !$0.isAdvertising && $0.linkCount == 0 }
        }
        if machines.contains(where: \.isScanning) { left.append(.scan) }
        if machines.contains(where: \.isAdvertising) { left.append(.advertising) }
        let links = machines.reduce(0) { $0 + $1.linkCount }
        if links > 0 { left.append(.links(links)) }
        return left
    }

    private func waitingRequests(of device: RunningDevice) async -> Int {
        (try? await world.control.waitingRequests(of: device.address.address.description)) ?? 0
    }
}
