// SPDX-License-Identifier: MIT

import Synchronization

/// What the firmware of the ping device keeps.
final class LastPing: Sendable {
    private let value = Mutex(UInt8(0))

    var number: UInt8 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
