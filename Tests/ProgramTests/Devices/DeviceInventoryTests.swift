// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Commands
@testable import Toolkit

@Suite("What is known of devices")
struct DeviceInventoryTests {
    private let first = DeviceAddress(BluetoothAddress(rawValue: 0xC84B_1D3A_905E), .random)
    private let second = DeviceAddress(BluetoothAddress(rawValue: 0x0011_2233_4455), .public)

    @Test("the entries of one device are merged, the latest first")
    func together() {
        var known = KnownDevices(in: nil)
        known.remember(first, name: "Pulse HR", seen: "2026-11-20T00:00:00Z", isConnected: true)
        known.remember(second, name: nil, seen: "2026-11-21T00:00:00Z")
        let other = DeviceAddress(second.address, .random)
        let inventory = DeviceInventory(known: known, cached: [first, other], bonds: [], sessions: [])
        #expect(inventory.devices.map(\.address) == [second, first, other])
        #expect(inventory.devices.map(\.hasAttributes) == [false, true, true])
        #expect(inventory.devices[1].connected == "2026-11-20T00:00:00Z" && inventory.devices[0].connected == nil)
        #expect(inventory.devices(.name("pulse hr")).map(\.address) == [first])
        #expect(inventory.devices(.address(second.address)).count == 2)
    }

    @Test("a simulated device has its declared name if none is kept, and no entry if nothing is kept")
    func declaredNames() {
        var known = KnownDevices(in: nil)
        known.remember(second, name: "Kept", seen: "2026-11-21T00:00:00Z")
        let inventory = DeviceInventory(
            known: known,
            cached: [first],
            bonds: [],
            sessions: [],
            declaredNames: [
                first: "Pulse HR", second: "Declared", DeviceAddress(BluetoothAddress(rawValue: 7), .random): "Other",
            ]
        )
        #expect(inventory.devices.map(\.name) == ["Kept", "Pulse HR"])
        #expect(inventory.devices(.name("pulse hr")).map(\.address) == [first])
        #expect(inventory.devices(.name("Other")).isEmpty)
    }

    @Test("a link of the kernel comes first, even if nothing is kept of its device")
    func links() {
        var known = KnownDevices(in: nil)
        known.remember(first, name: "Pulse HR", seen: "2026-11-20T00:00:00Z", isConnected: true)
        known.remember(second, name: nil, seen: "2026-11-21T00:00:00Z")
        let third = DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), .random)
        let inventory = DeviceInventory(
            known: known,
            cached: [],
            bonds: [],
            sessions: [],
            links: [KernelLink(device: first, adapter: "hci1"), KernelLink(device: third, adapter: "hci0")]
        )
        #expect(inventory.devices.map(\.address) == [first, third, second])
        #expect(inventory.devices.map(\.adapter) == ["hci1", "hci0", nil])
        #expect(inventory.devices.first?.name == "Pulse HR")
    }
}
