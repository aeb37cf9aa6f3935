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

    /// The names and formats of the values of a characteristic: where the format depends on the model of the device,
    /// that of its model. All commands decide here. A failure to learn the model leaves the value without one.
    func formats(for characteristic: BluetoothUUID?) async -> FormatCatalogue {
        guard let characteristic, !formats.models(sharing: characteristic).isEmpty else { return formats }
        if let model = try? await peripheral.model(for: characteristic) { return formats.on(model) }
        return formats.on(.named(reference.name, for: characteristic))
    }

    /// How results refer to an attribute of this device.
    func attribute(
        _ target: AttributeTarget,
        _ handle: Handle,
        format: PresentationFormats? = nil
    ) async -> AttributeReference {
        // A descriptor has the format of its own type.
        let known = target.descriptor == nil ? await formats(for: target.characteristic) : formats
        return AttributeReference(
            device: reference,
            target: target.text,
            handle: handle,
            service: target.service,
            characteristic: target.characteristic,
            descriptor: target.descriptor,
            formats: known,
            format: format
        )
    }
}
