// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of CSC Measurement (0x2A5B): the speed and cadence of a bicycle, as counts and times.
///
/// Spec: Cycling Speed and Cadence Service 1.0, 3.1
public struct CSCMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A5B }

    /// The revolutions of the wheel since the last reset, 32 bits; a measurement has it together with `lastWheelEvent`.
    public var wheelRevolutions: Int?
    /// The time of the latest wheel revolution in seconds, which begins again at 64 s.
    public var lastWheelEvent: Double?
    /// The revolutions of the crank, which begin again at 65,536.
    public var crankRevolutions: Int?
    /// The time of the latest crank revolution in seconds, which begins again at 64 s.
    public var lastCrankEvent: Double?

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("wheel_revolutions", \.wheelRevolutions),
            .init("last_wheel_event_s", \.lastWheelEvent),
            .init("crank_revolutions", \.crankRevolutions),
            .init("last_crank_event_s", \.lastCrankEvent),
        ]
    }
}
