// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import CommandLineInterface

/// The device of a command, and the way to connect to it.
package struct DeviceOptions: Sendable, Equatable {
    /// The wanted device; `nil` for the one at the other end of a socket (`--radio`), or for that of the only session.
    package var selector: DeviceSelector?
    /// Why there is no device without a session; `nil` if there may be one.
    package var missing: Missing?
    /// Whether the command may run on a connection that a session holds.
    package var usesSessions = true
    /// Whether a session may decide which device is meant (without `--no-session`), even if its link cannot be used.
    package var asksSessions = true
    /// Whether exactly one device must match, because the command changes it.
    package var mustBeOnlyOne = false
    package var connection = ConnectionOptions()

    package init(selector: DeviceSelector? = nil, connection: ConnectionOptions = ConnectionOptions()) {
        self.selector = selector
        self.connection = connection
    }
}

extension DeviceOptions {
    /// The option or operand that the command line lacks.
    package struct Missing: Sendable, Equatable {
        package let message: String
        package let hint: String

        package var error: BlectlError { BlectlError(.usage, message, hint: hint) }
    }
}

extension DeviceOptions {
    /// The device in words: as it was found, or else as it was asked for.
    package func text(_ found: String?) -> String {
        if let found { return found }
        return switch selector {
        case nil: missing == nil ? "the device at the socket" : "the device"
        case .address(let address, _)?: address.description
        case let selector?: "a device \(selector.text)"
        }
    }
}

package struct ConnectionOptions: Sendable, Equatable {
    /// The time limit of one attempt, and of the wait before it for another program that has the device.
    package var timeout = Duration.seconds(10)
    /// The number of attempts after the first one.
    package var retries = 2
    /// Whether an attempt that has timed out is followed by another one: if the number of attempts was given.
    var retriesTimeouts = false
    /// Whether to wait for another program that has the device.
    package var waitsForOthers = true
    package var usesCache = true
    /// Whether to reconnect if the link is lost during an observation.
    package var reconnects = false
    /// The properties that the link must have; `nil` to leave them as they are.
    package var link: LinkRequest?
    /// The ATT bearers that the link must have.
    package var bearers = BearerRequest()
    /// Whether to listen to the controller before the link is made, so that all of its properties are known.
    package var observesLink = false
    package var security = SecurityPolicy()
    /// Whether the link of a bonded device is encrypted before the first request.
    package var encryptsBonded = true
    /// Whether the security of the link is left as it is, also if the device demands more (`--no-pair`).
    package var leavesSecurity = false

    package init() {}
}

extension DeviceOptions {
    /// Reads the device options from a command line.
    ///
    /// - Parameters:
    ///   - operand: The device as an operand of the command.
    ///   - likely: The services of the command, for the search if no option names a device.
    ///   - mustBeOnlyOne: Whether exactly one device must match.
    ///   - reconnects: Whether to reconnect after the loss of a link.
    ///   - raisesSecurity: Whether the link gets security if the device requires it.
    ///   - isNeeded: Whether the command needs a device.
    package init(
        _ arguments: ParsedArguments,
        operand: DeviceIdentifier? = nil,
        likely: DeviceSelector? = nil,
        mustBeOnlyOne: Bool = false,
        reconnects: Bool = false,
        raisesSecurity: Bool = true,
        isNeeded: Bool = true
    ) throws(UsageError) {
        selector = try DeviceSelector(arguments, operand: operand, likely: likely)
        if selector == nil, isNeeded, arguments[GlobalSpec.radio] == nil {
            let problem = Missing(
                message: "no device is named",
                hint: "give -d ADDRESS, -d NAME, --name GLOB or --service UUID; 'blectl scan' shows what is there"
            )
            // A world in virtual time belongs to this process alone, so that no session has a link in it.
            let isVirtual = arguments[GlobalSpec.simulate] != nil && arguments[GlobalSpec.simulateTime] == .virtual
            // Only a session could have the device.
            guard arguments.hasSessions, !isVirtual, !arguments[DeviceSpec.noSession] else {
                throw arguments.impossible(problem.message, hint: problem.hint)
            }
            missing = problem
        }
        usesSessions = !arguments[DeviceSpec.noSession]
        asksSessions = usesSessions
        self.mustBeOnlyOne = mustBeOnlyOne
        connection = try ConnectionOptions(arguments, reconnects: reconnects)
        connection.leavesSecurity = arguments[DeviceSpec.noPair]
        connection.bearers.raisesSecurity = !connection.leavesSecurity
        connection.security.raisesOnDemand = raisesSecurity && !connection.leavesSecurity
    }
}

extension ConnectionOptions {
    package init(_ arguments: ParsedArguments, reconnects: Bool = false) throws(UsageError) {
        // `diff` has the options of a connection, but not those of the link.
        let hasLink = arguments.command.spec.groups.contains(.link)
        let link = hasLink ? try LinkRequest(arguments) : LinkRequest()
        timeout = arguments[DeviceSpec.connectTimeout]
        retries = arguments[DeviceSpec.retries]
        retriesTimeouts = arguments.isGiven(DeviceSpec.retries)
        waitsForOthers = !arguments[DeviceSpec.noWait]
        usesCache = !arguments[DeviceSpec.noCache]
        self.reconnects = reconnects
        self.link = link.isEmpty ? nil : link
        if hasLink { bearers = BearerRequest(arguments) }
        observesLink = arguments[GlobalSpec.timing]
        security = SecurityPolicy(arguments)
    }
}

extension SecurityPolicy {
    /// Reads `--security` and `--min-key-size`.
    fileprivate init(_ arguments: ParsedArguments) {
        let size = arguments[DeviceSpec.minimumKeySize]
        let level: SecurityLevel =
            switch arguments[DeviceSpec.security] {
            case nil, .low: .low
            case .medium: .medium
            case .high: .high
            case .fips: .fips
            }
        // A link has a key, and so a size of it, only if it is encrypted. 7 octets is the least that SMP allows.
        self.init(level: size == nil ? level : max(level, .medium), minimumKeySize: size.map { UInt8($0) } ?? 7)
    }
}

extension DeviceSelector {
    /// Reads `--device`, `--name` and `--service`; the default is the services of the command. `nil` if there are none
    /// either.
    fileprivate init?(
        _ arguments: ParsedArguments,
        operand: DeviceIdentifier?,
        likely: DeviceSelector?
    ) throws(UsageError) {
        // Only `session` accepts both, and then `--name` is the name of the session.
        let name = arguments.isGiven(DeviceSpec.device) ? nil : arguments[DeviceSpec.name].map { Glob($0) }
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
