// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Foundation
import TestProcesses
import Testing

@testable import LinuxRadio

@Suite("What the kernel's folders show")
struct MachineFoldersTests {
    private func facts(_ root: MadeUpFolders) -> MachineFacts { MachineFolders(under: root.url.path).facts() }

    @Test("Missing folders are not an error")
    func nothing() async throws {
        try await MadeUpFolders.use { root in
            let facts = facts(root)
            #expect(facts.kernel == "Linux")
            #expect(!facts.hasBluetoothPart && !facts.canLoadBluetoothPart && !facts.hasUSBDriver && !facts.hasSystemd)
            #expect(facts.driverless.isEmpty && facts.switches.isEmpty && facts.attachments.isEmpty)
            #expect(facts.rights == nil && facts.manager == nil && facts.packageSources == nil)
        }
    }

    @Test("The kernel, its modules, and the init of the machine")
    func kernel() async throws {
        try await MadeUpFolders.use { root in
            try root.file("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n")
            try root.folder("lib/modules/6.1.0-13-amd64/kernel/net/bluetooth")
            #expect(facts(root).kernel == "Linux 6.1.0-13-amd64")
            #expect(facts(root).canLoadBluetoothPart && !facts(root).hasBluetoothPart)
            try root.folder("sys/module/bluetooth")
            try root.folder("run/systemd/system")
            #expect(facts(root).hasBluetoothPart && facts(root).hasSystemd)
        }
    }

    @Test("An adapter on USB: its driver, its device, and whether that sleeps")
    func usb() async throws {
        try await MadeUpFolders.use { root in
            try root.dongle("1-2", suspended: true, driver: true)
            try root.link("sys/class/bluetooth/hci0/device", to: "sys/devices/usb1/1-2/1-2:1.0")
            try root.folder("sys/class/bluetooth/hci1")
            // A connection, as the kernel shows it there.
            try root.folder("sys/class/bluetooth/hci0:64")
            let facts = facts(root)
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

    @Test("A Bluetooth device without a driver is found, other devices are not")
    func driverless() async throws {
        try await MadeUpFolders.use { root in
            try root.dongle("1-2", suspended: false, driver: false)
            try root.dongle("1-3", suspended: false, driver: true)
            try root.dongle("1-4", suspended: false, driver: false)
            try root.file("sys/devices/usb1/1-4/1-4:1.0/bInterfaceClass", "03\n")
            #expect(facts(root).driverless.map(\.place) == ["1-2"])
        }
    }

    @Test("Only the switches for Bluetooth are listed")
    func switches() async throws {
        try await MadeUpFolders.use { root in
            for (number, (type, soft, hard)) in [("bluetooth", "0", "1"), ("wlan", "1", "1")].enumerated() {
                try root.file("sys/class/rfkill/rfkill\(number)/type", "\(type)\n")
                try root.file("sys/class/rfkill/rfkill\(number)/name", "name\(number)\n")
                try root.file("sys/class/rfkill/rfkill\(number)/soft", "\(soft)\n")
                try root.file("sys/class/rfkill/rfkill\(number)/hard", "\(hard)\n")
            }
            #expect(
                facts(root).switches == [.init(name: "name0", isBlockedBySoftware: false, isBlockedByHardware: true)]
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
    func rights(_ mask: String, _ expected: MachineFacts.Rights?) async throws {
        try await MadeUpFolders.use { root in
            try root.file("proc/self/status", "Name:\tblectl\nCapPrm:\tffffffffffffffff\nCapEff:\t\(mask)\n")
            #expect(facts(root).rights == expected)
        }
    }

    @Test("The manager, with its process")
    func manager() async throws {
        try await MadeUpFolders.use { root in
            try root.file("proc/77/comm", "bluetoothd\n")
            #expect(facts(root).manager == .init(name: "bluetoothd", process: 77))
        }
    }

    /// A release of a system, its file of sources, and what is made of them.
    struct Sources: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let release: String
        let file: String
        let content: String
        let sources: MachineFacts.PackageSources?

        init(_ name: String, _ release: String, _ file: String, _ content: String, hasFirmware: Bool?) {
            testDescription = name
            self.release = release
            self.file = file
            self.content = content
            sources = hasFirmware.map { .init(file: "/\(file)", hasFirmware: $0) }
        }
    }

    private static let bookworm = "ID=debian\nVERSION_ID=\"12\"\n"
    private static let list = "etc/apt/sources.list"
    private static let newList = "etc/apt/sources.list.d/debian.sources"

    @Test(
        "The sources of packages of a Debian",
        arguments: [
            Sources("12", bookworm, list, "deb http://d/debian bookworm main non-free-firmware\n", hasFirmware: true),
            Sources("12, without", bookworm, list, "deb http://d/debian bookworm main\n", hasFirmware: false),
            Sources("commented out", bookworm, list, "# deb h b non-free-firmware\ndeb h b main\n", hasFirmware: false),
            Sources("of its source code", bookworm, list, "deb-src h b non-free-firmware\n", hasFirmware: nil),
            Sources("12, newer form", bookworm, newList, "Components: main non-free-firmware\n", hasFirmware: true),
            Sources("12, newer form, without", bookworm, newList, "Components: main\n", hasFirmware: false),
            Sources("testing", "ID=debian\n", list, "deb http://d/debian testing main\n", hasFirmware: false),
            Sources("11", "ID=debian\nVERSION_ID=\"11\"\n", list, "deb h bullseye main\n", hasFirmware: nil),
            Sources("another system", "ID=ubuntu\nID_LIKE=debian\n", list, "deb h noble main\n", hasFirmware: nil),
            Sources("no sources", bookworm, list, "\n", hasFirmware: nil),
        ]
    )
    func packages(_ row: Sources) async throws {
        try await MadeUpFolders.use { root in
            try root.file("etc/os-release", row.release)
            try root.file(row.file, row.content)
            #expect(facts(root).packageSources == row.sources)
        }
    }

    @Test("Long and broken files are cut, and a pipe does not block")
    func hostile() async throws {
        try await MadeUpFolders.use { root in
            try root.file("proc/sys/kernel/osrelease", Data(repeating: 0x41, count: 1 << 20))
            #expect(facts(root).kernel.utf8.count <= 6 + 64)
            try root.file("proc/sys/kernel/osrelease", Data([0xFF, 0xFE, 0x1B, 0x0A]))
            #expect(facts(root).kernel.unicodeScalars.contains("\u{FFFD}"))
            try root.folder("sys/class/rfkill/rfkill0")
            let pipe = root.url.appending(path: "sys/class/rfkill/rfkill0/type").path
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(facts(root).switches.isEmpty)
        }
    }

    @Test("This machine can be examined")
    func here() {
        let facts = MachineFolders().facts()
        #expect(facts.kernel.hasPrefix("Linux ") && facts.rights != nil)
    }
}
