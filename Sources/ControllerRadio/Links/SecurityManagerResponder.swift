// SPDX-License-Identifier: MIT

import Bluetooth

/// Tells peers that want to pair that this host does not, so that they need not wait for 30 s.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.5.5: Pairing Failed with Pairing Not Supported
enum SecurityManagerResponder {
    private static let pairingNotSupported: [UInt8] = [0x05, 0x05]

    /// The answer to a packet of the peer's Security Manager; `nil` if there is none.
    static func answer(to payload: [UInt8], as role: LERole) -> [UInt8]? {
        switch (payload.first, role) {
        // Pairing Request to a peripheral, Security Request to a central.
        case (0x01, .peripheral), (0x0B, .central): pairingNotSupported
        default: nil
        }
    }
}
