// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// Makes a definition of a JSON text that the schema has been compared with.
///
/// A value that the schema does not permit is already a fault, so the builder skips it silently. It reports faults that
/// the schema cannot express: lengths, references, numbers that do not fit their format.
struct DeviceBuilder {
    var faults: FaultCollector
    let names: FileNames
    /// Returns the content of a file of numbers.
    let file: (String) throws -> [UInt8]
    /// The model of the device that is described, on which the formats of some fields depend; `nil` if its services do
    /// not tell it.
    var model: DeviceModel?
    /// The formats of the texts so far, because rules have many values of one characteristic.
    var formats: [BluetoothUUID: CharacteristicFormat?] = [:]

    /// The definition of a device. It is complete only if there are no faults.
    ///
    /// - Parameter fileLabel: The label of a device without one.
    mutating func device(_ root: JSONCursor, label fileLabel: String) -> DeviceDefinition {
        model = Self.model(root["services"])
        var definition =
            DeviceSchema.device.form.read(root, &self)
            ?? DeviceDefinition(label: fileLabel, address: DeviceAddress(Self.address(madeFrom: fileLabel), .random))
        if root["label"]?.string == nil { definition.label = fileLabel }
        // An address that is made is static random, whatever type the file states.
        if root["address"].flatMap({ DeviceForm.address.read($0, &self) }) == nil {
            definition.address = DeviceAddress(Self.address(madeFrom: definition.label), .random)
        }
        return definition
    }

    /// The model that the services of a database tell.
    static func model(_ services: JSONCursor?) -> DeviceModel? {
        let names = services?.elements?.compactMap { $0["uuid"]?.string } ?? []
        return .of(services: names.compactMap { try? FileName.uuid($0, .service) })
    }

    func duration(_ cursor: JSONCursor?) -> Duration? { cursor?.string.flatMap(FileDuration.parse) }

    func integer<Number: FixedWidthInteger>(_ cursor: JSONCursor?) -> Number? {
        cursor?.integer.flatMap { Number(exactly: $0) }
    }

    func hex(_ cursor: JSONCursor?) -> [UInt8]? { cursor?.string.flatMap { Hex.bytes($0) } }

    func uuid(_ cursor: JSONCursor?, _ kind: AssignedNumber.Kind) -> BluetoothUUID? {
        cursor?.string.flatMap { try? FileName.uuid($0, kind) }
    }

    func handle(_ cursor: JSONCursor?) -> Handle? { numeral(cursor).map { Handle($0) } }

    func appearance(_ cursor: JSONCursor) -> UInt16? {
        if let text = cursor.string { return try? FileName.appearance(text) }
        return integer(cursor)
    }

    /// A number, or the text of one.
    func numeral<Number: FixedWidthInteger>(_ cursor: JSONCursor?) -> Number? {
        cursor?.string.map { Number(numeral: $0) } ?? integer(cursor)
    }

    /// A static address that depends on the label only (FNV-1a).
    static func address(madeFrom label: String) -> BluetoothAddress {
        let sum = label.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        // The two highest bits of a static address are set: Core 5.4, Vol 6, Part B, 1.3.2.1.
        return BluetoothAddress(rawValue: sum & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000)
    }
}
