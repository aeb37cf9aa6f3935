// SPDX-License-Identifier: MIT

public import Bluetooth

/// The names for the numbers of the Bluetooth SIG and of a few well-known vendors.
///
/// Spec: Assigned Numbers (bluetooth.com/specifications/assigned-numbers)
public enum AssignedNumbers {
    /// The name of a service; `nil` if it is unknown. It covers GATT services, vendors' services, members' 16-bit
    /// UUIDs, and the service classes of Bluetooth Classic, because dual-mode devices advertise these. A member's UUID
    /// has the member's name, as in `Google LLC`, and if its purpose is well known, `Eddystone (Google LLC)`.
    public static func name(ofService uuid: BluetoothUUID) -> String? {
        if let short = uuid.short16, let name = NameTable.services.name(of: short) { return name }
        let member = memberName(uuid)
        if let name = vendorName(uuid, .service) {
            guard let member else { return name }
            return "\(name) (\(member))"
        }
        if let member { return member }
        guard let short = uuid.short16 else { return nil }
        return NameTable.serviceClasses.name(of: short)
    }

    /// The name of a characteristic of the SIG or a vendor; `nil` if it is unknown.
    public static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
        if let short = uuid.short16, let name = NameTable.characteristics.name(of: short) { return name }
        return vendorName(uuid, .characteristic)
    }

    /// The name of a descriptor or of a GATT declaration (0x2800 to 0x2803); `nil` if it is unknown.
    public static func name(ofDescriptor uuid: BluetoothUUID) -> String? {
        if let short = uuid.short16, let name = NameTable.descriptors.name(of: short) { return name }
        return vendorName(uuid, .descriptor)
    }

    /// The name of a UUID of any kind; `nil` if it is unknown.
    public static func name(of uuid: BluetoothUUID) -> String? {
        name(ofCharacteristic: uuid) ?? name(ofDescriptor: uuid) ?? name(ofService: uuid)
            ?? unit(uuid).map(\.name)
    }

    /// The company or standards organisation that owns a 16-bit UUID; `nil` if it has no known owner.
    public static func memberName(_ uuid: BluetoothUUID) -> String? {
        guard let short = uuid.short16 else { return nil }
        return NameTable.members.name(of: short) ?? NameTable.standardsOrganizations.name(of: short)
    }

    /// The name of the company with an identifier from manufacturer data; `nil` if it is unknown.
    public static func companyName(_ identifier: UInt16) -> String? {
        NameTable.companies.name(of: identifier)
    }

    /// The name of an appearance value. For an unknown subcategory, the name of the category with the number; otherwise
    /// `nil`.
    ///
    /// Spec: Assigned Numbers, 2.6 (Appearance Values)
    public static func appearanceName(_ appearance: UInt16) -> String? {
        if let name = NameTable.appearances.name(of: appearance) { return name }
        guard let category = NameTable.appearances.name(of: appearance & ~0x3F) else { return nil }
        return "\(category) (subcategory \(appearance & 0x3F))"
    }

    /// The unit of measurement with that UUID; `nil` if it is unknown.
    public static func unit(_ uuid: BluetoothUUID) -> UnitOfMeasurement? {
        guard let short = uuid.short16, let line = NameTable.units.name(of: short) else { return nil }
        let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
        guard let symbol = parts.first, let name = parts.last, parts.count == 2 else { return nil }
        return UnitOfMeasurement(uuid: uuid, name: String(name), symbol: String(symbol))
    }

    /// A description in the SIG's namespace, as used by Presentation Format: `left`, `first`, `outside`.
    ///
    /// Spec: Assigned Numbers, 2.4.2 (GATT Characteristic Presentation Format Description)
    public static func namespaceDescription(_ number: UInt16) -> String? {
        NameTable.namespaceDescriptions.name(of: number)
    }

    private static func vendorName(_ uuid: BluetoothUUID, _ kind: AssignedNumber.Kind) -> String? {
        guard let line = NameTable.vendor.name(of: uuid.value), line.utf8.first == kind.tableLetter else { return nil }
        return String(line.dropFirst(2))
    }
}

/// A unit of measurement of the assigned numbers.
///
/// Spec: Assigned Numbers, 3.5 (Units)
public struct UnitOfMeasurement: Hashable, Sendable {
    /// The UUID, 0x27xx.
    public let uuid: BluetoothUUID
    /// The name: `velocity (metres per second)`.
    public let name: String
    /// The symbol, which may be empty: `m/s`.
    public let symbol: String
}
