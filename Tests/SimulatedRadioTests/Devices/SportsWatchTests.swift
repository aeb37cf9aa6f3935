// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import SimulatedRadio

@Suite("Sports watch")
struct SportsWatchTests {
    @Test func `it has twelve primary services, and the same characteristic in two of them`() throws {
        let database = try SimulatedDevice.builtIn("sports-watch").database
        let services = database.attributes.filter { $0.type == .primaryService }
        #expect(services.count == 12)
        #expect(database.attributes.count { $0.type == 0x2A06 } == 2)
    }

    @Test func `it measures while somebody is subscribed`() throws {
        try DeviceProbe.run("sports-watch") { watch in
            let configuration = try watch.configuration(0x2A37)
            #expect(try await watch.exchange("12" + configuration + "0100") == "13")
            for _ in 0..<5 {
                let value = try HeartRateMeasurement(decoding: Array(try await watch.receive().dropFirst(3)))
                #expect(45...185 ~= value.heartRate)
            }
            #expect(watch.time.now - .zero < .seconds(10))
            #expect(try await watch.exchange("12" + configuration + "0000") == "13")
            #expect(await watch.isQuiet(for: .seconds(60)))
        }
    }

    @Test func `the chosen track is indicated`() throws {
        try DeviceProbe.run("sports-watch") { watch in
            let configuration = try watch.configuration(SportsWatchUUID.selected)
            #expect(try await watch.exchange("12" + configuration + "0200") == "13")
            #expect(try await watch.write(SportsWatchUUID.selection, "07") == "13")
            let handle = try watch.handle(SportsWatchUUID.selected)
            #expect(Hex.string(try await watch.receive()) == "1d" + handle + "07")
        }
    }

    @Test func `the last run is longer than a packet, and the battery is known`() throws {
        try DeviceProbe.run("sports-watch") { watch in
            let track = try await watch.read(SportsWatchUUID.track)
            #expect(track.count == 2 * 23)
            #expect(try await watch.read(0x2A19) == "0b3a")
        }
    }
}
