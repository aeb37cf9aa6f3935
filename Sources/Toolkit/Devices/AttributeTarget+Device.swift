// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

package protocol ReadableAttribute: Sendable {
    func read() async throws -> AttributeValue
}

extension Attribute: ReadableAttribute {}
extension Characteristic: ReadableAttribute {}
extension Descriptor: ReadableAttribute {}

extension AttributeTarget {
    /// The attribute of a device that the target names. Nothing is asked of the device.
    package func attribute(of peripheral: Peripheral) -> any ReadableAttribute {
        switch kind {
        case .handle(let handle):
            peripheral.attribute(at: handle)
        case .characteristic(let uuid, let service):
            peripheral.characteristic(uuid, in: service)
        case .descriptor(let uuid, let characteristic, let service):
            peripheral.characteristic(characteristic, in: service).descriptor(uuid)
        }
    }

    /// The characteristic of a device that the target names; `nil` for a descriptor. Nothing is asked of the device.
    package func characteristic(of peripheral: Peripheral) -> Characteristic? {
        switch kind {
        case .handle(let handle): peripheral.characteristic(at: handle)
        case .characteristic(let uuid, let service): peripheral.characteristic(uuid, in: service)
        case .descriptor: nil
        }
    }
}

extension Peripheral {
    /// A characteristic, in a service or in whichever it is.
    package nonisolated func characteristic(_ uuid: BluetoothUUID, in service: BluetoothUUID?) -> Characteristic {
        service.map { self.service($0).characteristic(uuid) } ?? characteristic(uuid)
    }
}
