// SPDX-License-Identifier: MIT

public import Bluetooth

/// The formats of characteristics before they are built, because building all takes longer than most commands need.
typealias FormatTable = [BluetoothUUID: @Sendable () -> CharacteristicFormat]

/// Decodes the values of known characteristics.
public enum CharacteristicValue {
    /// Decodes a characteristic's value; `nil` if its format is unknown. Throws if the value does not have that format.
    ///
    /// Octets after the last field are not an error, because later versions of a specification append fields. They are
    /// kept in `surplus`.
    public static func decode(_ bytes: [UInt8], of uuid: BluetoothUUID) throws(DecodeError) -> DecodedValue? {
        try CharacteristicFormat.of(uuid)?.decode(bytes)
    }

    /// Decodes the values of one characteristic, each up to its first fault.
    public typealias Decoder = @Sendable ([UInt8]) -> DecodedValue

    /// The decoder for the values of a characteristic; `nil` if their format is unknown. Faster than `decode` for many
    /// values, because the format is looked up once.
    public static func decoder(of uuid: BluetoothUUID) -> Decoder? {
        guard let format = CharacteristicFormat.of(uuid) else { return nil }
        return { format.decodeAsFarAsPossible($0) }
    }

    /// Whether the format of a characteristic is known.
    public static func isKnown(_ uuid: BluetoothUUID) -> Bool { table[uuid] != nil }

    /// The format of a 16-bit UUID; `nil` if it is unknown.
    static func format(of short: UInt16) -> CharacteristicFormat? { CharacteristicFormat.of(BluetoothUUID(short)) }

    /// A format of fields in order, which is built when it is needed.
    static func fields(
        _ fields: @autoclosure @escaping @Sendable () -> [Field]
    ) -> @Sendable () -> CharacteristicFormat {
        { CharacteristicFormat(.fields(FieldGroup(fields()))) }
    }

    /// All formats. Each file beside this one adds those of a few services.
    static let table: FormatTable = {
        var formats: FormatTable = [:]
        // Room for all families, so that the table does not grow step by step.
        formats.reserveCapacity(512)
        let families: [(inout FormatTable) -> Void] = [
            genericAccess, deviceInformation, battery, heartRate, thermometer, environment, airQuality, time, alerts,
            inputDevice, bloodPressure, glucose, pulseOximeter, bodyComposition, userData, heartRateLimits,
            runningAndCycling, cyclingPower, location, fitnessMachine, fitnessMachineRanges, fitnessMachineControl,
            electricity, light, quantities, temperatureStatistics, motion, controlPoints, cooking, audio,
            mediaAndCalls, sensorTag, thingy,
        ]
        for family in families { family(&formats) }
        return formats
    }()
}
