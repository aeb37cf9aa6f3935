// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import Synchronization

/// The attributes of a session, each looked up once: a device may send thousands of values a second.
package final class AttributeReferences: Sendable {

    package init() {}
    /// One target can have another handle after the database has changed, so both are compared.
    private struct Key: Hashable {
        let target: String
        let handle: Handle
    }

    /// The most references that are kept: more than a command needs for its targets, unless handles change all the
    /// time.
    private static let limit = 1_024

    /// The references so far. When the limit is reached, further ones are created for each value.
    private let known = Mutex<[Key: AttributeReference]>([:])

    /// The reference of an attribute, if there is one already.
    package func known(_ target: String, _ handle: Handle) -> AttributeReference? {
        known.withLock { $0[Key(target: target, handle: handle)] }
    }

    /// The reference of an attribute, created by `make` at first.
    package func reference(_ target: String, _ handle: Handle, _ make: () -> AttributeReference) -> AttributeReference {
        let key = Key(target: target, handle: handle)
        return known.withLock { known in
            if let reference = known[key] { return reference }
            let reference = make()
            if known.count < Self.limit { known[key] = reference }
            return reference
        }
    }
}
