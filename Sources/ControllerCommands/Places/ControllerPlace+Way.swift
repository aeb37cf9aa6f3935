// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost

extension ControllerPlace {
    /// The way to the controller, in a person's words.
    package var way: String {
        switch self {
        case .unix(let path): "a program listens at \(path)"
        case .tcp(let host, let port): "a program listens at port \(port) of \(host)"
        case .serial(let path, let speed, let hasFlowControl):
            "\(path) at \(speed) bit/s, \(hasFlowControl ? "with" : "without") flow control"
        case .usb(.first): "the first Bluetooth controller on USB"
        case .usb(.product(let vendor, let product)): "\(USBPlace.identifiers(vendor, product)) on USB"
        case .usb(.port(let port)): "at port \(port) of USB"
        case .ssh(let host, let adapter): "\(adapter ?? "the first adapter") of \(host)"
        case .user(let adapter): "hci\(adapter), which is the kernel's again afterwards"
        }
    }
}
