// SPDX-License-Identifier: MIT

import Synchronization

extension GATTDatabase {
    /// The value of the Database Hash characteristic. It changes whenever the structure of the database changes.
    ///
    /// A 128-bit code over the declarations and descriptors, computed with a key of zeros. Like all numbers on the air,
    /// it is sent with the least significant octet first.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.3
    public var hash: [UInt8] {
        // The key of 128 zero bits makes the code a hash. Spec: Core 5.4, Vol 3, Part G, 7.3.1
        let key = [UInt8](repeating: 0, count: 16)
        let code = AESCMAC.code(of: hashedAttributes, key: key) ?? key
        // AES-CMAC has its most significant octet first, and the characteristic is little-endian.
        return code.reversed()
    }

    /// The input of the hash.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.3.1
    var hashedAttributes: [UInt8] {
        var writer = ByteWriter(capacity: attributes.count * 8)
        for attribute in attributes {
            switch attribute.type.short16 {
            // Declarations and Extended Properties count with their values.
            case 0x2800, 0x2801, 0x2802, 0x2803, 0x2900:
                writer.append(attribute.handle)
                writer.append(attribute.type.attForm)
                writer.append(attribute.value ?? [])
            // Other descriptors count with their types only, because their values may change.
            case 0x2901, 0x2902, 0x2903, 0x2904, 0x2905:
                writer.append(attribute.handle)
                writer.append(attribute.type.attForm)
            // Values change without a change of the structure, and do not count.
            default:
                continue
            }
        }
        return writer.bytes
    }
}

/// The hash of a database, computed at the first use and then kept: a world of many devices starts without it, and
/// repeated reads by a client cost nothing.
final class LazyDatabaseHash: Sendable {
    private let database: GATTDatabase
    private let computed = Mutex<[UInt8]?>(nil)

    /// The values that clients write later do not count, so that the database of now is enough.
    init(of database: GATTDatabase) { self.database = database }

    var value: [UInt8] {
        // Computed under the lock, so that two readers do not both compute it.
        computed.withLock { computed in
            let value = computed ?? database.hash
            computed = value
            return value
        }
    }
}
