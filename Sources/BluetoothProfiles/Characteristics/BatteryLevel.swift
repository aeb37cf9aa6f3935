// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Battery Level (0x2A19): 0 to 100 %.
///
/// Spec: Battery Service 1.1, 3.1; GATT Specification Supplement, Battery Level
public struct BatteryLevel: Hashable, Sendable {
    /// Percent; values above 100 are reserved.
    public var percent: UInt8

    /// Creates a level; values above 100 are reserved.
    public init(percent: UInt8) { self.percent = percent }
}

extension BatteryLevel: WireDecodable, WireEncodable {
    /// Decodes the level and leaves the cursor after it.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        percent = try reader.uint8("battery level")
    }

    /// Appends the level's octets.
    public func encode(into writer: inout ByteWriter) { writer.uint8(percent) }
}

extension BatteryLevel {
    /// `87 %`
    public var decoded: DecodedValue { DecodedValue(self, in: .batteryLevel) }
}

extension CharacteristicFormat {
    static var batteryLevel: Self { .fields(.number("battery level", .u8, .percent, upTo: 100)) }
}
