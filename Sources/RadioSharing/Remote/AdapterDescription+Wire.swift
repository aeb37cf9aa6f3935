// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

extension AdapterDescription: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        self.init(
            name: try reader.field("Name"),
            index: try reader.field("Index"),
            address: try reader.field("Address"),
            state: try reader.field("State"),
            bus: try reader.field("Bus")
        )
        manufacturer = try reader.field("Manufacturer")
        hciVersion = try reader.field("HCI_Version")
        lmpFeatures = try reader.field("LMP_Features")
        leFeatures = try reader.field("LE_Features")
        isLowEnergyOn = try reader.field("Low_Energy")
        manager = try reader.field("Manager")
        staticAddress = try reader.field("Static_Address")
    }

    func write(to writer: inout ByteWriter) {
        writer.fields(name, index, address, state, bus)
        writer.fields(manufacturer, hciVersion, lmpFeatures, leFeatures, isLowEnergyOn, manager, staticAddress)
    }
}

extension AdapterDescription.State: NumberedField {
    static let numbered: [Self] = [
        .up, .down, .starting(isSetUp: false), .starting(isSetUp: true), .blocked(byHardware: false),
        .blocked(byHardware: true), .inUse,
    ]
}
