// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// A device with a link, and the name that results and errors use for it.
struct ConnectedDevice: Sendable {
    let reference: DeviceReference
    let peripheral: Peripheral
    /// The names and formats of characteristics.
    let formats: FormatCatalogue

    /// The format that the device itself gives to the value of a characteristic, where its type gives none and an
    /// earlier look at its descriptors has found one. A failure to confirm it only leaves the value without a format.
    func format(of target: AttributeTarget, _ handle: Handle) async -> PresentationFormats? {
        guard target.descriptor == nil, isFormatUnknown(of: target.characteristic) else { return nil }
        let octets = try? await peripheral.presentationFormat(of: handle)
        return octets.flatMap { try? PresentationFormats(decoding: $0) }
    }

    /// Whether only the device can tell the format of the values: that of the characteristic is not known.
    func isFormatUnknown(of characteristic: BluetoothUUID?) -> Bool {
        characteristic.map { formats.format(of: $0) == nil } ?? true
    }

    /// How results refer to an attribute of this device.
    func attribute(
        _ target: AttributeTarget,
        _ handle: Handle,
        format: PresentationFormats? = nil
    ) -> AttributeReference {
        AttributeReference(
            device: reference,
            target: target.text,
            handle: handle,
            service: target.service,
            characteristic: target.characteristic,
            descriptor: target.descriptor,
            formats: formats,
            format: format
        )
    }
}
