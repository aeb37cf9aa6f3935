// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Cycling Power Measurement (0x2A63).
///
/// Spec: Cycling Power Service 1.1, 3.2
public struct CyclingPowerMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A63 }

    /// The power in watts.
    public var power: Int = 0
    /// The share of one pedal in percent, with a resolution of 0.5.
    public var pedalPowerBalance: Double?
    /// The accumulated torque in N·m, with a resolution of 1/32.
    public var accumulatedTorque: Double?
    /// The revolutions of the wheel since the last reset, 32 bits; a measurement has it together with `lastWheelEvent`.
    public var wheelRevolutions: Int?
    /// The time of the latest wheel revolution in seconds, which begins again at 32 s.
    public var lastWheelEvent: Double?
    /// The revolutions of the crank, which begin again at 65,536.
    public var crankRevolutions: Int?
    /// The time of the latest crank revolution in seconds, which begins again at 64 s.
    public var lastCrankEvent: Double?
    /// The highest force in newtons.
    public var maximumForce: Int?
    /// The lowest force in newtons.
    public var minimumForce: Int?
    /// The highest torque in N·m.
    public var maximumTorque: Double?
    /// The lowest torque in N·m.
    public var minimumTorque: Double?
    /// The angles of the crank with the highest and the lowest force.
    public var extremeAngles: ExtremeAngles?
    /// The angle of the top dead spot in degrees.
    public var topDeadSpot: Int?
    /// The angle of the bottom dead spot in degrees.
    public var bottomDeadSpot: Int?
    /// The accumulated energy in kJ.
    public var accumulatedEnergy: Int?
    /// The pedal of the balance: `left` or `unknown`.
    public var balanceReference: String?
    /// The place where the torque is measured: `wheel` or `crank`.
    public var torqueSource: String?
    /// Whether the offset is to be compensated for.
    public var compensatesOffset: Bool = false

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("power_w", \.power),
            .init("pedal_power_balance_percent", \.pedalPowerBalance),
            .init("accumulated_torque_nm", \.accumulatedTorque),
            .init("wheel_revolutions", \.wheelRevolutions),
            .init("last_wheel_event_s", \.lastWheelEvent),
            .init("crank_revolutions", \.crankRevolutions),
            .init("last_crank_event_s", \.lastCrankEvent),
            .init("maximum_force_n", \.maximumForce),
            .init("minimum_force_n", \.minimumForce),
            .init("maximum_torque_nm", \.maximumTorque),
            .init("minimum_torque_nm", \.minimumTorque),
            .init("extreme_angles_degrees", \.extremeAngles),
            .init("top_dead_spot_angle_degrees", \.topDeadSpot),
            .init("bottom_dead_spot_angle_degrees", \.bottomDeadSpot),
            .init("accumulated_energy_kj", \.accumulatedEnergy),
            .init("pedal_power_balance_reference", \.balanceReference),
            .init("torque_source", \.torqueSource),
            .init("offset_compensation", \.compensatesOffset),
        ]
    }
}

/// Two angles of the crank in degrees, 0 to 4095.
public struct ExtremeAngles: Hashable, Sendable, ModelValue {
    /// The angle with the highest force or torque.
    public var maximum: Int
    /// The angle with the lowest force or torque.
    public var minimum: Int

    /// Creates a pair of angles.
    public init(maximum: Int, minimum: Int) {
        self.maximum = maximum
        self.minimum = minimum
    }

    public init?(content: DecodedValue.Content) {
        guard let maximum = content["maximum"].flatMap({ Int(content: $0) }),
            let minimum = content["minimum"].flatMap({ Int(content: $0) })
        else { return nil }
        self.init(maximum: maximum, minimum: minimum)
    }

    public var content: DecodedValue.Content {
        .object([.init("maximum", .number(maximum)), .init("minimum", .number(minimum))])
    }
}
