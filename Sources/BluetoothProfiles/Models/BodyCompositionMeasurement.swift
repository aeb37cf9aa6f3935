// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Body Composition Measurement (0x2A9C). Masses and heights are in one system.
///
/// Spec: Body Composition Service 1.0, 3.2
public struct BodyCompositionMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A9C }

    /// The fat in percent. It has to be there.
    public var bodyFat: Double?
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The number of the user, 0 to 254.
    public var user: Int?
    /// The basal metabolism in kJ.
    public var basalMetabolism: Double?
    /// The muscles in percent.
    public var muscle: Double?
    /// The mass of the muscles in kilograms.
    public var muscleKilograms: Double?
    /// The mass of the muscles in pounds.
    public var musclePounds: Double?
    /// The mass without fat in kilograms.
    public var fatFreeKilograms: Double?
    /// The mass without fat in pounds.
    public var fatFreePounds: Double?
    /// The soft lean mass in kilograms.
    public var softLeanKilograms: Double?
    /// The soft lean mass in pounds.
    public var softLeanPounds: Double?
    /// The mass of the water in kilograms.
    public var waterKilograms: Double?
    /// The mass of the water in pounds.
    public var waterPounds: Double?
    /// The impedance in ohms.
    public var impedance: Double?
    /// The weight in kilograms.
    public var kilograms: Double?
    /// The weight in pounds.
    public var pounds: Double?
    /// The height in metres.
    public var metres: Double?
    /// The height in inches.
    public var inches: Double?
    /// Whether another value has the rest of the measurement.
    public var isContinued: Bool = false

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("body_fat_percent", \.bodyFat),
            .init("time_stamp", \.timeStamp),
            .init("user_id", \.user),
            .init("basal_metabolism_kj", \.basalMetabolism),
            .init("muscle_percent", \.muscle),
            .init("muscle_mass_kg", \.muscleKilograms),
            .init("muscle_mass_lb", \.musclePounds),
            .init("fat_free_mass_kg", \.fatFreeKilograms),
            .init("fat_free_mass_lb", \.fatFreePounds),
            .init("soft_lean_mass_kg", \.softLeanKilograms),
            .init("soft_lean_mass_lb", \.softLeanPounds),
            .init("body_water_mass_kg", \.waterKilograms),
            .init("body_water_mass_lb", \.waterPounds),
            .init("impedance_ohm", \.impedance),
            .init("weight_kg", \.kilograms),
            .init("weight_lb", \.pounds),
            .init("height_m", \.metres),
            .init("height_in", \.inches),
            .init("more_packets_follow", \.isContinued),
        ]
    }
}
