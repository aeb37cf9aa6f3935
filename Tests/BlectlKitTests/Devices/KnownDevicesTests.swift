// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Bluetooth
import Foundation
import Testing

@Suite("KnownDevices")
struct KnownDevicesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
    private var path: String { folder.appendingPathComponent("state/blectl/devices.json").path }
    private let strap = BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5)
    private let watch = BluetoothAddress(rawValue: 0x00AA_0100_0000)

    @Test("remembers types and names between runs")
    func remembers() {
        defer { try? FileManager.default.removeItem(at: folder) }
        var devices = KnownDevices(path: path)
        #expect(devices.type(of: strap) == nil)
        devices.remember(DeviceAddress(strap, .random), name: "Pulse \u{1B}[31m", seen: "2026-01-01T00:00:00Z")
        devices.remember(DeviceAddress(watch, .public), name: nil, seen: "2026-01-01T00:00:00Z")
        devices.remember(DeviceAddress(strap, .random), name: nil, seen: "2026-01-02T00:00:00Z")
        devices.save()
        let again = KnownDevices(path: path)
        #expect(again.type(of: strap) == .random)
        #expect(again.name(of: strap) == "Pulse \u{1B}[31m")
        #expect(again.type(of: watch) == .public)
    }

    @Test("does not remember addresses that change")
    func privateAddresses() {
        var devices = KnownDevices(path: nil)
        for top in [UInt64(0b00), 0b01, 0b10] {
            let address = BluetoothAddress(rawValue: top << 46 | 0x1234)
            devices.remember(DeviceAddress(address, .random), name: nil, seen: "2026-01-01T00:00:00Z")
            #expect(devices.type(of: address) == nil)
        }
    }

    @Test(
        "takes a damaged or foreign file for an empty one",
        arguments: ["", "{", "[]", #"{"version":2,"devices":{}}"#, "\0\u{FF}"]
    )
    func damaged(content: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        var devices = KnownDevices(path: path)
        #expect(devices.type(of: strap) == nil)
        devices.remember(DeviceAddress(strap, .random), name: nil, seen: "2026-01-01T00:00:00Z")
        devices.save()
        #expect(KnownDevices(path: path).type(of: strap) == .random)
    }

    @Test("keeps the thousand devices seen last")
    func bounded() {
        defer { try? FileManager.default.removeItem(at: folder) }
        var devices = KnownDevices(path: path)
        for number in 0..<1_500 {
            let address = DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public)
            let seen = String(repeating: "0", count: 5 - String(number).count) + String(number)
            devices.remember(address, name: nil, seen: seen)
        }
        devices.save()
        let again = KnownDevices(path: path)
        #expect(again.type(of: BluetoothAddress(rawValue: 499)) == nil)
        #expect(again.type(of: BluetoothAddress(rawValue: 500)) == .public)
        #expect(again.type(of: BluetoothAddress(rawValue: 1_499)) == .public)
    }

    @Test("finds its place by the environment")
    func place() {
        #expect(KnownDevices.defaultPath { ["XDG_STATE_HOME": "/x"][$0] } == "/x/blectl/devices.json")
        #expect(KnownDevices.defaultPath { ["HOME": "/h"][$0] } == "/h/.local/state/blectl/devices.json")
        #expect(
            KnownDevices.defaultPath { ["HOME": "/h", "XDG_STATE_HOME": "relative"][$0] }
                == "/h/.local/state/blectl/devices.json"
        )
        #expect(KnownDevices.defaultPath { _ in nil } == nil)
    }
}
