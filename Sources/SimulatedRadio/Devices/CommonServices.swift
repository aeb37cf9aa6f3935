// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Services that many devices have.
extension ServiceDefinition {
    /// Device Information.
    ///
    /// Spec: Device Information Service 1.1, 3
    static func deviceInformation(model: String, serial: String, firmware: String) -> ServiceDefinition {
        func text(_ uuid: BluetoothUUID, _ value: String) -> CharacteristicDefinition {
            CharacteristicDefinition(uuid, .read, value: .fixed(Array(value.utf8)))
        }
        return ServiceDefinition(
            0x180A,
            characteristics: [
                text(0x2A29, "blectl simulation"),
                text(0x2A24, model),
                text(0x2A25, serial),
                text(0x2A26, firmware),
            ]
        )
    }

    /// Battery; the firmware provides the level.
    ///
    /// Spec: Battery Service 1.1, 3
    static var battery: ServiceDefinition {
        ServiceDefinition(
            0x180F,
            characteristics: [
                CharacteristicDefinition(.batteryLevel, [.read, .notify], value: .handler(maximumLength: 1))
            ]
        )
    }
}

extension BluetoothUUID {
    static let batteryLevel: BluetoothUUID = 0x2A19
}

/// A battery that discharges slowly.
struct Battery: Hashable, Sendable {
    /// The percentage at the start of the world.
    let full: UInt8
    /// The time in which the battery loses one percent.
    let percentLasts: Duration

    private func spent(_ now: Instant) -> Int64 { Int64((now - .zero) / percentLasts) }

    func level(_ now: Instant) -> UInt8 { UInt8(max(1, Int64(full) - spent(now))) }

    func nextChange(_ now: Instant) -> Instant { .zero + percentLasts * Double(spent(now) + 1) }
}
