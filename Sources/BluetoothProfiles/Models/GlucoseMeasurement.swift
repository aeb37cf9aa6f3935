// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Glucose Measurement (0x2A18).
///
/// Spec: Glucose Service 1.0.1, 3.1
public struct GlucoseMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A18 }

    /// The number of the record.
    public var sequenceNumber: Int = 0
    /// The time of the measurement, to which the offset is added. It has to be there.
    public var baseTime: DateTime?
    /// Minutes after the base time.
    public var timeOffset: Int?
    /// The concentration in mg/dl.
    public var milligramsPerDecilitre: Double?
    /// The concentration in mmol/l.
    public var millimolesPerLitre: Double?
    /// The fluid: `capillary whole blood` and others; there with a concentration.
    public var sampleType: String?
    /// The place of the sample: `finger` and others; there with a concentration.
    public var sampleLocation: String?
    /// The remarks of the sensor: `battery low`, `result too high` and others.
    public var sensorStatus: [String]?
    /// Whether a Glucose Measurement Context follows.
    public var hasContext: Bool = false

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("sequence_number", \.sequenceNumber),
            .init("base_time", \.baseTime),
            .init("time_offset_min", \.timeOffset),
            .init("glucose_mg_per_dl", \.milligramsPerDecilitre),
            .init("glucose_mmol_per_l", \.millimolesPerLitre),
            .init("sample_type", \.sampleType),
            .init("sample_location", \.sampleLocation),
            .init("sensor_status", \.sensorStatus),
            .init("context_follows", \.hasContext),
        ]
    }
}
