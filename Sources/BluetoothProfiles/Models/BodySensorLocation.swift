// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Body Sensor Location (0x2A38): where a heart rate sensor is worn. Unknown values are kept.
///
/// Spec: Heart Rate Service 1.0, 3.2
public struct BodySensorLocation: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// Keeps any value, also a reserved one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Somewhere else.
    public static let other = Self(rawValue: 0)
    /// The chest.
    public static let chest = Self(rawValue: 1)
    /// The wrist.
    public static let wrist = Self(rawValue: 2)
    /// A finger.
    public static let finger = Self(rawValue: 3)
    /// A hand.
    public static let hand = Self(rawValue: 4)
    /// An ear lobe.
    public static let earLobe = Self(rawValue: 5)
    /// A foot.
    public static let foot = Self(rawValue: 6)

    static let names: [UInt64: String] = [
        0: "other", 1: "chest", 2: "wrist", 3: "finger", 4: "hand", 5: "ear lobe", 6: "foot",
    ]

    /// The name: `chest`, or `reserved (10)`.
    public var description: String { Self.names[UInt64(rawValue)] ?? "reserved (\(rawValue))" }
}

extension BodySensorLocation: CharacteristicModel {
    public static var characteristic: BluetoothUUID { 0x2A38 }

    public init(decoding octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        rawValue = try reader.uint8("body_sensor_location")
    }

    public func encoded() throws(FieldError) -> [UInt8] { [rawValue] }
}
