// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothHost

extension AdapterDescription: WireDecodable, WireEncodable {
    /// Reads a description. An octet before each optional field tells whether it is present.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let name = try reader.text("Name")
        let index = Int(try reader.uint32("Index"))
        let address = BluetoothAddress(rawValue: try reader.uint48("Address"))
        let state = try State(from: &reader)
        self.init(name: name, index: index, address: address, state: state, bus: try reader.text("Bus"))
        if try reader.present("Manufacturer") { manufacturer = try reader.uint16("Manufacturer") }
        if try reader.present("HCI_Version") {
            hciVersion = BluetoothVersion(rawValue: try reader.uint8("HCI_Version"))
        }
        if try reader.present("LMP_Features") { lmpFeatures = try reader.uint64("LMP_Features") }
        if try reader.present("LE_Features") { leFeatures = LEFeatures(rawValue: try reader.uint64("LE_Features")) }
        if try reader.present("Low_Energy") { isLowEnergyOn = try reader.boolean("Low_Energy") }
        if try reader.present("Manager") { manager = try reader.text("Manager") }
        if try reader.present("Static_Address") {
            staticAddress = BluetoothAddress(rawValue: try reader.uint48("Static_Address"))
        }
    }

    /// Writes a description, in the order in which it is read.
    public func encode(into writer: inout ByteWriter) {
        writer.text(name)
        writer.uint32(UInt32(clamping: index))
        writer.uint48(address.rawValue)
        state.encode(into: &writer)
        writer.text(bus)
        writer.present(manufacturer) { $0.uint16($1) }
        writer.present(hciVersion) { $0.uint8($1.rawValue) }
        writer.present(lmpFeatures) { $0.uint64($1) }
        writer.present(leFeatures) { $0.uint64($1.rawValue) }
        writer.present(isLowEnergyOn) { $0.boolean($1) }
        writer.present(manager) { $0.text($1) }
        writer.present(staticAddress) { $0.uint48($1.rawValue) }
    }
}

extension AdapterDescription.State {
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let octet = try reader.uint8("State")
        switch octet {
        case 0: self = .up
        case 1: self = .down
        case 2: self = .starting(isSetUp: false)
        case 3: self = .starting(isSetUp: true)
        case 4: self = .blocked(byHardware: false)
        case 5: self = .blocked(byHardware: true)
        case 6: self = .inUse
        default: throw DecodeError("State", .invalid(value: UInt64(octet)))
        }
    }

    /// Writes the state of an adapter with its detail as one number.
    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .up: writer.uint8(0)
        case .down: writer.uint8(1)
        case .starting(let isSetUp): writer.uint8(isSetUp ? 3 : 2)
        case .blocked(let byHardware): writer.uint8(byHardware ? 5 : 4)
        case .inUse: writer.uint8(6)
        }
    }
}
