// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// Makes the JSON text of a definition. Members stand in the order of the schema; those with their default are left
/// out.
struct DeviceWriter {
    /// The labels of the characteristics, which names of attributes must not resemble.
    let labels: [String: BluetoothUUID]
    /// The model that the services of the written database tell, as the reader will find it.
    var model: DeviceModel?

    /// Collects the labels first, because references are written where labels come later.
    init(_ definition: DeviceDefinition) {
        var labels: [String: BluetoothUUID] = [:]
        let databases = definition.databases.sorted { $0.key < $1.key }.map(\.value)
        for characteristic in ([definition.services] + databases).joined().flatMap(\.characteristics) {
            if let label = characteristic.label, labels[label] == nil { labels[label] = characteristic.uuid }
        }
        self.labels = labels
        model = .of(services: definition.services.map(\.uuid))
    }

    /// A writer for values that need nothing else of a device.
    static let empty = DeviceWriter(
        DeviceDefinition(label: "", address: DeviceAddress(BluetoothAddress(rawValue: 0), .random))
    )

    static func time(_ duration: Duration) -> JSONNode { .string(FileDuration.text(duration)) }

    static func hex(_ octets: [UInt8]) -> JSONNode { .string(Hex.string(octets)) }

    /// An appearance by its name if that leads back to it.
    static func appearance(_ number: UInt16) -> JSONNode {
        FileName.appearanceName(number).map { .string($0) } ?? .number(number)
    }

    /// A UUID by its assigned name if that leads back to it.
    static func uuid(_ uuid: BluetoothUUID, _ kind: AssignedNumber.Kind) -> JSONNode {
        .string(FileName.text(of: uuid, kind))
    }

    /// A handle in hexadecimal; `nil` if the server chooses it.
    static func handle(_ handle: Handle?) -> JSONNode? {
        handle.map { .string("0x" + Hex.string($0.rawValue, minimumDigits: 4).lowercased()) }
    }

    static func unless<Value: Equatable>(
        _ byDefault: Value,
        _ value: Value,
        _ node: (Value) -> JSONNode?
    ) -> JSONNode? {
        value == byDefault ? nil : node(value)
    }
}

extension DeviceFile {
    /// The file of a device, which `read` reads as the same device.
    ///
    /// Constant values are written as fields where these have the same octets. What a file cannot express is written in
    /// an equivalent form: parts of advertising data in an unusual order become hex digits.
    public static func text(of definition: DeviceDefinition) -> String {
        let node = DeviceSchema.device.form.write(definition, DeviceWriter(definition))
        return JSONPrinter.text(of: node ?? JSONNode(.null))
    }
}
