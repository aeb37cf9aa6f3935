// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The device that a command works on.
struct ConnectedDevice: Sendable {
    let reference: DeviceReference
    let peripheral: Peripheral

    /// What a result says of an attribute of this device.
    func attribute(_ target: AttributeTarget, _ handle: Handle) -> AttributeReference {
        var descriptor: BluetoothUUID?
        if case .descriptor(let uuid, _, _) = target.kind { descriptor = uuid }
        return AttributeReference(
            device: reference,
            target: target.text,
            handle: handle,
            service: target.service,
            characteristic: target.characteristic,
            descriptor: descriptor
        )
    }
}

extension CommandContext {
    /// Finds the device, runs `body` with it, and closes the link, whatever ended it.
    ///
    /// - Parameters:
    ///   - targets: What is wanted of the device: where no device is named, their service finds it.
    ///   - service: The service to look for instead.
    ///   - mayChange: Whether the command changes the device, so that exactly one has to be meant.
    func withDevice<Value: Sendable>(
        for targets: [AttributeTarget] = [],
        service: BluetoothUUID? = nil,
        mayChange: Bool,
        argument: String? = nil,
        _ body: (ConnectedDevice) async throws -> Value
    ) async throws -> Value {
        let radio = try await radio()
        let wish: DeviceWish?
        let reference: DeviceReference
        if let peer = radio.onlyPeer {
            wish = nil
            reference = onlyDevice(peer, of: radio, argument: argument)
        } else {
            let wished = try DeviceWish(
                arguments,
                argument: argument,
                service: service ?? targets.lazy.compactMap(\.likelyService).first
            )
            wish = wished
            reference = try await DeviceFinder(context: self, radio: radio).find(wished, mayChange: mayChange)
        }
        let central = Central(
            radio: radio,
            scope: scope,
            time: time,
            configuration: peripheralConfiguration(reference)
        )
        let peripheral = await central.peripheral(reference.address)
        let device = ConnectedDevice(reference: reference, peripheral: peripheral)
        diagnostics.progress("connecting to \(reference.text) …")
        let result: Result<Value, any Error>
        do {
            _ = try await peripheral.connection()
            diagnostics.clearProgress()
            await remember(reference)
            result = .success(try await body(device))
        } catch {
            result = .failure(BlectlError(describingConnection: error, to: reference, wish) ?? error)
        }
        await peripheral.disconnect()
        return try result.get()
    }

    /// The device at the other end of a wire. It has no address: results bear the one that was given, so that a script
    /// gets the same from a socket as from the air.
    private func onlyDevice(_ peer: DeviceAddress, of radio: any Radio, argument: String?) -> DeviceReference {
        guard let text = argument ?? arguments[DeviceSpec.device], let address = BluetoothAddress(text) else {
            return DeviceReference(address: peer, name: radio.adapter.name)
        }
        let type: AddressType = arguments[DeviceSpec.addressType] == .random ? .random : .public
        return DeviceReference(address: DeviceAddress(address, type), name: radio.adapter.name)
    }

    private func peripheralConfiguration(_ reference: DeviceReference) -> Peripheral.Configuration {
        let diagnostics = diagnostics
        let retries = arguments[DeviceSpec.retries]
        return Peripheral.Configuration(
            connectTimeout: arguments[DeviceSpec.connectTimeout],
            retries: RetryPolicy(retries: retries),
            waits: arguments[DeviceSpec.noWait] ? WaitPolicy.none : nil,
            reconnection: reconnection,
            // A device without an address could be any.
            store: arguments[DeviceSpec.noCache] || reference.address.address.rawValue == 0 ? nil : databases,
            onRetry: { attempt, error, pause in
                let why = BlectlError(error, doing: "connect to \(reference.text)").message
                diagnostics.note("attempt \(attempt) of \(retries + 1): \(why); trying again in \(pause)")
            },
            onWait: { error in
                diagnostics.note("waiting for \(reference.text): \(BlectlError.reason(error))")
            },
            onDiagnostic: { text in
                if diagnostics.verbosity > 0 { diagnostics.note(text) }
            }
        )
    }

    /// Only the commands that listen can go on on another link.
    private var reconnection: Reconnection? {
        let isWanted =
            switch arguments.command {
            case .notify: arguments[NotifySpec.reconnect]
            case .watch: arguments[WatchSpec.reconnect]
            default: false
            }
        return isWanted ? Reconnection(subscriptionTimeout: timeout) : nil
    }

    private func remember(_ reference: DeviceReference) async {
        var known = KnownDevices(in: state)
        let now = time.wallClock
        guard !known.wasConnected(to: reference.address, on: now) else { return }
        known.remember(reference.address, name: reference.name, seen: now.description, isConnected: true)
        await known.save(time: time)
    }
}

extension BlectlError {
    /// An error of the connection itself, which names the device; `nil` for errors of what was done with it.
    fileprivate init?(describingConnection error: any Error, to device: DeviceReference, _ wish: DeviceWish?) {
        guard let failure = error as? ConnectFailure else { return nil }
        let action = "connect to \(device.text)"
        if case .address(_, let type?)? = wish?.kind, failure.error.cause == .connectTimedOut {
            // Nobody has heard the device: the type is the caller's word for it, and a wrong one looks like silence.
            let described = BlectlError(failure.error, doing: action)
            let hint = "is it switched on, near, and its address a \(type) one? without --address-type a scan finds out"
            self.init(described.status, described.message, hint: hint)
        } else {
            self.init(describing: failure, doing: action)
        }
    }
}
