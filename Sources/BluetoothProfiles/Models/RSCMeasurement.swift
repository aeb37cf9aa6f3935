// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of RSC Measurement (0x2A53): the speed and cadence of a runner.
///
/// Spec: Running Speed and Cadence Service 1.0, 3.1
public struct RSCMeasurement: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A53 }

    /// Metres per second, with a resolution of 1/256.
    public var speed: Double = 0
    /// Steps of one foot per minute, 0 to 255.
    public var cadence: Int = 0
    /// The length of a stride in metres.
    public var strideLength: Double?
    /// The distance in metres.
    public var totalDistance: Double?
    /// `walking` or `running`.
    public var gait: String = "walking"

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("speed_mps", \.speed),
            .init("cadence_per_minute", \.cadence),
            .init("stride_length_m", \.strideLength),
            .init("total_distance_m", \.totalDistance),
            .init("gait", \.gait),
        ]
    }
}
