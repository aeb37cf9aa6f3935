// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Connecting on LE Coded")
struct LongRangeTests {
    @Test func `only a controller with LE Coded reaches a device that advertises only there`() throws {
        var strap = try SimulatedDevice.builtIn("pulse-strap")
        let kind = DeviceAdvertising.Kind.extended(
            sid: 0,
            isConnectable: true,
            primaryPHY: .coded,
            secondaryPHY: .coded
        )
        strap.advertising = [DeviceAdvertising(kind, interval: .milliseconds(200), data: [])]
        let address = strap.address
        var withoutCoded = ControllerProfile.modern
        withoutCoded.leFeatures.remove(.codedPHY)
        for (controller, expected) in [
            (ControllerProfile.modern, nil), (withoutCoded, .connectTimedOut), (.legacy, .connectTimedOut),
        ] as [(ControllerProfile, RadioError.Cause?)] {
            let world = SimulatedWorld(controller: controller, devices: [strap])
            let cause = try simulate(world) { system, _ -> RadioError.Cause? in
                let radio = try system.radio(named: nil)
                do throws(RadioError) {
                    _ = try await radio.connectATT(to: address, deadline: .zero + .seconds(5))
                    return nil
                } catch {
                    return error.cause
                }
            }
            #expect(cause == expected)
        }
    }
}
