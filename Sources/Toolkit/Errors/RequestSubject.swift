// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// The attribute of a failed request, and the facts about it, for the error message.
package struct RequestSubject: Sendable {
    /// The attribute as the user named it; `nil` if the user named none.
    package var target: AttributeTarget?
    /// The number of octets of the value that was sent; `nil` if none was.
    package var sentLength: Int?
    /// The properties of the characteristic; `nil` if they are unknown.
    package var properties: CharacteristicProperties?
    /// The service on the device that has the attribute; `nil` if it is unknown.
    var foundService: BluetoothUUID?
    /// The way to write the value without prepared writes, as a hint.
    package var withoutPreparedWrites: String?

    package init(
        target: AttributeTarget? = nil,
        sentLength: Int? = nil,
        withoutPreparedWrites: String? = nil
    ) {
        self.target = target
        self.sentLength = sentLength
        self.withoutPreparedWrites = withoutPreparedWrites
    }

    /// The service whose specification defines the application errors of the attribute; `nil` if it is unknown.
    private var service: BluetoothUUID? {
        if let service = target?.service ?? foundService { return service }
        if let service = target?.characteristic.flatMap({ AssignedNumbers.service(ofCharacteristic: $0) }) {
            return service
        }
        // Only Environmental Sensing defines descriptors.
        let sensing: Set<BluetoothUUID> = [0x290B, 0x290C, 0x290D]
        return target?.descriptor.flatMap { sensing.contains($0) ? 0x181A : nil }
    }

    /// The name of an error code: that of the service or, if it has none, that of the protocol.
    package func name(of code: ATTErrorCode) -> String {
        service.flatMap { code.name(in: $0) } ?? code.description
    }

    /// The alternative to a read that is not permitted, as a hint; `nil` if there is none.
    func alternative(toReadingFrom device: DeviceReference?) -> String? {
        guard let properties, let target else { return nil }
        let option = device?.option ?? ""
        if !properties.isDisjoint(with: [.notify, .indicate]) {
            return "it sends its values: blectl notify \(target)\(option)"
        }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
            return "it can only be written: blectl write \(target) VALUE\(option)"
        }
        return nil
    }
}

extension DeviceReference {
    /// The option that names the device, with a space before it; empty for the device at the other end of a socket,
    /// which has no address.
    package var option: String { address.address.rawValue == 0 ? "" : " -d \(address.address)" }
}
