// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// A store in memory.
final class MemoryStore: DatabaseStore {
    private let contents = Mutex<[DeviceAddress: StoredDatabase]>([:])

    init(_ contents: [DeviceAddress: StoredDatabase] = [:]) { self.contents.withLock { $0 = contents } }

    func load(_ device: DeviceAddress) -> StoredDatabase? { contents.withLock { $0[device] } }

    func save(_ stored: StoredDatabase, of device: DeviceAddress) { contents.withLock { $0[device] = stored } }
}
