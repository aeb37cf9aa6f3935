// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Foundation
import TestProcesses
import Testing

@testable import LinuxRadio

@Suite("Controllers on USB")
struct USBControllerTests {
    /// Plugs in a device with the endpoints of a controller.
    private func plug(_ place: String, in root: MadeUpFolders, class code: String = "e0", product: String = "0001")
        throws
    {
        let (device, interface) = ("sys/devices/usb1/\(place)", "sys/devices/usb1/\(place)/\(place):1.0")
        try root.dongle(place, suspended: false, driver: false)
        try root.file("\(device)/idProduct", "\(product)\n")
        try root.file("\(device)/busnum", "1\n")
        try root.file("\(device)/devnum", "17\n")
        try root.file("\(device)/bcdDevice", "8891\n")
        try root.file("\(device)/product", "CSR8510 A10\n")
        try root.file("\(interface)/bInterfaceClass", "\(code)\n")
        for (address, kind, length) in [("81", "03", "0010"), ("82", "02", "0040"), ("02", "02", "1040")] {
            try root.file("\(interface)/ep_\(address)/bEndpointAddress", "\(address)\n")
            try root.file("\(interface)/ep_\(address)/bmAttributes", "\(kind)\n")
            try root.file("\(interface)/ep_\(address)/wMaxPacketSize", "\(length)\n")
        }
    }

    private func all(_ root: MadeUpFolders) -> [USBController] { MachineFolders(under: root.url.path).usbControllers() }

    @Test func `a controller with its endpoints, its file and its driver`() async throws {
        try await MadeUpFolders.use { root in
            try plug("1-1.4", in: root)
            try root.link("sys/devices/usb1/1-1.4/1-1.4:1.0/driver", to: "sys/bus/usb/drivers/btusb")
            try root.folder("sys/bus/usb/drivers/btusb")
            let controller = try #require(all(root).first)
            #expect(controller.label == "usb:1-1.4 (0a12:0001 CSR8510 A10)" && controller.revision == 0x8891)
            #expect(controller.node == "/dev/bus/usb/001/017" && controller.driver == "btusb")
            #expect(controller.isForBluetooth)
            #expect(controller.events == .init(address: 0x81, packetLength: 16))
            #expect(controller.received == .init(address: 0x82, packetLength: 64))
            #expect(controller.sent == .init(address: 0x02, packetLength: 64))
        }
    }

    @Test func `each way to mean one`() async throws {
        try await MadeUpFolders.use { root in
            try plug("1-2", in: root, class: "ff", product: "0002")
            try plug("1-3", in: root)
            try plug("1-4", in: root)
            func ports(_ place: USBPlace) -> [String] { place.matches(among: all(root)).map(\.port) }
            #expect(ports(.first) == ["1-3", "1-4"])
            // One that does not say what it is for is used where it is named.
            #expect(ports(.product(vendor: 0x0A12, product: 0x0002)) == ["1-2"])
            #expect(ports(.port("1-2")) == ["1-2"])
            #expect(ports(.port("1-4")) == ["1-4"])
            #expect(ports(.product(vendor: 0x0A12, product: 0x0003)).isEmpty)
        }
    }

    @Test func `damaged descriptions are none`() async throws {
        try await MadeUpFolders.use { root in
            try plug("1-1", in: root)
            try root.file("sys/devices/usb1/1-1/devnum", "-17\n")
            #expect(all(root).isEmpty)
            try root.file("sys/devices/usb1/1-1/devnum", "17\n")
            try root.file("sys/devices/usb1/1-1/1-1:1.0/ep_81/wMaxPacketSize", "0000\n")
            #expect(all(root).first?.events == nil)
            try root.file("sys/devices/usb1/1-1/1-1:1.0/ep_81/bEndpointAddress", "zz\n")
            #expect(all(root).first?.isForBluetooth == true)
            try root.file("sys/devices/usb1/1-1/1-1:1.0/bInterfaceClass", "03\n")
            #expect(all(root).isEmpty)
        }
    }

    @Test func `the rule that lets a user have it, and why one is silent`() async throws {
        try await MadeUpFolders.use { root in
            try plug("1-1", in: root)
            var controller = try #require(all(root).first)
            let refusal = RadioError.AttachmentProblem.notPermitted(controller)
            #expect(refusal.isOfPermissions && refusal.reason.contains("/dev/bus/usb/001/017"))
            #expect(refusal.remedy.contains(#"ATTR{idVendor}=="0a12", ATTR{idProduct}=="0001""#))
            #expect(RadioError.AttachmentProblem.silent(controller).reason.contains("CSR8510 hang"))
            controller.vendor = 0x8087
            #expect(RadioError.AttachmentProblem.silent(controller).reason.contains("Intel needs firmware"))
        }
    }
}
