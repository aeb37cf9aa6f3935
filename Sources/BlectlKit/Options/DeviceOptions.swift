// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Which device a command works on, and how it is connected to.
struct DeviceOptions: Sendable, Equatable {
    /// Which device is meant; `nil`: the one at the other end of a socket (`--radio`).
    var wish: DeviceWish?
    /// Whether exactly one device has to fit, because the command changes it.
    var mustBeOnlyOne = false
    /// How it is connected to.
    var connection = ConnectionOptions()
}

/// How a link to a device is made.
struct ConnectionOptions: Sendable, Equatable {
    /// How long one attempt may take, and before it the wait for another program that has the device.
    var timeout = Duration.seconds(10)
    /// How many attempts may follow the first one.
    var retries = 2
    /// Whether another program that has the device is waited for.
    var waitsForOthers = true
    /// Whether the GATT cache is used.
    var usesCache = true
    /// Whether a link that is lost while values are listened to is made again.
    var reconnects = false
}

extension DeviceOptions {
    /// Reads `--device` and its relatives.
    ///
    /// - Parameters:
    ///   - operand: The device as an operand of the command.
    ///   - service: The service that the command is about: it finds the device where nothing else says which.
    ///   - mustBeOnlyOne: Whether exactly one device has to fit.
    ///   - reconnects: Whether a lost link is made again.
    init(
        _ arguments: ParsedArguments,
        operand: String? = nil,
        service: BluetoothUUID? = nil,
        mustBeOnlyOne: Bool = false,
        reconnects: Bool = false
    ) throws(UsageError) {
        wish = try DeviceWish(arguments, operand: operand, service: service)
        if wish == nil, arguments[GlobalSpec.radio] == nil {
            throw arguments.impossible(
                "which device? nothing says so",
                hint: "give -d ADDRESS, -d NAME, --name GLOB or --service UUID; blectl scan shows what is there"
            )
        }
        self.mustBeOnlyOne = mustBeOnlyOne
        connection = ConnectionOptions(
            timeout: arguments[DeviceSpec.connectTimeout],
            retries: arguments[DeviceSpec.retries],
            waitsForOthers: !arguments[DeviceSpec.noWait],
            usesCache: !arguments[DeviceSpec.noCache],
            reconnects: reconnects
        )
    }
}

extension DeviceWish {
    /// Reads `--device`, `--name` and `--service`; without them it is the service that the command is about. `nil` where
    /// nothing says which device is meant.
    fileprivate init?(
        _ arguments: ParsedArguments,
        operand: String?,
        service: BluetoothUUID?
    ) throws(UsageError) {
        let name = arguments[DeviceSpec.name].map { Glob($0) }
        let services = try arguments.services(DeviceSpec.service)
        // What was typed for this command comes before what $BLECTL_DEVICE says for all.
        if let device = operand ?? (name == nil && services.isEmpty ? arguments[DeviceSpec.device] : nil) {
            if let address = BluetoothAddress(device) {
                self = .address(address, arguments[DeviceSpec.addressType].map { $0 == .public ? .public : .random })
            } else {
                self = .name(device)
            }
        } else if name != nil || !services.isEmpty {
            self = .advertising(name: name, services: services)
        } else if let service {
            self = .likely(service)
        } else {
            return nil
        }
    }
}
