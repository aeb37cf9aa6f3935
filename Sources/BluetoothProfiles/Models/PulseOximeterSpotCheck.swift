// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of PLX Spot-Check Measurement (0x2A5E).
///
/// Spec: Pulse Oximeter Service 1.0.1, 3.1
public struct PulseOximeterSpotCheck: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A5E }

    /// The oxygen saturation of the blood in percent.
    public var oxygenSaturation: Double?
    /// Beats per minute.
    public var pulseRate: Double?
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The state of the measurement.
    public var measurementStatus: [String]?
    /// The remarks of the device and its sensor.
    public var sensorStatus: [String]?
    /// The pulse amplitude index in percent.
    public var pulseAmplitudeIndex: Double?
    /// Whether the clock of the time stamp was never set.
    public var isClockUnset: Bool = false

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("spo2_percent", \.oxygenSaturation),
            .init("pulse_rate_bpm", \.pulseRate),
            .init("time_stamp", \.timeStamp),
            .init("measurement_status", \.measurementStatus),
            .init("sensor_status", \.sensorStatus),
            .init("pulse_amplitude_index_percent", \.pulseAmplitudeIndex),
            .init("clock_not_set", \.isClockUnset),
        ]
    }
}
