// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import Toolkit

@Suite("The devices of a command")
struct UsedDevicesTests {
    private static func device(_ number: UInt64, name: String? = nil) -> DeviceReference {
        let address = BluetoothAddress(rawValue: 0xC0FF_EE00_0000 + number)
        return DeviceReference(address: DeviceAddress(address, .random), name: name)
    }

    @Test func `a device found again in another way is the same one`() {
        let used = UsedDevices()
        var device = Self.device(1, name: "Pulse HR")
        device.wasHeardOnCoded = true
        used.add(device)
        used.add(Self.device(1))
        #expect(used.only == device)
        used.add(Self.device(2))
        #expect(used.only == nil)
    }
}
