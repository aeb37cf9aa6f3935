// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A device with a link, and the name that results and errors use for it.
struct ConnectedDevice: Sendable {
    let reference: DeviceReference
    let peripheral: Peripheral

    /// How results refer to an attribute of this device.
    func attribute(_ target: AttributeTarget, _ handle: Handle) -> AttributeReference {
        AttributeReference(
            device: reference,
            target: target.text,
            handle: handle,
            service: target.service,
            characteristic: target.characteristic,
            descriptor: target.descriptor
        )
    }
}
