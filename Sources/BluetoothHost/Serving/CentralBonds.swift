// SPDX-License-Identifier: MIT

package import Bluetooth

/// The bonds with centrals: their identities, and whether their keys are stored.
package protocol CentralBonds: Sendable {
    /// The identity address of a central; `nil` if there is no bond with it.
    func identity(of central: DeviceAddress) -> DeviceAddress?
}

extension CentralBonds {
    /// The security of a central's link. The radio may not know whether its keys are kept.
    func security(of channel: any ATTChannel) -> LinkSecurity {
        var security = channel.security
        if identity(of: channel.peer) != nil { security.hasBond = true }
        return security
    }
}
