// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// What a target means on a device.
enum TargetObject: Sendable {
    case attribute(Attribute)
    case characteristic(Characteristic)
    case descriptor(Descriptor)

    /// Reads the value, to its end.
    func read() async throws -> AttributeValue {
        switch self {
        case .attribute(let attribute): try await attribute.read()
        case .characteristic(let characteristic): try await characteristic.read()
        case .descriptor(let descriptor): try await descriptor.read()
        }
    }
}

extension AttributeTarget {
    /// The object of a device that the target names.
    func object(of peripheral: Peripheral) -> TargetObject {
        switch kind {
        case .handle(let handle):
            .attribute(peripheral.attribute(at: handle))
        case .characteristic(let uuid, let service):
            .characteristic(Self.characteristic(uuid, service, of: peripheral))
        case .descriptor(let uuid, let characteristic, let service):
            .descriptor(Self.characteristic(characteristic, service, of: peripheral).descriptor(uuid))
        }
    }

    private static func characteristic(
        _ uuid: BluetoothUUID,
        _ service: BluetoothUUID?,
        of peripheral: Peripheral
    ) -> Characteristic {
        service.map { peripheral.service($0).characteristic(uuid) } ?? peripheral.characteristic(uuid)
    }
}
