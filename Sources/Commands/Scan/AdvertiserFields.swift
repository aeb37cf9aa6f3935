// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Records
import Toolkit

// The fields that the record of an advertisement and that of a device have.

extension DeviceAddress {
    /// The address; `nil` if the sender has none.
    var textUnlessAnonymous: String? { type == .anonymous ? nil : address.description }

    @FieldBuilder<DeviceAddress>
    static var kinds: [RecordField<DeviceAddress>] {
        RecordField(
            "address_type",
            .string,
            "`public`, `random`, `public-identity`, `random-identity` or `anonymous`"
        ) { $0.type.description }
        RecordField(
            "address_kind",
            .string,
            "`public`, `random-static`, `resolvable`, `non-resolvable`, `anonymous` or `reserved`"
        ) { $0.kind.rawValue }
    }
}

/// The services of an advertiser, and the catalogue that names them.
struct NamedServices {
    let services: [BluetoothUUID]
    let formats: FormatCatalogue

    @FieldBuilder<NamedServices>
    static var record: [RecordField<NamedServices>] {
        RecordField("services", .array(of: .uuid), "services that it lists") { $0.services }
        RecordField(
            "service_names",
            .array(of: .optional(.string)),
            "their names, in the same order; null for one unknown"
        ) { named in named.services.map { named.formats.name(ofService: $0) } }
    }
}

/// Service data, and the catalogue that names the service.
struct NamedServiceData {
    let data: ADServiceData
    let formats: FormatCatalogue

    @FieldBuilder<NamedServiceData>
    static var record: [RecordField<NamedServiceData>] {
        RecordField("uuid", .uuid, "service") { $0.data.uuid }
        RecordField("name", orNull: .string, "its name") { $0.formats.name(ofService: $0.data.uuid) }
        RecordField("data", .hex, "its data") { Array($0.data.data) }
    }
}

extension ADManufacturerData {
    @FieldBuilder<ADManufacturerData>
    static var record: [RecordField<ADManufacturerData>] {
        RecordField("company_id", .integer, "assigned number of the company") { $0.company }
        RecordField("company_name", orNull: .string, "its name") { AssignedNumbers.companyName($0.company) }
        RecordField("data", .hex, "its data") { Array($0.data) }
    }
}

extension FieldType where Value == Beacon {
    /// The content of a beacon: its keys depend on its kind.
    static var beacon: FieldType {
        let kind = RecordKey("kind", .string, "its kind, on which the other keys depend")
        return FieldType(type: .object([kind], isOpen: true)) {
            $1.value(BeaconPresentation($0).json)
        } tree: {
            BeaconPresentation($0).json
        }
    }
}
