// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Synchronization
import Terminal

/// The oddities of a device's links: `-v` shows all of them. Malformed updates, which are dropped, are reported without
/// `-v`, too, because a listener would otherwise wait for them in vain.
package final class MalformedUpdates: Sendable {
    private let notes: any NoteSink
    /// The malformed updates since the last call of `reportCount`.
    private let count = Mutex(0)
    private let all = Mutex(0)
    private let hasOverflowed = Mutex(false)

    init(_ notes: any NoteSink) { self.notes = notes }

    /// How many notifications and indications were malformed, and dropped, until now.
    package var total: Int { all.withLock { $0 } }

    /// Reports an oddity. Of malformed updates only the first before each count is a message, so that a device that
    /// sends many does not flood the output.
    package func take(_ oddity: LinkDiagnostic) {
        if oddity.isOverflow {
            let isKnown = hasOverflowed.withLock { known in
                defer { known = true }
                return known
            }
            return isKnown ? notes.detail(oddity.text) : notes.note(oddity.text)
        }
        if oddity.isImportant { return notes.note(oddity.text) }
        if oddity.isLostUpdate { all.withLock { $0 += 1 } }
        let isFirst =
            oddity.isLostUpdate
            && count.withLock { count in
                count += 1
                return count == 1
            }
        if isFirst { notes.note(oddity.text) } else { notes.detail(oddity.text) }
    }

    /// Reports the number of malformed updates since the last report, if there were several.
    package func reportCount(of device: DeviceReference) {
        let count = count.withLock { count in
            defer { count = 0 }
            return count
        }
        guard count > 1 else { return }
        notes.note("\(count) notifications or indications of \(device.text) were malformed, and dropped")
    }
}
