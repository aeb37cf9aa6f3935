// SPDX-License-Identifier: MIT

package import Bluetooth
import Synchronization

/// The bonds of an adapter while it serves: the identities of centrals, and whether their keys are stored.
package final class ServedBonds: Sendable {
    private let bonds: Mutex<[Bond]>

    package init(_ bonds: [Bond]) { self.bonds = Mutex(bonds) }

    package var isEmpty: Bool { bonds.withLock { $0.isEmpty } }

    /// Adds a bond, in the place of an earlier one of the same device.
    package func keep(_ bond: Bond) {
        bonds.withLock { bonds in bonds = bonds.filter { $0.device != bond.device } + [bond] }
    }

    package func replace(with new: [Bond]) { bonds.withLock { $0 = new } }

    /// Whether a bond may take the place of an earlier one of the same device, if there is one.
    ///
    /// Anybody can claim the address of a bonded central. So the new keys must be authenticated, and no weaker. Below
    /// the level `fips`, keys of the same level may have different lengths.
    package func admits(_ bond: Bond) -> Bool {
        bonds.withLock { bonds in
            bonds.allSatisfy { old in
                if old.device != bond.device { return true }
                return bond.isAuthenticated && bond.level >= old.level && bond.keySize >= old.keySize
            }
        }
    }

    /// The identity address of a central; `nil` if there is no bond with it.
    package func identity(of central: DeviceAddress) -> DeviceAddress? {
        let central = DeviceAddress(central.address, central.type.connectionType)
        return bonds.withLock { bonds in bonds.first { $0.owns(central) }?.device }
    }

    /// The security of a central's link. The radio may not know whether its keys are kept.
    func security(of channel: any ATTChannel) -> LinkSecurity {
        var security = channel.security
        if identity(of: channel.peer) != nil { security.hasBond = true }
        return security
    }
}
