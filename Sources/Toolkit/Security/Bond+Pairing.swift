// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

extension Bond {
    /// The keys of a pairing, whether they are kept or not.
    package init(_ pairing: Pairing, of adapter: BluetoothAddress, since: WallTime) {
        self.init(
            adapter: adapter,
            device: pairing.device,
            longTermKeys: pairing.longTermKeys,
            identityKey: pairing.identityKey,
            signing: pairing.signatureKeys.map { Bond.Signing(key: $0) },
            since: since
        )
    }
}
