// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A description of the device that the user means.
enum DeviceWish: Sendable, Equatable {
    /// By its address, and the address type if it was given.
    case address(BluetoothAddress, AddressType?)
    /// By its exact name.
    case name(String)
    /// By its advertisements: a name that matches, and all of the services.
    case advertising(name: Glob?, services: [BluetoothUUID])
    /// By the service that the command is about. Not every device that has it advertises it.
    case likely(BluetoothUUID)

    /// The wish in words, to follow "no device" in an error.
    var text: String {
        switch self {
        case .address(let address, _): "\(address)"
        case .name(let name): "named '\(name)'"
        case .advertising(let name, let services):
            [name.map { _ in "with that name" }, services.isEmpty ? nil : "advertising \(Self.list(services))"]
                .compactMap { $0 }.joined(separator: ", ")
        case .likely(let service): "advertising \(Self.list([service]))"
        }
    }

    /// Whether it names one device and no other.
    var isAddress: Bool {
        if case .address = self { true } else { false }
    }

    /// The type of the address, if the command line gives it.
    var addressType: AddressType? {
        if case .address(_, let type) = self { type } else { nil }
    }

    private static func list(_ services: [BluetoothUUID]) -> String {
        services.map { serviceText($0) }.joined(separator: " and ")
    }
}
