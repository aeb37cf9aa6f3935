// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

/// The data that blectl keeps from one run to the next. A store is `nil` if it has no place, or if its data must not
/// outlast the run.
package struct DataStores: Sendable {
    /// The folder of remembered devices and scan leases; `nil` for none.
    package let state: StateFolder?
    /// The GATT cache; `nil` for none.
    package let databases: (any DatabaseStore)?
    /// The bonds that blectl stores; `nil` if they have no folder.
    package let bonds: (any BondStore)?
    /// The keys of this machine's private addresses; `nil` if they have no folder.
    package let identities: (any IdentityKeyStore)?
    /// The names of controllers that are not the kernel's, by their addresses. Those were used before, and come back.
    package let controllers: @Sendable () -> [BluetoothAddress: String]
    /// Reads the formats of the user's configuration, as far as they can be read.
    package let formats: @Sendable () throws(BlectlError) -> FormatFiles.Configuration

    package init(
        state: StateFolder? = nil,
        databases: (any DatabaseStore)? = nil,
        bonds: (any BondStore)? = nil,
        identities: (any IdentityKeyStore)? = nil,
        controllers: @escaping @Sendable () -> [BluetoothAddress: String] = { [:] },
        formats: @escaping @Sendable () throws(BlectlError) -> FormatFiles.Configuration = { .noPlace }
    ) {
        self.controllers = controllers
        self.formats = formats
        self.state = state
        self.databases = databases
        self.bonds = bonds
        self.identities = identities
    }
}
