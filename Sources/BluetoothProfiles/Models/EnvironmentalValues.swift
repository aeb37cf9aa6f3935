// SPDX-License-Identifier: MIT

public import Bluetooth

/// The numbers of the Environmental Sensing service, one type each.
///
/// Spec: Environmental Sensing Service 1.0, 3.1; GATT Specification Supplement
public enum Environmental {}

extension Environmental {
    /// The value of Temperature (0x2A6E).
    public struct Temperature: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A6E }

        /// In degrees Celsius, with a resolution of 0.01; `nil` if it is not known.
        public var celsius: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(celsius: Double) { self.celsius = celsius }

        public static var members: [ModelMember<Self>] { [.init("temperature_c", \.celsius)] }
    }

    /// The value of Humidity (0x2A6F).
    public struct Humidity: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A6F }

        /// In percent, 0 to 100, with a resolution of 0.01; `nil` if it is not known.
        public var percent: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(percent: Double) { self.percent = percent }

        public static var members: [ModelMember<Self>] { [.init("humidity_percent", \.percent)] }
    }

    /// The value of Pressure (0x2A6D).
    public struct Pressure: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A6D }

        /// In pascals, with a resolution of 0.1; `nil` if it is not known.
        public var pascals: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(pascals: Double) { self.pascals = pascals }

        public static var members: [ModelMember<Self>] { [.init("pressure_pa", \.pascals)] }
    }

    /// The value of Elevation (0x2A6C).
    public struct Elevation: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A6C }

        /// In metres, with a resolution of 0.01; `nil` if it is not known.
        public var metres: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(metres: Double) { self.metres = metres }

        public static var members: [ModelMember<Self>] { [.init("elevation_m", \.metres)] }
    }

    /// The value of Dew Point (0x2A7B).
    public struct DewPoint: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A7B }

        /// In whole degrees Celsius; `nil` if it is not known.
        public var celsius: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(celsius: Double) { self.celsius = celsius }

        public static var members: [ModelMember<Self>] { [.init("dew_point_c", \.celsius)] }
    }

    /// The value of Heat Index (0x2A7A).
    public struct HeatIndex: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A7A }

        /// In whole degrees Celsius; `nil` if it is not known.
        public var celsius: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(celsius: Double) { self.celsius = celsius }

        public static var members: [ModelMember<Self>] { [.init("heat_index_c", \.celsius)] }
    }

    /// The value of Wind Chill (0x2A79).
    public struct WindChill: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A79 }

        /// In whole degrees Celsius; `nil` if it is not known.
        public var celsius: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(celsius: Double) { self.celsius = celsius }

        public static var members: [ModelMember<Self>] { [.init("wind_chill_c", \.celsius)] }
    }

    /// The value of UV Index (0x2A76).
    public struct UVIndex: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A76 }

        /// In steps of the index; `nil` if it is not known.
        public var index: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(index: Double) { self.index = index }

        public static var members: [ModelMember<Self>] { [.init("uv_index", \.index)] }
    }

    /// The value of Irradiance (0x2A77).
    public struct Irradiance: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A77 }

        /// In W/m², with a resolution of 0.1; `nil` if it is not known.
        public var wattsPerSquareMetre: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(wattsPerSquareMetre: Double) { self.wattsPerSquareMetre = wattsPerSquareMetre }

        public static var members: [ModelMember<Self>] { [.init("irradiance_w_per_m2", \.wattsPerSquareMetre)] }
    }

    /// The value of Rainfall (0x2A78).
    public struct Rainfall: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A78 }

        /// In millimetres; `nil` if it is not known.
        public var millimetres: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(millimetres: Double) { self.millimetres = millimetres }

        public static var members: [ModelMember<Self>] { [.init("rainfall_mm", \.millimetres)] }
    }

    /// The value of True Wind Speed (0x2A70).
    public struct TrueWindSpeed: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A70 }

        /// In m/s, with a resolution of 0.01; `nil` if it is not known.
        public var metresPerSecond: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(metresPerSecond: Double) { self.metresPerSecond = metresPerSecond }

        public static var members: [ModelMember<Self>] { [.init("true_wind_speed_mps", \.metresPerSecond)] }
    }

    /// The value of True Wind Direction (0x2A71).
    public struct TrueWindDirection: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2A71 }

        /// In degrees, 0 to 359.99; `nil` if it is not known.
        public var degrees: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(degrees: Double) { self.degrees = degrees }

        public static var members: [ModelMember<Self>] { [.init("true_wind_direction_degrees", \.degrees)] }
    }

    /// The value of Carbon Dioxide Concentration (0x2B8C).
    public struct CarbonDioxideConcentration: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2B8C }

        /// In parts per million, 0 to 65,533; `nil` if it is not known.
        public var partsPerMillion: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(partsPerMillion: Double) { self.partsPerMillion = partsPerMillion }

        public static var members: [ModelMember<Self>] { [.init("co2_concentration_ppm", \.partsPerMillion)] }
    }

    /// The value of Illuminance (0x2AFB).
    public struct Illuminance: MemberwiseModel {
        public static var characteristic: BluetoothUUID { 0x2AFB }

        /// In lux, with a resolution of 0.01; `nil` if it is not known.
        public var lux: Double?

        /// A value that is not known.
        public init() {}

        /// A known value.
        public init(lux: Double) { self.lux = lux }

        public static var members: [ModelMember<Self>] { [.init("illuminance_lx", \.lux)] }
    }
}
