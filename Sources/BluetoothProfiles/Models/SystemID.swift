// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of System ID (0x2A23).
///
/// Spec: Device Information Service 1.2, 3.2.1
public struct SystemID: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A23 }

    /// The EUI-64 with its most significant octet first: `00:11:22:FF:FE:33:44:55`. It has to be there.
    public var identifier: String?

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("system_id", \.identifier)
        ]
    }
}
