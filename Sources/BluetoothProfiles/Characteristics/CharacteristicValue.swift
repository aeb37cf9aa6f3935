// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// Decodes the values of known characteristics.
public enum CharacteristicValue {
    /// Decodes a characteristic's value; `nil` if its format is unknown. Throws if the value does not have that format.
    ///
    /// Octets after the last field are not an error, because later versions of a specification append fields. They are
    /// kept in `surplus`.
    public static func decode(_ bytes: [UInt8], of uuid: BluetoothUUID) throws(DecodeError) -> DecodedValue? {
        guard let short = uuid.short16, let format = format(of: short) else { return nil }
        return try format.decode(bytes)
    }

    /// Decodes the values of one characteristic.
    public typealias Decoder = @Sendable ([UInt8]) throws(DecodeError) -> DecodedValue

    /// The decoder for the values of a characteristic; `nil` if their format is unknown. Faster than `decode` for many
    /// values, because the format is looked up once.
    public static func decoder(of uuid: BluetoothUUID) -> Decoder? {
        guard let short = uuid.short16, let format = format(of: short) else { return nil }
        return { (bytes) throws(DecodeError) in try format.decode(bytes) }
    }

    /// Whether the format of a characteristic is known.
    public static func isKnown(_ uuid: BluetoothUUID) -> Bool {
        uuid.short16.flatMap(format) != nil
    }

    /// The format of a 16-bit UUID; `nil` if it is unknown. Each file beside this one defines the formats of a few
    /// services.
    static func format(of short: UInt16) -> CharacteristicFormat? {
        let families: [(UInt16) -> CharacteristicFormat?] = [
            genericAccess, deviceInformation, battery, heartRate, thermometer, environment, airQuality, time, alerts,
            inputDevice, bloodPressure, glucose, pulseOximeter, bodyComposition, userData, heartRateLimits,
            runningAndCycling, cyclingPower, location, fitnessMachine, fitnessMachineRanges, electricity, light,
            quantities, temperatureStatistics, motion,
        ]
        for family in families {
            if let format = family(short) { return format }
        }
        return nil
    }
}
