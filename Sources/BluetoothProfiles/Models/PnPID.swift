// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of PnP ID (0x2A50): the vendor, the product and its version.
///
/// Spec: Device Information Service 1.2, 3.2.7
public struct PnPID: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A50 }

    /// The organization that assigned the vendor's number: `bluetooth` or `usb`.
    public var source: String = "bluetooth"
    /// The vendor, 0 to 65,535.
    public var vendor: Int = 0
    /// The product, 0 to 65,535.
    public var product: Int = 0
    /// The version of the product: `1.2.3`.
    public var version: String = "0.0.0"

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("vendor_id_source", \.source),
            .init("vendor_id", \.vendor),
            .init("product_id", \.product),
            .init("product_version", \.version),
        ]
    }
}
