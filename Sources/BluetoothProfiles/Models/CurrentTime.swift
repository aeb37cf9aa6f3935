// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Current Time (0x2A2B).
///
/// Spec: Current Time Service 1.1, 3.1
public struct CurrentTime: MemberwiseModel {
    public static var characteristic: BluetoothUUID { 0x2A2B }

    /// The date and the time of day. It has to be there.
    public var dateTime: DateTime?
    /// The day of the week in lower case: `monday`.
    public var dayOfWeek: String = "unknown"
    /// The fraction of the second, with a resolution of 1/256.
    public var fraction: Double = 0
    /// Why the time was adjusted: `manual time update`, `time zone change` and others.
    public var adjustReasons: [String] = []

    /// A value with nothing in it. Set the properties that the value is to have.
    public init() {}

    public static var members: [ModelMember<Self>] {
        [
            .init("date_time", \.dateTime),
            .init("day_of_week", \.dayOfWeek),
            .init("fraction_s", \.fraction),
            .init("adjust_reason", \.adjustReasons),
        ]
    }
}
