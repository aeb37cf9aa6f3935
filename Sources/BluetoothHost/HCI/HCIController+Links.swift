// SPDX-License-Identifier: MIT

import Bluetooth

extension HCIController {
    /// Ends a link. If the link has ended already, this does nothing.
    func disconnect(_ handle: UInt16?) async {
        guard let handle else { return }
        _ = try? await perform(HCIDisconnect(ConnectionHandle(rawValue: handle)))
    }
}
