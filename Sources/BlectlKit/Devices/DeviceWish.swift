// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Which device is meant, as far as the command line says.
struct DeviceWish: Sendable {
    enum Kind: Sendable {
        /// By its address; the type where it was given.
        case address(BluetoothAddress, AddressType?)
        /// By its exact name.
        case name(String)
        /// By what it advertises: a name that fits, all of the services.
        case advertising(name: Glob?, services: [BluetoothUUID])
        /// By the service that the command is about, which devices advertise, or do not.
        case likely(BluetoothUUID)
    }

    let kind: Kind

    /// Reads `--device`, `--name`, `--service`; without them it is the service that the command is about.
    ///
    /// - Parameter argument: The device as an operand of the command.
    init(_ arguments: ParsedArguments, argument: String?, service: BluetoothUUID?) throws {
        let name = arguments[DeviceSpec.name].map { Glob($0) }
        var services: [BluetoothUUID] = []
        for text in arguments[DeviceSpec.service] {
            do throws(AttributeTarget.Problem) {
                services.append(try serviceUUID(text))
            } catch {
                throw arguments.invalid(DeviceSpec.service, text, error.expectation)
            }
        }
        // What was typed for this command comes before what $BLECTL_DEVICE says for all.
        if let device = argument ?? (name == nil && services.isEmpty ? arguments[DeviceSpec.device] : nil) {
            if let address = BluetoothAddress(device) {
                kind = .address(address, arguments[DeviceSpec.addressType].map { $0 == .public ? .public : .random })
            } else {
                kind = .name(device)
            }
        } else if name != nil || !services.isEmpty {
            kind = .advertising(name: name, services: services)
        } else if let service {
            kind = .likely(service)
        } else {
            throw BlectlError(
                .usage,
                "which device? nothing says so",
                hint: "give -d ADDRESS, -d NAME, --name GLOB or --service UUID; blectl scan shows what is there"
            )
        }
    }

    /// What is looked for, to follow "no device" in an error.
    var text: String {
        switch kind {
        case .address(let address, _): "\(address)"
        case .name(let name): "named '\(name)'"
        case .advertising(let name, let services):
            [name.map { _ in "with that name" }, services.isEmpty ? nil : "advertising \(Self.list(services))"]
                .compactMap { $0 }.joined(separator: ", ")
        case .likely(let service): "advertising \(Self.list([service]))"
        }
    }

    private static func list(_ services: [BluetoothUUID]) -> String {
        services.map { serviceText($0) }.joined(separator: " and ")
    }
}
