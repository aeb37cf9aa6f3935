// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The device of a command, and the way to connect to it.
struct DeviceOptions: Sendable, Equatable {
    /// The wanted device; `nil` for the one at the other end of a socket (`--radio`).
    var selector: DeviceSelector?
    /// Whether exactly one device must match, because the command changes it.
    var mustBeOnlyOne = false
    /// The way to connect to it.
    var connection = ConnectionOptions()
}

/// The way to connect to a device.
struct ConnectionOptions: Sendable, Equatable {
    /// The time limit of one attempt, and of the wait before it for another program that has the device.
    var timeout = Duration.seconds(10)
    /// The number of attempts after the first one.
    var retries = 2
    /// Whether an attempt that has timed out is followed by another one: if the number of attempts was given.
    var retriesTimeouts = false
    /// Whether to wait for another program that has the device.
    var waitsForOthers = true
    /// Whether to use the GATT cache.
    var usesCache = true
    /// Whether to reconnect if the link is lost during an observation.
    var reconnects = false
}

extension DeviceOptions {
    /// Reads the device options from a command line.
    ///
    /// - Parameters:
    ///   - operand: The device as an operand of the command.
    ///   - likely: What the command is about, to search by if no option names a device.
    ///   - mustBeOnlyOne: Whether exactly one device must match.
    ///   - reconnects: Whether to reconnect after the loss of a link.
    init(
        _ arguments: ParsedArguments,
        operand: DeviceIdentifier? = nil,
        likely: DeviceSelector? = nil,
        mustBeOnlyOne: Bool = false,
        reconnects: Bool = false
    ) throws(UsageError) {
        selector = try DeviceSelector(arguments, operand: operand, likely: likely)
        if selector == nil, arguments[GlobalSpec.radio] == nil {
            throw arguments.impossible(
                "no device is named",
                hint: "give -d ADDRESS, -d NAME, --name GLOB or --service UUID; blectl scan shows what is there"
            )
        }
        self.mustBeOnlyOne = mustBeOnlyOne
        connection = ConnectionOptions(arguments, reconnects: reconnects)
    }
}

extension ConnectionOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments, reconnects: Bool = false) {
        self.init(
            timeout: arguments[DeviceSpec.connectTimeout],
            retries: arguments[DeviceSpec.retries],
            retriesTimeouts: arguments.isGiven(DeviceSpec.retries),
            waitsForOthers: !arguments[DeviceSpec.noWait],
            usesCache: !arguments[DeviceSpec.noCache],
            reconnects: reconnects
        )
    }
}

extension DeviceSelector {
    /// Reads `--device`, `--name` and `--service`; the default is what the command is about. `nil` if there is neither.
    fileprivate init?(
        _ arguments: ParsedArguments,
        operand: DeviceIdentifier?,
        likely: DeviceSelector?
    ) throws(UsageError) {
        let name = arguments[DeviceSpec.name].map { Glob($0) }
        let services = try arguments.services(DeviceSpec.service)
        // The options of this command take precedence over $BLECTL_DEVICE.
        if let device = operand ?? (name == nil && services.isEmpty ? arguments[DeviceSpec.device] : nil) {
            switch device {
            case .address(let address):
                self = .address(address, arguments[DeviceSpec.addressType].map { $0 == .public ? .public : .random })
            case .name(let name): self = .name(name)
            }
        } else if name != nil || !services.isEmpty {
            self = .advertising(name: name, services: services)
        } else if let likely {
            self = likely
        } else {
            return nil
        }
    }
}
