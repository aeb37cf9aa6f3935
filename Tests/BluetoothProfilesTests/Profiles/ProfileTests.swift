// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Profiles behind watch")
struct ProfileTests {
    @Test("the registry is in order, and everything in it has a name and a format")
    func registry() {
        #expect(Profile.all.map(\.name) == Profile.all.map(\.name).sorted())
        #expect(Set(Profile.all.map(\.name)).count == Profile.all.count)
        for profile in Profile.all {
            #expect(AssignedNumber.slug(profile.title) == profile.name)
            #expect(AssignedNumbers.name(ofService: profile.service) == profile.title)
            #expect(!profile.measurements.isEmpty)
            for characteristic in profile.measurements + profile.initialReads {
                #expect(CharacteristicValue.isKnown(characteristic))
            }
        }
    }

    @Test(
        "a profile is found by name in any spelling, and by the UUID of its service",
        arguments: ["heart-rate", "Heart Rate", "HEART_RATE", "heartrate", "0x180D", "180d"]
    )
    func named(_ name: String) {
        #expect(Profile.named(name)?.service == 0x180D)
    }

    @Test("an unknown profile is not found", arguments: ["", "heart", "0x1234", "heart-rates"])
    func unknown(_ name: String) {
        #expect(Profile.named(name) == nil)
    }

    @Test("battery reads the level first, heart rate waits for the strap")
    func reads() throws {
        #expect(Profile.battery.initialReads == [0x2A19])
        #expect(Profile.battery.measurements == [0x2A19])
        #expect(Profile.heartRate.initialReads.isEmpty)
        #expect(try Profile.heartRate.decode(hex("00 48"), of: 0x2A37)?.text == "72 bpm")
        #expect(throws: DecodeError.self) { try Profile.heartRate.decode([0], of: 0x2A37) }
    }
}
