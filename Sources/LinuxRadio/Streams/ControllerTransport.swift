// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CBlueZ
import Glibc
import Synchronization

/// The way to a controller that is not the kernel's.
package final class ControllerTransport: Sendable {
    private let place: ControllerPlace
    private let time: any TimeSource
    private let thread: SharedIOThread
    /// The controller on USB that is used, or was before.
    private let usb = Mutex<USBChannel?>(nil)

    /// Creates a way to a controller. Opens nothing yet.
    package init(to place: ControllerPlace, time: any TimeSource = SystemTimeSource.linux) {
        self.place = place
        self.time = time
        thread = SharedIOThread(time)
    }

    /// Connects, and returns the octets of both directions. Throws `controllerUnreachable` if nobody is there.
    ///
    /// - Parameters:
    ///   - deadline: The end of the attempt.
    ///   - resolving: Runs a call that blocks, beside all other work.
    package func connect(
        by deadline: Instant,
        resolving: @Sendable (@escaping @Sendable () -> Void) -> Void
    ) async throws(RadioError) -> any PacketChannel {
        let ioThread = try thread.get()
        do throws(RadioError) {
            switch place {
            case .unix(let path):
                let socket = try UnixSocket.connect(to: path, type: BLECTL_SOCK_STREAM, during: place.name)
                return try StreamChannel(socket, during: place.name, on: ioThread)
            case .serial(let path, let speed, let hasFlowControl):
                let port = try SerialPort.open(path, speed: speed, hasFlowControl: hasFlowControl, during: place.name)
                return try StreamChannel(port, of: .file, during: place.name, on: ioThread)
            case .usb(let controller):
                return try await takeUSB(controller, ioThread, resolving)
            // The process there has the controller, and is its host.
            case .ssh: throw RadioError(.unsupported, during: place.name)
            case .tcp(let host, let port):
                let addresses = await InternetAddress.all(of: host, port: port, resolving: resolving)
                return try await connect(toOneOf: addresses, by: deadline, ioThread)
            // It is no stream: `TakenAdapter` has it.
            case .user: throw RadioError(.controllerUnreachable, during: place.name)
            }
        } catch {
            switch error.cause {
            case .socket(_, .notPermitted): throw error.on(place.name)
            // Whatever else is the matter with the file, no controller is there.
            case .socket: throw RadioError(.controllerUnreachable, during: place.name, on: place.name)
            default: throw error.on(place.name)
            }
        }
    }

    private func connect(
        toOneOf addresses: [InternetAddress],
        by deadline: Instant,
        _ ioThread: IOThread
    ) async throws(RadioError) -> any PacketChannel {
        var failure = RadioError(.controllerUnreachable, during: place.name)
        for address in addresses {
            do throws(RadioError) {
                let socket = try address.connect(during: place.name)
                let pending = try PendingConnection(socket, place.name, phase: .transport, on: ioThread)
                let connected = try await pending.socket(by: deadline, time)
                InternetAddress.sendAtOnce(connected)
                return try StreamChannel(connected, of: .tcp, during: place.name, on: ioThread)
            } catch {
                failure =
                    error.cause == .connectTimedOut ? RadioError(.controllerUnreachable, during: place.name) : error
                if error.cause == .cancelled { break }
            }
        }
        throw failure
    }

    /// Makes another attempt to bring the controller up worth it, or throws the error that is to be reported.
    ///
    /// One on USB that does not answer is reset there, once: copies of the CSR8510 hang when they are reset by a command for
    /// the second time.
    ///
    /// - Parameters:
    ///   - error: Why the attempt has failed.
    ///   - attempt: The number of attempts.
    package func revive(after error: RadioError, _ attempt: Int) async throws(RadioError) {
        guard case .usb(let controller) = place, error.cause == .controllerSilent else { throw error }
        await usb.withLock { $0 }?.givenBack()
        guard attempt > 1 else { return }
        let problem = controller.matches(among: MachineFolders().usbControllers()).first.map {
            RadioError.AttachmentProblem.silent($0)
        }
        throw problem.map { RadioError(.attachment($0), during: place.name, on: place.name) } ?? error
    }

    /// Takes a controller on USB, which blocks for moments; resets it if it was taken before.
    private func takeUSB(
        _ controller: USBPlace,
        _ ioThread: IOThread,
        _ resolving: @Sendable (@escaping @Sendable () -> Void) -> Void
    ) async throws(RadioError) -> USBChannel {
        let resetting = usb.withLock { $0 != nil }
        let device = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<USBHandle, RadioError>, _>) in
            resolving { [place] in
                continuation.resume(
                    returning: Result { () throws(RadioError) in
                        let folders = MachineFolders()
                        return try USBHandle.take(controller, resetting: resetting, in: folders, during: place.name)
                    }
                )
            }
        }
        let channel = try USBChannel(try device.get(), during: place.name, on: ioThread)
        usb.withLock { $0 = channel }
        return channel
    }

    /// Closes the transport and waits for the end of the I/O thread.
    package func shutDown() { thread.shutDown() }
}
