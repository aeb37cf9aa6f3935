// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Foundation
import Testing

@testable import LinuxRadio

@Suite("What the folders of the kernel show")
struct MachineFoldersTests {
    /// A root folder with made-up folders of the kernel.
    private struct Root {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        var facts: MachineFacts {
            var folders = MachineFolders()
            (folders.sys, folders.proc) = ("\(url.path)/sys", "\(url.path)/proc")
            (folders.modules, folders.run) = ("\(url.path)/modules", "\(url.path)/run")
            return folders.facts()
        }

        func folder(_ path: String) throws {
            try FileManager.default.createDirectory(
                at: url.appendingPathComponent(path),
                withIntermediateDirectories: true
            )
        }

        func file(_ path: String, _ content: String) throws {
            try file(path, Data(content.utf8))
        }

        func file(_ path: String, _ content: Data) throws {
            try folder((path as NSString).deletingLastPathComponent)
            try content.write(to: url.appendingPathComponent(path))
        }

        func link(_ path: String, to target: String) throws {
            try folder((path as NSString).deletingLastPathComponent)
            try FileManager.default.createSymbolicLink(
                atPath: url.appendingPathComponent(path).path,
                withDestinationPath: url.appendingPathComponent(target).path
            )
        }

        /// A Bluetooth device on USB at `place`.
        func dongle(_ place: String, suspended: Bool, driver: Bool) throws {
            let device = "sys/devices/usb1/\(place)"
            let interface = "\(device)/\(place):1.0"
            try file("\(device)/idVendor", "0a12\n")
            try file("\(device)/idProduct", "0001\n")
            try file("\(device)/power/runtime_status", suspended ? "suspended\n" : "active\n")
            try file("\(device)/power/control", suspended ? "auto\n" : "on\n")
            try file("\(interface)/bInterfaceClass", "e0\n")
            try file("\(interface)/bInterfaceSubClass", "01\n")
            try file("\(interface)/bInterfaceProtocol", "01\n")
            try link("sys/bus/usb/devices/\(place):1.0", to: interface)
            if driver {
                try folder("sys/bus/usb/drivers/btusb")
                try link("\(interface)/driver", to: "sys/bus/usb/drivers/btusb")
            }
        }
    }

    private func withRoot(_ body: (Root) throws -> Void) throws {
        let root = try Root()
        defer { try? FileManager.default.removeItem(at: root.url) }
        try body(root)
    }

    @Test("Nothing at all is no error")
    func nothing() throws {
        try withRoot { root in
            let facts = root.facts
            #expect(facts.kernel == "Linux")
            #expect(!facts.hasBluetoothPart && !facts.canLoadBluetoothPart && !facts.hasUSBDriver && !facts.hasSystemd)
            #expect(facts.driverless.isEmpty && facts.switches.isEmpty && facts.attachments.isEmpty)
            #expect(facts.rights == nil && facts.manager == nil)
        }
    }

    @Test("The kernel, its modules, and the init of the machine")
    func kernel() throws {
        try withRoot { root in
            try root.file("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n")
            try root.folder("modules/6.1.0-13-amd64/kernel/net/bluetooth")
            #expect(root.facts.kernel == "Linux 6.1.0-13-amd64")
            #expect(root.facts.canLoadBluetoothPart && !root.facts.hasBluetoothPart)
            try root.folder("sys/module/bluetooth")
            try root.folder("run/systemd/system")
            #expect(root.facts.hasBluetoothPart && root.facts.hasSystemd)
        }
    }

    @Test("An adapter on USB: its driver, its device, and whether that sleeps")
    func usb() throws {
        try withRoot { root in
            try root.dongle("1-2", suspended: true, driver: true)
            try root.link("sys/class/bluetooth/hci0/device", to: "sys/devices/usb1/1-2/1-2:1.0")
            try root.folder("sys/class/bluetooth/hci1")
            // A connection, as the kernel shows it there.
            try root.folder("sys/class/bluetooth/hci0:64")
            let facts = root.facts
            let device = MachineFacts.USBDevice(
                place: "1-2",
                identifiers: "0a12:0001",
                isSuspended: true,
                maySuspend: true
            )
            #expect(
                facts.attachments == [
                    "hci0": .init(driver: "btusb", usb: device), "hci1": .init(driver: nil, usb: nil),
                ]
            )
            #expect(facts.driverless.isEmpty && facts.hasUSBDriver)
        }
    }

    @Test("A Bluetooth device without a driver is found, and no other device")
    func driverless() throws {
        try withRoot { root in
            try root.dongle("1-2", suspended: false, driver: false)
            try root.dongle("1-3", suspended: false, driver: true)
            try root.dongle("1-4", suspended: false, driver: false)
            try root.file("sys/devices/usb1/1-4/1-4:1.0/bInterfaceClass", "03\n")
            #expect(root.facts.driverless.map(\.place) == ["1-2"])
        }
    }

    @Test("The switches for Bluetooth, and no others")
    func switches() throws {
        try withRoot { root in
            for (number, (type, soft, hard)) in [("bluetooth", "0", "1"), ("wlan", "1", "1")].enumerated() {
                try root.file("sys/class/rfkill/rfkill\(number)/type", "\(type)\n")
                try root.file("sys/class/rfkill/rfkill\(number)/name", "name\(number)\n")
                try root.file("sys/class/rfkill/rfkill\(number)/soft", "\(soft)\n")
                try root.file("sys/class/rfkill/rfkill\(number)/hard", "\(hard)\n")
            }
            #expect(
                root.facts.switches == [.init(name: "name0", isBlockedBySoftware: false, isBlockedByHardware: true)]
            )
        }
    }

    @Test(
        "The effective capabilities",
        arguments: [
            ("0000000000003000", .init(hasNetRaw: true, hasNetAdmin: true)),
            ("0000000000002000", .init(hasNetRaw: true, hasNetAdmin: false)),
            ("0000000000001000", .init(hasNetRaw: false, hasNetAdmin: true)),
            ("0000000000000000", .init(hasNetRaw: false, hasNetAdmin: false)), ("nonsense", nil), ("", nil),
        ] as [(String, MachineFacts.Rights?)]
    )
    func rights(_ mask: String, _ expected: MachineFacts.Rights?) throws {
        try withRoot { root in
            try root.file("proc/self/status", "Name:\tblectl\nCapPrm:\tffffffffffffffff\nCapEff:\t\(mask)\n")
            #expect(root.facts.rights == expected)
        }
    }

    @Test("The manager, with its process")
    func manager() throws {
        try withRoot { root in
            try root.file("proc/77/comm", "bluetoothd\n")
            #expect(root.facts.manager == .init(name: "bluetoothd", process: 77))
        }
    }

    @Test("Long and broken files are cut, and a pipe is not waited for")
    func hostile() throws {
        try withRoot { root in
            try root.file("proc/sys/kernel/osrelease", Data(repeating: 0x41, count: 1 << 20))
            #expect(root.facts.kernel.utf8.count <= 6 + 64)
            try root.file("proc/sys/kernel/osrelease", Data([0xFF, 0xFE, 0x1B, 0x0A]))
            #expect(root.facts.kernel.unicodeScalars.contains("\u{FFFD}"))
            try root.folder("sys/class/rfkill/rfkill0")
            let pipe = root.url.appendingPathComponent("sys/class/rfkill/rfkill0/type").path
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(root.facts.switches.isEmpty)
        }
    }

    @Test("This machine can be looked at")
    func here() {
        let facts = MachineFolders().facts()
        #expect(facts.kernel.hasPrefix("Linux ") && facts.rights != nil)
    }
}
