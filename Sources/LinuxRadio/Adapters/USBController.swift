// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Glibc

/// A device on USB that is a controller, or may be one, as the kernel describes it. Texts come from the device.
struct USBController: Hashable, Sendable {
    struct Endpoint: Hashable, Sendable {
        /// Its address, in which bit 7 means that it is for receiving.
        var address: UInt8
        /// The most octets that it carries at once.
        var packetLength: Int
    }

    /// The port, by which sysfs names it: `1-1.4`.
    var port: String
    /// The numbers of the bus and, there, of the device.
    var bus: Int
    var address: Int
    var vendor: UInt16
    var product: UInt16
    /// The revision, as decimal digits: 0x8891 is 88.91.
    var revision: UInt16
    /// What it calls itself; empty if it does not.
    var title: String
    var isForBluetooth: Bool
    /// The driver of its first interface: `btusb`, or `usbfs` for a program; `nil` if there is none.
    var driver: String?
    /// Where its events come from, and data in both directions; `nil` if it has no such interface.
    var events: Endpoint?
    var received: Endpoint?
    var sent: Endpoint?

    /// The file by which programs use it.
    var node: String { "/dev/bus/usb/\(Self.padded(bus))/\(Self.padded(address))" }

    var identifiers: String { USBPlace.identifiers(vendor, product) }

    /// What a person knows it by: `usb:1-1.4 (0a12:0001 CSR8510 A10)`.
    var label: String { "usb:\(port) (\(identifiers)\(title.isEmpty ? "" : " \(title)"))" }

    private static func padded(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
}

extension USBPlace {
    /// The controllers that are meant, of all that there are.
    func matches(among all: [USBController]) -> [USBController] {
        switch self {
        case .first: all.filter(\.isForBluetooth)
        case .product(let vendor, let product): all.filter { $0.vendor == vendor && $0.product == product }
        case .port(let port): all.filter { $0.port == port }
        }
    }
}

extension MachineFolders {
    /// The devices on USB whose first interface has what Bluetooth needs, or says that it is for Bluetooth, in the order of
    /// their ports.
    ///
    /// Spec: Linux, Documentation/ABI/testing/sysfs-bus-usb; Core 5.4, Vol 4, Part B, 2.1 (endpoints); USB-IF, class codes:
    /// E0h wireless controller, 01h radio frequency, 01h Bluetooth
    func usbControllers() -> [USBController] {
        let folder = "\(sys)/bus/usb/devices"
        return entries(folder).filter { $0.hasSuffix(":1.0") }.compactMap { name in
            let (port, interface) = (String(name.dropLast(":1.0".count)), "\(folder)/\(name)")
            let device = "\(folder)/\(port)"
            guard let bus = attribute("\(device)/busnum").flatMap({ Int($0) }), (1...999).contains(bus),
                let address = attribute("\(device)/devnum").flatMap({ Int($0) }), (1...999).contains(address),
                let vendor = hexadecimal("\(device)/idVendor"), let product = hexadecimal("\(device)/idProduct")
            else { return nil }
            let codes = ["Class", "SubClass", "Protocol"].map { attribute("\(interface)/bInterface\($0)") }
            var controller = USBController(
                port: port,
                bus: bus,
                address: address,
                vendor: vendor,
                product: product,
                revision: hexadecimal("\(device)/bcdDevice") ?? 0,
                title: attribute("\(device)/product") ?? "",
                isForBluetooth: codes == ["e0", "01", "01"]
            )
            controller.driver = driver(of: interface)
            for entry in entries(interface) where entry.hasPrefix("ep_") {
                add(endpoint: "\(interface)/\(entry)", to: &controller)
            }
            let isComplete = controller.events != nil && controller.received != nil && controller.sent != nil
            return isComplete || controller.isForBluetooth ? controller : nil
        }
    }

    /// The program that has a file open, if it can be seen: proc(5) hides the files of other users' programs.
    func program(using file: String) -> ProcessReference? {
        for process in entries(proc).compactMap({ Int32($0) }) where process != getpid() {
            let files = "\(proc)/\(process)/fd"
            guard entries(files).contains(where: { target("\(files)/\($0)") == file }) else { continue }
            let words = contents("\(proc)/\(process)/cmdline", limit: 512).split(separator: "\0")
            return ProcessReference(process: process, command: words.joined(separator: " "))
        }
        return nil
    }

    private func driver(of interface: String) -> String? {
        target("\(interface)/driver").map { String($0.split(separator: "/").last ?? "") }
    }

    private func add(endpoint path: String, to controller: inout USBController) {
        guard let address = hexadecimal("\(path)/bEndpointAddress"), address <= 0xFF,
            let length = hexadecimal("\(path)/wMaxPacketSize"), let attributes = hexadecimal("\(path)/bmAttributes")
        else { return }
        // Bits 11 and 12 say how many packets there are at once. Spec: USB 2.0, 9.6.6
        let endpoint = USBController.Endpoint(address: UInt8(address), packetLength: Int(length & 0x7FF))
        guard endpoint.packetLength > 0 else { return }
        switch (attributes & 0x03, address & 0x80 != 0) {
        case (0x03, true): controller.events = controller.events ?? endpoint
        case (0x02, true): controller.received = controller.received ?? endpoint
        case (0x02, false): controller.sent = controller.sent ?? endpoint
        default: break
        }
    }

    private func hexadecimal(_ path: String) -> UInt16? { attribute(path).flatMap { UInt16($0, radix: 16) } }
}
