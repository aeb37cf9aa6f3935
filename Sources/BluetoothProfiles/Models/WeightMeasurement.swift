// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Weight Measurement (0x2A9D). Masses and heights are in one system: set kilograms and metres, or pounds
/// and inches.
///
/// Spec: Weight Scale Service 1.0, 3.2
public struct WeightMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A9D }

    /// The weight in kilograms, with a resolution of 0.005.
    public var kilograms: Double?
    /// The weight in pounds, with a resolution of 0.01.
    public var pounds: Double?
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The number of the user, 0 to 254.
    public var user: Int?
    /// The body mass index in kg/m²; there together with the height.
    public var bodyMassIndex: Double?
    /// The height in metres.
    public var metres: Double?
    /// The height in inches.
    public var inches: Double?

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("weight_kg", \.kilograms),
            .init("weight_lb", \.pounds),
            .init("time_stamp", \.timeStamp),
            .init("user_id", \.user),
            .init("bmi_kg_per_m2", \.bodyMassIndex),
            .init("height_m", \.metres),
            .init("height_in", \.inches),
        ]
    }
}
