// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Toolkit

/// A device of the shell, and its link as long as there is one.
struct ShellDevice: Sendable {
    /// Represents in a line a device that is not found yet, and has neither a name nor an address.
    static let placeholder = "the device of this shell"

    /// The number that distinguishes it from the shell's other devices, from 0.
    let number: Int
    let selector: DeviceSelector?
    let connection: HeldConnection

    /// The user's word for the device: its name, its address, or the property by which it is searched for.
    var label: String {
        get async {
            if let found = await connection.reference {
                if let name = found.name, !name.isEmpty { return name }
                return found.addressText ?? found.socket ?? Self.placeholder
            }
            return switch selector {
            case nil: Self.placeholder
            case .address(let address, _)?: address.description
            case .name(let name)?: name
            case .advertising(let name?, _)?: name.pattern
            case .advertising(nil, _)?, .likely?: "a device \(selector?.text ?? "")"
            }
        }
    }

    /// The value of `--device` that means it.
    var identifier: String {
        get async {
            if let address = await connection.reference?.addressText { return address }
            return switch selector {
            case .address(let address, _)?: address.description
            case .name(let name)?: name
            case .advertising?, .likely?, nil: Self.placeholder
            }
        }
    }

    func isMeant(by wanted: DeviceSelector) async -> Bool {
        if wanted == selector { return true }
        let found = await connection.reference
        switch wanted {
        case .address(let address, _): return found?.address.address == address
        case .name(let name):
            if case .name(let own)? = selector, DeviceIdentifier.isSameName(own, name) { return true }
            return found?.name.map { DeviceIdentifier.isSameName($0, name) } ?? false
        case .advertising(let pattern?, let services):
            return services.isEmpty && found?.name.map { pattern.matches($0) } ?? false
        case .advertising(nil, _), .likely: return false
        }
    }
}
