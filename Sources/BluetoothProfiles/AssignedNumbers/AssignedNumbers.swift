// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// The names behind the numbers of the Bluetooth SIG, and of a few well-known vendors.
///
/// Spec: Assigned Numbers (bluetooth.com/specifications/assigned-numbers)
public enum AssignedNumbers {
    /// The name of a service: GATT services, vendors' services, members' 16-bit UUIDs, service classes of Bluetooth
    /// Classic (which dual-mode devices advertise). A member's UUID has the member's name, as in `Google LLC`, and, where
    /// it is well known what it is for, `Eddystone (Google LLC)`.
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

    /// The name of a characteristic: the SIG's and vendors'.
    public static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
        if let short = uuid.short16, let name = NameTable.characteristics.name(of: short) { return name }
        return vendorName(uuid, .characteristic)
    }

    /// The name of a descriptor or of a GATT declaration (0x2800 to 0x2803).
    public static func name(ofDescriptor uuid: BluetoothUUID) -> String? {
        if let short = uuid.short16, let name = NameTable.descriptors.name(of: short) { return name }
        return vendorName(uuid, .descriptor)
    }

    /// The name of a UUID of any kind.
    public static func name(of uuid: BluetoothUUID) -> String? {
        name(ofCharacteristic: uuid) ?? name(ofDescriptor: uuid) ?? name(ofService: uuid)
            ?? unit(uuid).map(\.name)
    }

    /// The company or standards organisation that a 16-bit UUID belongs to.
    public static func memberName(_ uuid: BluetoothUUID) -> String? {
        guard let short = uuid.short16 else { return nil }
        return NameTable.members.name(of: short)
    }

    /// The company with an identifier, as in manufacturer data.
    public static func companyName(_ identifier: UInt16) -> String? {
        NameTable.companies.name(of: identifier)
    }

    /// What a device looks like: the name of the value, or of its category with the number of an unknown subcategory.
    ///
    /// Spec: Assigned Numbers, 2.6 (Appearance Values)
    public static func appearanceName(_ appearance: UInt16) -> String? {
        if let name = NameTable.appearances.name(of: appearance) { return name }
        guard let category = NameTable.appearances.name(of: appearance & ~0x3F) else { return nil }
        return "\(category) (subcategory \(appearance & 0x3F))"
    }

    /// A unit of measurement, by its UUID.
    public static func unit(_ uuid: BluetoothUUID) -> UnitOfMeasurement? {
        guard let short = uuid.short16, let line = NameTable.units.name(of: short) else { return nil }
        let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
        guard let symbol = parts.first, let name = parts.last, parts.count == 2 else { return nil }
        return UnitOfMeasurement(uuid: uuid, name: String(name), symbol: String(symbol))
    }

    /// A description in the SIG's own namespace, as a Presentation Format has it: `left`, `first`, `outside`.
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
