// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothProfiles

/// The attribute of a value: the target as it was typed, and the known types of its parts.
///
/// It is a class, because a session creates one for each attribute and hands it to thousands of results.
package final class AttributeReference: Hashable, Sendable {
    package let device: DeviceReference
    /// The target as the user has typed it, which is how scripts recognise their results.
    package let target: String
    /// The handle of the value, which may differ after the device has changed its database.
    package let handle: Handle
    /// The UUID of the service; `nil` if the target is a handle whose service was not discovered.
    package let service: BluetoothUUID?
    /// The UUID of the characteristic, or of the one that the descriptor belongs to; `nil` for a declaration, and for a
    /// handle whose characteristic was not discovered.
    package let characteristic: BluetoothUUID?
    /// The UUID of the descriptor; `nil` for the value of a characteristic.
    package let descriptor: BluetoothUUID?
    package let characteristicName: String?
    /// The decoder of the characteristic's or the declaration's values, if their format is known.
    package let decode: CharacteristicValue.Decoder?

    /// Looks up the name and the format; `AttributeReferences` does so once for many values.
    ///
    /// - Parameter declaration: The type of the attribute, if it declares a service, an include or a characteristic.
    package init(
        device: DeviceReference,
        target: String,
        handle: Handle,
        service: BluetoothUUID?,
        characteristic: BluetoothUUID?,
        descriptor: BluetoothUUID?,
        declaration: BluetoothUUID? = nil,
        formats: FormatCatalogue = .assigned,
        format: PresentationFormats? = nil
    ) {
        self.device = device
        self.target = target
        self.handle = handle
        self.service = service
        self.characteristic = characteristic
        self.descriptor = descriptor
        characteristicName = characteristic.flatMap { formats.name(ofCharacteristic: $0) }
        let ofType = characteristic.flatMap { formats.decoder(of: $0) }
        var ofDevice: CharacteristicValue.Decoder?
        if let format { ofDevice = { format.decodeAsFarAsPossible($0) } }
        if let format = declaration.flatMap({ DescriptorValue.format(ofDescriptor: $0) }) {
            decode = { format.decodeAsFarAsPossible($0) }
        } else {
            // An assigned format knows the fields of the value. A Presentation Format only describes numbers and texts.
            decode = descriptor == nil ? ofType ?? ofDevice : nil
        }
    }

    /// Identity suffices, because `AttributeReferences` makes one reference for each attribute.
    package static func == (left: AttributeReference, right: AttributeReference) -> Bool { left === right }

    /// Consistent with `==`: equal references are the same object.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    package var uuid: BluetoothUUID? { descriptor ?? characteristic }
}
