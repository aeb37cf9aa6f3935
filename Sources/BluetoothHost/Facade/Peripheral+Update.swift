// SPDX-License-Identifier: MIT

package import Bluetooth

extension Peripheral {
    /// The devices that are heard and could be this one under another address: those that advertise a service and, if it is
    /// known, the name. None if this machine cannot listen.
    package nonisolated func lookalikes(offering service: BluetoothUUID, name: String?) async -> [DeviceAddress] {
        var found: [DeviceAddress] = []
        let central = Central(radio, scope: scope, time: time)
        do {
            for try await advertisement in central.scan(for: .seconds(3))
            where advertisement.services.contains(service) && (name == nil || advertisement.name == name) {
                if !found.contains(advertisement.address) { found.append(advertisement.address) }
            }
        } catch {
            return []
        }
        return found
    }
}
