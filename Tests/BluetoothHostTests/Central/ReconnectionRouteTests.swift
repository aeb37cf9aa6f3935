// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("Reconnection by another way to the device")
struct ReconnectionRouteTests {
    private typealias Device = ObservedDevice

    private static let again = Device.subscribing + Device.serviceChanged

    @Test(
        "if the process with the link has ended, the same attempt takes another way to the device",
        arguments: [RadioError.SocketProblem.noFile, .nobodyListens]
    )
    func anotherWay(problem: RadioError.SocketProblem) throws {
        try inVirtualTime { time, scope in
            let next = ScriptedRadio([.connects(Self.again)], address: 0x0011_2233_4466, time, scope)
            let secured = Mutex(0)
            let device = Device(
                [.connects(Device.subscribing), .fails(.socket(path: "/s", problem))],
                time,
                scope,
                reconnection: .unlimited(),
                route: {
                    var configuration = Peripheral.Configuration()
                    configuration.completeSecurity = { policy in
                        secured.withLock { $0 += 1 }
                        return policy
                    }
                    return PeripheralRoute(next, configuration)
                }
            )
            let witness = try await device.subscribedWitness()
            try await device.sleep(.seconds(1))
            try device.channel(0).end(.closedByPeer(nil))
            try await device.sleep(.seconds(20))
            #expect(
                witness.seen == ["lost: closedByPeer(nil) at 1000", "restored after 0.0 seconds, attempt 1 at 1000"]
            )
            #expect(next.events == ["begins at 1000 ms", "connected at 1000 ms"])
            // The security of the new way belongs to its link.
            #expect(secured.withLock { $0 } == 1)
            #expect(device.peripheral.adapter.address == next.adapter.address)
        }
    }

    @Test("without another way the attempts go on, and a later one finds it")
    func laterWay() throws {
        try inVirtualTime { time, scope in
            let next = ScriptedRadio([.connects(Self.again)], time, scope)
            let refusals = Mutex(2)
            let gone = RadioError.Cause.socket(path: "/s", .nobodyListens)
            let device = Device(
                [.connects(Device.subscribing), .fails(gone), .fails(gone), .fails(gone)],
                time,
                scope,
                reconnection: .unlimited(),
                route: {
                    let isThere = refusals.withLock { left in
                        defer { left -= 1 }
                        return left == 0
                    }
                    return isThere ? PeripheralRoute(next, Peripheral.Configuration()) : nil
                }
            )
            let witness = try await device.subscribedWitness()
            try await device.sleep(.seconds(1))
            try device.channel(0).end(.closedByPeer(nil))
            try await device.sleep(.seconds(20))
            #expect(witness.seen.last == "restored after 1.5 seconds, attempt 3 at 2500")
            #expect(next.events == ["begins at 2500 ms", "connected at 2500 ms"])
        }
    }
}
