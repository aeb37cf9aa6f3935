// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import CUSB
import Glibc

/// A controller on USB that this process has for itself, by libusb. It was taken from the kernel's driver if that had it.
///
/// Its calls may block for moments, and may be made on any thread.
struct USBHandle: Sendable {
    /// The first interface carries commands, events and data; the second one voice, which nobody needs here.
    ///
    /// Spec: Core 5.4, Vol 4, Part B, 2.1
    private static let interface: Int32 = 0

    /// libusb, which is loaded when the first controller on USB is used; `nil` if this machine has none.
    private static let loaded: blectl_usb? = {
        var library = blectl_usb()
        return blectl_usb_load(&library) ? library : nil
    }()

    let library: blectl_usb
    let context: UInt
    let handle: UInt
    let events: USBController.Endpoint
    let received: USBController.Endpoint
    let sent: USBController.Endpoint
    private let wasDriven: Bool

    /// Finds a controller and takes it.
    ///
    /// - Parameters:
    ///   - place: Which one.
    ///   - resetting: Whether it is reset as if it was pulled out and plugged in, before the kernel's driver can see it.
    ///   - operation: The operation in words, for errors.
    static func take(
        _ place: USBPlace,
        resetting: Bool = false,
        in folders: MachineFolders,
        during operation: String
    ) throws(RadioError) -> USBHandle {
        try opened(place, in: folders, during: operation) { library, context, handle, controller throws(RadioError) in
            guard let events = controller.events, let received = controller.received, let sent = controller.sent else {
                throw RadioError(.attachment(.noController(controller)), during: operation)
            }
            let wasDriven = blectl_usb_interface(library.driver_active, handle, interface) == 1
            if wasDriven { _ = blectl_usb_interface(library.detach, handle, interface) }
            var result = blectl_usb_interface(library.claim, handle, interface)
            if result == 0, resetting { result = blectl_usb_reset(&library, handle) }
            guard result == 0 else {
                if wasDriven { _ = blectl_usb_interface(library.attach, handle, interface) }
                throw RadioError(result, at: controller, in: folders, during: operation)
            }
            return USBHandle(
                library: library,
                context: context,
                handle: handle,
                events: events,
                received: received,
                sent: sent,
                wasDriven: wasDriven
            )
        }
    }

    /// Gives the controller back to the kernel's driver, if that had it. Nothing may be on the way any more.
    func giveBack() {
        _ = blectl_usb_interface(library.release, handle, Self.interface)
        if wasDriven { _ = blectl_usb_interface(library.attach, handle, Self.interface) }
        with {
            blectl_usb_close($0, handle)
            blectl_usb_end($0, context)
        }
    }

    /// Opens a controller for some work, and closes it if that throws.
    private static func opened<Result>(
        _ place: USBPlace,
        in folders: MachineFolders,
        during operation: String,
        _ body: (inout blectl_usb, UInt, UInt, USBController) throws(RadioError) -> Result
    ) throws(RadioError) -> Result {
        guard var library = loaded else { throw RadioError(.attachment(.noLibrary), during: operation) }
        let all = folders.usbControllers()
        guard let controller = place.matches(among: all).first else {
            throw RadioError(.attachment(.absent(among: all)), during: operation)
        }
        let context = blectl_usb_begin(&library)
        guard context != 0 else {
            throw RadioError(.system(call: "libusb_init", errno: "ENODEV"), during: operation)
        }
        var handle: UInt = 0
        let result = blectl_usb_open(&library, context, Int32(controller.bus), Int32(controller.address), &handle)
        guard result == 0 else {
            blectl_usb_end(&library, context)
            throw RadioError(result, at: controller, in: folders, during: operation)
        }
        do throws(RadioError) {
            return try body(&library, context, handle, controller)
        } catch {
            blectl_usb_close(&library, handle)
            blectl_usb_end(&library, context)
            throw error
        }
    }
}

extension RadioError {
    /// An error of libusb when a controller is opened.
    fileprivate init(
        _ code: Int32,
        at controller: USBController,
        in folders: MachineFolders,
        during operation: String
    ) {
        let cause: Cause =
            switch code {
            case BLECTL_USB_ERROR_ACCESS: .attachment(.notPermitted(controller))
            case BLECTL_USB_ERROR_BUSY: .attachment(.busy(by: folders.program(using: controller.node)))
            case BLECTL_USB_ERROR_NO_DEVICE, BLECTL_USB_ERROR_NOT_FOUND: .controllerUnreachable
            default: .system(call: "libusb", errno: "\(code)")
            }
        self.init(cause, during: operation)
    }
}

extension USBHandle {
    typealias Transfer = UnsafeMutablePointer<blectl_usb_transfer>

    /// Adds the descriptors by which libusb hears of transfers to an epoll set. They stay the same.
    func watch(_ poller: Int32) {
        var number = poller
        with { library in
            blectl_usb_descriptors(
                library,
                context,
                { poller, descriptor, events in
                    guard let poller = poller?.assumingMemoryBound(to: Int32.self).pointee else { return }
                    // The events of poll(2) have the numbers of those of epoll(7).
                    _ = blectl_epoll_add(poller, descriptor, UInt32(UInt16(bitPattern: events)), 0)
                },
                &number
            )
        }
    }

    /// Reports the transfers that are over to their callbacks, and waits for some if there are none.
    func handleEvents(waitingMilliseconds limit: Int) {
        _ = with { blectl_usb_handle_events($0, context, limit) }
    }

    /// A transfer that is not on its way yet; `nil` if there is no memory.
    ///
    /// - Parameters:
    ///   - endpoint: The address of the endpoint.
    ///   - type: Its kind.
    ///   - length: The number of octets that it carries.
    ///   - limit: The time after which it fails, in milliseconds; 0 for none.
    ///   - callback: Called when it is over.
    ///   - user: What the callback knows it by.
    func transfer(
        _ endpoint: UInt8,
        _ type: UInt8,
        _ length: Int,
        _ limit: UInt32,
        _ callback: @escaping blectl_usb_callback,
        _ user: UnsafeMutableRawPointer
    ) -> Transfer? {
        with { blectl_usb_transfer_new($0, handle, endpoint, type, length, limit, callback, user) }
    }

    /// Sends a transfer on its way. Returns 0, or libusb's error.
    func submit(_ transfer: Transfer) -> Int32 { with { blectl_usb_submit($0, transfer) } }

    func cancel(_ transfer: Transfer?) { with { blectl_usb_cancel($0, transfer) } }

    func free(_ transfer: Transfer?) { with { blectl_usb_transfer_free($0, transfer) } }

    /// Ends a stall of an endpoint. If that fails, so do the next transfers.
    func clearHalt(_ endpoint: UInt8) { _ = with { blectl_usb_clear_halt($0, handle, endpoint) } }

    private func with<Result>(_ body: (UnsafePointer<blectl_usb>) -> Result) -> Result {
        withUnsafePointer(to: library, body)
    }
}
