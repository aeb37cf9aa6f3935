// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Blood Pressure Measurement (0x2A35). Pressures are in one unit: set those in mmHg or those in kPa.
///
/// Spec: Blood Pressure Service 1.1, 3.1
public struct BloodPressureMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A35 }

    /// The systolic pressure in mmHg.
    public var systolicMillimetresOfMercury: Double?
    /// The systolic pressure in kPa.
    public var systolicKilopascals: Double?
    /// The diastolic pressure in mmHg.
    public var diastolicMillimetresOfMercury: Double?
    /// The diastolic pressure in kPa.
    public var diastolicKilopascals: Double?
    /// The mean arterial pressure in mmHg.
    public var meanMillimetresOfMercury: Double?
    /// The mean arterial pressure in kPa.
    public var meanKilopascals: Double?
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// Beats per minute.
    public var pulseRate: Double?
    /// The number of the user, 0 to 254.
    public var user: Int?
    /// The disturbances of the measurement: `body movement`, `irregular pulse` and others; `nil` if the value has no
    /// status.
    public var status: [String]?

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("systolic_mmhg", \.systolicMillimetresOfMercury),
            .init("systolic_kpa", \.systolicKilopascals),
            .init("diastolic_mmhg", \.diastolicMillimetresOfMercury),
            .init("diastolic_kpa", \.diastolicKilopascals),
            .init("mean_arterial_pressure_mmhg", \.meanMillimetresOfMercury),
            .init("mean_arterial_pressure_kpa", \.meanKilopascals),
            .init("time_stamp", \.timeStamp),
            .init("pulse_rate_bpm", \.pulseRate),
            .init("user_id", \.user),
            .init("status", \.status),
        ]
    }
}
