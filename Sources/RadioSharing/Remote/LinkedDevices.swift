// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The devices that any program is connected to by an adapter, for a process elsewhere.
final class LinkedDevices: Sendable {
    private let system: any RadioSystem
    /// What the process knows. Kept, because the kernel tells the type of an address only to an attempt to connect.
    private let known = Mutex<[BluetoothAddress: DeviceAddress]>([:])

    init(_ system: any RadioSystem) { self.system = system }

    /// The devices, if they are others than before.
    func news() -> RemotePacket? {
        guard let radio = try? system.radio(named: nil) else { return nil }
        let present = radio.connectedAddresses()
        return known.withLock { known in
            guard Set(known.keys) != present else { return nil }
            known = known.filter { present.contains($0.key) }
            for address in present where known[address] == nil { known[address] = radio.connectedDevice(address) }
            return .linked(known.values.sorted { $0.address.rawValue < $1.address.rawValue })
        }
    }
}
