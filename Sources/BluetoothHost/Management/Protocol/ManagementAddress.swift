// SPDX-License-Identifier: MIT

package import Bluetooth

/// A device's address in management packets, with its transport. Unknown types are kept.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Pair Device Command
package struct ManagementAddress: Hashable, Sendable {
    /// The type of an address, which names the transport too.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let basicRate = Self(rawValue: 0)
        /// A public address on Low Energy.
        package static let lePublic = Self(rawValue: 1)
        /// A random address on Low Energy.
        package static let leRandom = Self(rawValue: 2)
    }

    /// The 48 bits.
    package var address: BluetoothAddress
    /// The type and the transport.
    package var kind: Kind

    package init(_ address: BluetoothAddress, _ kind: Kind) {
        self.address = address
        self.kind = kind
    }

    package init(_ device: DeviceAddress) {
        self.init(device.address, device.type.connectionType == .public ? .lePublic : .leRandom)
    }

    /// The address on Low Energy; `nil` for another transport.
    package var device: DeviceAddress? {
        switch kind {
        case .lePublic: DeviceAddress(address, .public)
        case .leRandom: DeviceAddress(address, .random)
        default: nil
        }
    }
}

extension ManagementAddress: CustomStringConvertible {
    /// `F0:F1:F2:F3:F4:F5 (random)`
    package var description: String {
        if let device { return "\(device)" }
        return kind == .basicRate ? "\(address) (br/edr)" : "\(address) (type \(kind.rawValue))"
    }
}

extension ManagementAddress: ManagementReturnParameters, FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        address = try fields(\.address, "address")
        kind = try fields(\.kind, "address type")
    }

    package var details: String { description }
}
