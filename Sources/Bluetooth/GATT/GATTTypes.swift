// SPDX-License-Identifier: MIT

/// The attribute types to which GATT itself gives a meaning, and the characteristics of its own two services.
///
/// Spec: Core 5.4, Vol 3, Part G, 3 and 7; Assigned Numbers, 3.5 to 3.8
extension BluetoothUUID {
    /// «Primary Service», a declaration.
    public static let primaryService: BluetoothUUID = 0x2800
    /// «Secondary Service», a declaration.
    public static let secondaryService: BluetoothUUID = 0x2801
    /// «Include», a declaration.
    public static let include: BluetoothUUID = 0x2802
    /// «Characteristic», a declaration.
    public static let characteristicDeclaration: BluetoothUUID = 0x2803

    /// «Characteristic Extended Properties», a descriptor.
    public static let characteristicExtendedProperties: BluetoothUUID = 0x2900
    /// «Characteristic User Description», a descriptor.
    public static let characteristicUserDescription: BluetoothUUID = 0x2901
    /// «Client Characteristic Configuration», the descriptor that subscribes (CCCD).
    public static let clientCharacteristicConfiguration: BluetoothUUID = 0x2902
    /// «Server Characteristic Configuration», the descriptor that switches broadcasts on.
    public static let serverCharacteristicConfiguration: BluetoothUUID = 0x2903
    /// «Characteristic Presentation Format», a descriptor.
    public static let characteristicPresentationFormat: BluetoothUUID = 0x2904
    /// «Characteristic Aggregate Format», a descriptor.
    public static let characteristicAggregateFormat: BluetoothUUID = 0x2905

    /// The Generic Access service.
    public static let genericAccess: BluetoothUUID = 0x1800
    /// The Generic Attribute service.
    public static let genericAttribute: BluetoothUUID = 0x1801

    /// «Device Name», of Generic Access.
    public static let deviceName: BluetoothUUID = 0x2A00
    /// «Appearance», of Generic Access.
    public static let appearance: BluetoothUUID = 0x2A01
    /// «Service Changed», of Generic Attribute.
    public static let serviceChanged: BluetoothUUID = 0x2A05
    /// «Client Supported Features», of Generic Attribute.
    public static let clientSupportedFeatures: BluetoothUUID = 0x2B29
    /// «Database Hash», of Generic Attribute.
    public static let databaseHash: BluetoothUUID = 0x2B2A
    /// «Server Supported Features», of Generic Attribute.
    public static let serverSupportedFeatures: BluetoothUUID = 0x2B3A
}

/// The limits that GATT sets. They hold for a hostile peer's values too, so that memory stays bounded.
public enum GATTLimits {
    /// The longest value that an attribute can have, in octets.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.9
    public static let maximumValueLength = 512
    /// The longest value in octets of an entry in a Read By Type response: the length field is one octet, and counts
    /// the two octets of the handle as well.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.2
    public static let maximumListedValueLength = 253
    /// The maximum number of entries that one discovery accepts: as many as there are handles.
    public static let maximumDiscoveredEntries = 0xFFFF
}
