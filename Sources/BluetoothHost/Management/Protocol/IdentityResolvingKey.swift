// SPDX-License-Identifier: MIT

package import Bluetooth

/// The identity resolving key of a bond: it resolves the private addresses of the device.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Load Identity Resolving Keys Command
package struct IdentityResolvingKey: Hashable, Sendable {
    /// The number of octets on the wire.
    static let length = 23

    /// The device: its identity address.
    package var device: ManagementAddress
    package var value: SecurityKey

    package init(device: ManagementAddress, value: SecurityKey) {
        self.device = device
        self.value = value
    }
}

extension IdentityResolvingKey: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        value = try fields(\.value)
    }
}
