// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// Makes sense of the values of known characteristics.
public enum CharacteristicValue {
    /// Decodes a characteristic's value; `nil` where its format is not known here.
    ///
    /// Octets behind what the format accounts for are not an error: later versions of a specification append fields.
    /// They are kept in `surplus`.
    public static func decode(_ bytes: [UInt8], of uuid: BluetoothUUID) throws(DecodeError) -> DecodedValue? {
        guard let short = uuid.short16, let format = format(of: short) else { return nil }
        var reader = ByteReader(bytes)
        let value = try format.decode(&reader)
        return DecodedValue(text: value.text, content: value.content, surplus: reader.rest())
    }

    /// Whether the format of a characteristic is known.
    public static func isKnown(_ uuid: BluetoothUUID) -> Bool {
        uuid.short16.flatMap(format) != nil
    }

    private static func format(of short: UInt16) -> CharacteristicFormat? {
        switch short {
        case 0x2A19: .batteryLevel
        case 0x2A37: .heartRateMeasurement
        default: nil
        }
    }
}

/// How the octets of a characteristic become a value.
struct CharacteristicFormat {
    let decode: (inout ByteReader) throws(DecodeError) -> DecodedValue
}
