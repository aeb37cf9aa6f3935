// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import TestProcesses
import Testing

@testable import Toolkit

@Suite("KnownDevices")
struct KnownDevicesTests {
    private let strap = BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5)
    private let watch = BluetoothAddress(rawValue: 0x00AA_0100_0000)
    private let time = SystemTimeSource { WallTime(nanosecondsSince1970: 0) }

    private func inFolder(_ body: (StateFolder, URL) async throws -> Void) async throws {
        try await TemporaryFolder.use { url in
            let place = StateFolder(base: "/", shared: Array(url.pathComponents.dropFirst()), own: ["blectl"])
            try await body(place, url.appendingPathComponent("blectl/devices.json"))
        }
    }

    @Test("remembers types and names between runs")
    func remembers() async throws {
        try await inFolder { folder, _ in
            var devices = KnownDevices(in: folder)
            #expect(devices.type(of: strap) == nil)
            devices.remember(DeviceAddress(strap, .random), name: "Pulse \u{1B}[31m", seen: "2026-01-01T00:00:00Z")
            devices.remember(DeviceAddress(watch, .public), name: nil, seen: "2026-01-01T00:00:00Z")
            devices.remember(DeviceAddress(strap, .random), name: nil, seen: "2026-01-02T00:00:00Z")
            #expect(devices.type(of: strap) == .random)
            await devices.save(time: time)
            let again = KnownDevices(in: folder)
            #expect(again.type(of: strap) == .random)
            #expect(again.name(of: strap) == "Pulse \u{1B}[31m")
            #expect(again.type(of: watch) == .public)
        }
    }

    @Test("does not remember changing addresses")
    func privateAddresses() {
        var devices = KnownDevices(in: nil)
        for top in [UInt64(0b00), 0b01, 0b10] {
            let address = BluetoothAddress(rawValue: top << 46 | 0x1234)
            devices.remember(DeviceAddress(address, .random), name: nil, seen: "2026-01-01T00:00:00Z")
            #expect(devices.type(of: address) == nil)
        }
    }

    @Test(
        "treats a damaged or foreign file as empty, and writes it again",
        arguments: [
            "", "{", "[]", #"{"version":2,"devices":{}}"#, "\0\u{FF}", String(repeating: "[", count: 100_000),
            #"{"version":1,"devices":{"F0:F1:F2:F3:F4:F5":{"type":"public","seen":"x"}}}"#
                + String(repeating: " ", count: 512 << 10),
        ]
    )
    func damaged(content: String) async throws {
        try await inFolder { folder, file in
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(content.utf8).write(to: file)
            var devices = KnownDevices(in: folder)
            #expect(devices.type(of: strap) == nil)
            devices.remember(DeviceAddress(strap, .random), name: nil, seen: "2026-01-01T00:00:00Z")
            await devices.save(time: time)
            #expect(KnownDevices(in: folder).type(of: strap) == .random)
        }
    }

    @Test("keeps the thousand devices seen last")
    func bounded() async throws {
        try await inFolder { folder, _ in
            var devices = KnownDevices(in: folder)
            for number in 0..<1_500 {
                devices.remember(advertiser(number), name: nil, seen: day(number))
            }
            await devices.save(time: time)
            let again = KnownDevices(in: folder)
            #expect(again.type(of: BluetoothAddress(rawValue: 499)) == nil)
            #expect(again.type(of: BluetoothAddress(rawValue: 500)) == .public)
            #expect(again.type(of: BluetoothAddress(rawValue: 1_499)) == .public)
        }
    }

    @Test("several simultaneous writers each keep their entries")
    func writers() async throws {
        try await inFolder { folder, file in
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        // Each process has its own object for the folder. All have read the same empty file.
                        let own = StateFolder(
                            base: "/",
                            shared: Array(file.deletingLastPathComponent().pathComponents.dropFirst().dropLast()),
                            own: ["blectl"]
                        )
                        for number in 0..<20 {
                            var devices = KnownDevices(in: own)
                            devices.remember(self.advertiser(writer * 100 + number), name: nil, seen: "2026")
                            await devices.save(time: PatientClock())
                        }
                    }
                }
            }
            let all = KnownDevices(in: folder)
            let missing = (0..<8).flatMap { writer in (0..<20).map { writer * 100 + $0 } }
                .filter { all.type(of: BluetoothAddress(rawValue: UInt64($0))) != .public }
            #expect(missing.isEmpty)
            let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
            #expect(names == ["devices.json"])
        }
    }

    @Test("the PHY of a device is remembered until it is connected to")
    func coded() async throws {
        try await inFolder { folder, _ in
            var devices = KnownDevices(in: folder)
            devices.remember(DeviceAddress(strap, .random), name: nil, seen: "2026-01-01", isCoded: true)
            devices.remember(DeviceAddress(watch, .public), name: nil, seen: "2026-01-01")
            await devices.save(time: time)
            devices = KnownDevices(in: folder)
            let (coded, other) = (DeviceAddress(strap, .random), DeviceAddress(watch, .public))
            #expect(devices.reference(to: coded).wasHeardOnCoded && !devices.reference(to: other).wasHeardOnCoded)
            devices.remember(DeviceAddress(strap, .random), name: nil, seen: "2026-01-02", isConnected: true)
            devices.remember(DeviceAddress(strap, .random), name: nil, seen: "2026-01-03", isCoded: true)
            await devices.save(time: time)
            #expect(!KnownDevices(in: folder).reference(to: coded).wasHeardOnCoded)
        }
    }

    // MARK: - Hostile names

    @Test("an advertisement with the address of a used device does not change its type")
    func spoofedType() async throws {
        try await inFolder { folder, _ in
            var devices = KnownDevices(in: folder)
            devices.remember(DeviceAddress(strap, .random), name: "Pulse", seen: "2026-01-01", isConnected: true)
            await devices.save(time: time)
            devices = KnownDevices(in: folder)
            devices.remember(DeviceAddress(strap, .public), name: "Evil", seen: "2026-01-02")
            await devices.save(time: time)
            devices = KnownDevices(in: folder)
            #expect(devices.type(of: strap) == .random)
            #expect(devices.name(of: strap) == "Pulse")
            // Another connection changes it.
            devices.remember(DeviceAddress(strap, .public), name: nil, seen: "2026-01-03", isConnected: true)
            await devices.save(time: time)
            #expect(KnownDevices(in: folder).type(of: strap) == .public)
        }
    }

    @Test("many advertisers do not displace a device that was connected to")
    func crowd() async throws {
        try await inFolder { folder, file in
            var devices = KnownDevices(in: folder)
            devices.remember(DeviceAddress(strap, .random), name: "Pulse", seen: "2025", isConnected: true)
            let name = String(repeating: "\u{1}", count: 248)
            for number in 0..<3_000 { devices.remember(advertiser(number), name: name, seen: day(number)) }
            await devices.save(time: time)
            #expect(KnownDevices(in: folder).type(of: strap) == .random)
            let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            #expect(100_000...(512 << 10) ~= size, "\(size) octets")
        }
    }

    @Test("a name that does not fit into an advertisement is not kept")
    func longName() {
        var devices = KnownDevices(in: nil)
        devices.remember(DeviceAddress(strap, .random), name: String(repeating: "n", count: 249), seen: "2026")
        #expect(devices.type(of: strap) == .random)
        #expect(devices.name(of: strap) == nil)
    }

    private func advertiser(_ number: Int) -> DeviceAddress {
        DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public)
    }

    /// Text that is sorted like the number.
    private func day(_ number: Int) -> String {
        String(repeating: "0", count: 5 - String(number).count) + String(number)
    }
}
