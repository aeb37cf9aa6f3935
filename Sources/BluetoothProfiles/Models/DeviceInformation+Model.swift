// SPDX-License-Identifier: MIT

public import Bluetooth

/// The values of the Device Information service (0x180A). A device has some of them.
///
/// Spec: Device Information Service 1.2, 3
public struct DeviceInformation: Hashable, Sendable {
    /// The manufacturer's name.
    public var manufacturer: String?
    /// The model.
    public var model: String?
    /// The number of this device.
    public var serialNumber: String?
    /// The version of the hardware.
    public var hardwareRevision: String?
    /// The version of the firmware.
    public var firmwareRevision: String?
    /// The version of the software above the firmware.
    public var softwareRevision: String?
    /// An identifier of the device.
    public var systemID: SystemID?
    /// The vendor, the product and its version, by numbers.
    public var pnpID: PnPID?
    /// The certifications of regulators, in the form of IEEE 11073-20601.
    public var regulatoryCertification: [UInt8]?

    /// An empty description.
    public init() {}

    /// The service.
    public static var service: BluetoothUUID { 0x180A }

    /// The characteristics with text, in the order of their UUIDs.
    private static var texts: [(BluetoothUUID, WritableKeyPath<Self, String?>)] {
        [
            (0x2A24, \.model), (0x2A25, \.serialNumber), (0x2A26, \.firmwareRevision), (0x2A27, \.hardwareRevision),
            (0x2A28, \.softwareRevision), (0x2A29, \.manufacturer),
        ]
    }

    private static let certification: BluetoothUUID = 0x2A2A

    /// The characteristics of the service, in the order of their UUIDs.
    public static var characteristics: [BluetoothUUID] {
        [SystemID.characteristic] + texts.map(\.0) + [certification, PnPID.characteristic]
    }

    /// Takes over the value of one of the characteristics; others are ignored.
    public mutating func receive(_ octets: [UInt8], of characteristic: BluetoothUUID) throws(DecodeError) {
        switch characteristic {
        case SystemID.characteristic: systemID = try SystemID(decoding: octets)
        case PnPID.characteristic: pnpID = try PnPID(decoding: octets)
        case Self.certification: regulatoryCertification = octets
        default:
            guard let (_, property) = Self.texts.first(where: { $0.0 == characteristic }) else { return }
            self[keyPath: property] = DecodedValue.string(utf8: octets)
        }
    }

    /// The values to publish, in the order of their UUIDs.
    public func encoded() throws(FieldError) -> [(characteristic: BluetoothUUID, octets: [UInt8])] {
        var values: [(characteristic: BluetoothUUID, octets: [UInt8])] = []
        if let systemID { values.append((SystemID.characteristic, try systemID.encoded())) }
        for (uuid, property) in Self.texts {
            if let text = self[keyPath: property] { values.append((uuid, Array(text.utf8))) }
        }
        if let regulatoryCertification { values.append((Self.certification, regulatoryCertification)) }
        if let pnpID { values.append((PnPID.characteristic, try pnpID.encoded())) }
        return values
    }
}
