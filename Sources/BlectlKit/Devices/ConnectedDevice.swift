// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A device to which there is a link, with the name by which results and errors call it.
struct ConnectedDevice: Sendable {
    let reference: DeviceReference
    let peripheral: Peripheral

    /// How results refer to an attribute of this device.
    func attribute(_ target: AttributeTarget, _ handle: Handle) -> AttributeReference {
        var descriptor: BluetoothUUID?
        if case .descriptor(let uuid, _, _) = target.kind { descriptor = uuid }
        return AttributeReference(
            device: reference,
            target: target.text,
            handle: handle,
            service: target.service,
            characteristic: target.characteristic,
            descriptor: descriptor
        )
    }
}
