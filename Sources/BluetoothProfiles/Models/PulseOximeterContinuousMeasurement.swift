// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of PLX Continuous Measurement (0x2A5F).
///
/// Spec: Pulse Oximeter Service 1.0.1, 3.2
public struct PulseOximeterContinuousMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A5F }

    /// The oxygen saturation of the blood in percent.
    public var oxygenSaturation: Double?
    /// Beats per minute.
    public var pulseRate: Double?
    /// The oxygen saturation in percent, averaged over a short time (SpO2PR-Fast).
    public var fastOxygenSaturation: Double?
    /// The pulse rate in beats per minute, averaged over a short time (SpO2PR-Fast).
    public var fastPulseRate: Double?
    /// The oxygen saturation in percent, averaged over a long time (SpO2PR-Slow).
    public var slowOxygenSaturation: Double?
    /// The pulse rate in beats per minute, averaged over a long time (SpO2PR-Slow).
    public var slowPulseRate: Double?
    /// The state of the measurement.
    public var measurementStatus: [String]?
    /// The remarks of the device and its sensor.
    public var sensorStatus: [String]?
    /// The pulse amplitude index in percent.
    public var pulseAmplitudeIndex: Double?

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("spo2_percent", \.oxygenSaturation),
            .init("pulse_rate_bpm", \.pulseRate),
            .init("spo2_fast_percent", \.fastOxygenSaturation),
            .init("pulse_rate_fast_bpm", \.fastPulseRate),
            .init("spo2_slow_percent", \.slowOxygenSaturation),
            .init("pulse_rate_slow_bpm", \.slowPulseRate),
            .init("measurement_status", \.measurementStatus),
            .init("sensor_status", \.sensorStatus),
            .init("pulse_amplitude_index_percent", \.pulseAmplitudeIndex),
        ]
    }
}
