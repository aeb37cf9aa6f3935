// SPDX-License-Identifier: MIT

/// A kind of object of BTHome: its number, name, size, factor and unit.
///
/// Spec: bthome.io, format v2, the tables of objects
public struct BTHomeObjectType: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        /// A number without sign in this many octets, in units of `factor`·10^`exponent`.
        case unsigned(Int, factor: Int64 = 1, exponent: Int = 0)
        /// A number in two's complement.
        case signed(Int, factor: Int64 = 1, exponent: Int = 0)
        /// An octet with one of two states.
        case state(off: String, on: String)
        case button
        /// A turn of a dimmer, with the number of steps.
        case dimmer
        /// The length, and text or octets.
        case text, octets
        /// A command: the number of its arguments' octets in the lower five bits, its number, and the arguments.
        case command
        /// Seconds since 1970.
        case time
        /// Numbers of a version, the least significant first.
        case version(Int)
    }

    /// The number.
    public let id: UInt8
    /// The name: `temperature`.
    public let name: String
    /// The unit of a number; empty if it has none.
    public let unit: String
    let form: Form
    /// Whether the unit alone says what the number is.
    private let isPlain: Bool

    private init(_ id: UInt8, _ name: String, _ form: Form, _ unit: String = "", plain isPlain: Bool = false) {
        self.id = id
        self.name = name
        self.unit = unit
        self.form = form
        self.isPlain = isPlain
    }

    var label: String { String(name.map { $0 == "_" ? " " : $0 }) }

    /// The place of such an object in the line of a device.
    var place: AdvertisedFact.Place {
        // The packet's number and the facts about the device are not measurements.
        if id == 0 || id >= 0xF0 { return .detail }
        return isPlain ? .main : .named
    }

    var states: (off: String, on: String) {
        if case .state(let off, let on) = form { (off, on) } else { ("off", "on") }
    }

    var events: [UInt8: String] {
        switch form {
        case .button:
            [
                0: "none", 1: "press", 2: "double press", 3: "triple press", 4: "long press", 5: "long double press",
                6: "long triple press", 0x80: "hold press",
            ]
        case .dimmer: [0: "none", 1: "rotate left", 2: "rotate right"]
        case .unsigned, .signed, .state, .text, .octets, .command, .time, .version: [:]
        }
    }

    /// Decodes the value after the object's number.
    func value(_ reader: inout ByteReader) throws(DecodeError) -> BTHome.Value {
        switch form {
        case .unsigned(let octets, let factor, let exponent):
            .number(AdvertisedNumber(try reader.unsigned(octets, name) * factor, exponent: exponent))
        case .signed(let octets, let factor, let exponent):
            .number(AdvertisedNumber(try reader.signed(octets, name) * factor, exponent: exponent))
        case .state: .state(try reader.uint8(name) != 0)
        case .button: .event(try reader.uint8(name), steps: nil)
        case .dimmer: .event(try reader.uint8(name), steps: try reader.uint8("steps"))
        case .text:
            .text(String(decoding: try reader.bytes(Int(try reader.uint8("length of the text")), name), as: UTF8.self))
        case .octets: .octets(try reader.bytes(Int(try reader.uint8("length of the octets")), name))
        case .command: .octets(try reader.bytes(Int(try reader.uint8("length of the arguments") & 0x1F) + 1, name))
        case .time: .time(try reader.uint32(name))
        case .version(let octets): .version(try reader.bytes(octets, name).reversed())
        }
    }

    /// The type with that number; `nil` if none is known.
    public static func with(id: UInt8) -> BTHomeObjectType? { byID[Int(id)] }

    private static let byID: [BTHomeObjectType?] = {
        var types: [BTHomeObjectType?] = Array(repeating: nil, count: 256)
        for type in all { types[Int(type.id)] = type }
        return types
    }()

    /// All known types, in the order of their numbers.
    public static let all: [BTHomeObjectType] = measurements + states + laterMeasurements + devices

    private static let measurements: [BTHomeObjectType] = [
        BTHomeObjectType(0x00, "packet_id", .unsigned(1)),
        BTHomeObjectType(0x01, "battery", .unsigned(1), "%"),
        BTHomeObjectType(0x02, "temperature", .signed(2, exponent: -2), "°C", plain: true),
        BTHomeObjectType(0x03, "humidity", .unsigned(2, exponent: -2), "%", plain: true),
        BTHomeObjectType(0x04, "pressure", .unsigned(3, exponent: -2), "hPa", plain: true),
        BTHomeObjectType(0x05, "illuminance", .unsigned(3, exponent: -2), "lx", plain: true),
        BTHomeObjectType(0x06, "mass", .unsigned(2, exponent: -2), "kg", plain: true),
        BTHomeObjectType(0x07, "mass", .unsigned(2, exponent: -2), "lb", plain: true),
        BTHomeObjectType(0x08, "dew_point", .signed(2, exponent: -2), "°C"),
        BTHomeObjectType(0x09, "count", .unsigned(1)),
        BTHomeObjectType(0x0A, "energy", .unsigned(3, exponent: -3), "kWh", plain: true),
        BTHomeObjectType(0x0B, "power", .unsigned(3, exponent: -2), "W", plain: true),
        BTHomeObjectType(0x0C, "voltage", .unsigned(2, exponent: -3), "V", plain: true),
        BTHomeObjectType(0x0D, "pm2_5", .unsigned(2), "µg/m³"),
        BTHomeObjectType(0x0E, "pm10", .unsigned(2), "µg/m³"),
        BTHomeObjectType(0x12, "co2", .unsigned(2), "ppm"),
        BTHomeObjectType(0x13, "tvoc", .unsigned(2), "µg/m³"),
        BTHomeObjectType(0x14, "moisture", .unsigned(2, exponent: -2), "%"),
    ]

    private static let states: [BTHomeObjectType] = [
        BTHomeObjectType(0x0F, "generic", .state(off: "off", on: "on")),
        BTHomeObjectType(0x10, "power_state", .state(off: "off", on: "on")),
        BTHomeObjectType(0x11, "opening", .state(off: "closed", on: "open")),
        BTHomeObjectType(0x15, "battery_state", .state(off: "normal", on: "low")),
        BTHomeObjectType(0x16, "battery_charging", .state(off: "no", on: "yes")),
        BTHomeObjectType(0x17, "carbon_monoxide", .state(off: "not detected", on: "detected")),
        BTHomeObjectType(0x18, "cold", .state(off: "normal", on: "cold")),
        BTHomeObjectType(0x19, "connectivity", .state(off: "disconnected", on: "connected")),
        BTHomeObjectType(0x1A, "door", .state(off: "closed", on: "open")),
        BTHomeObjectType(0x1B, "garage_door", .state(off: "closed", on: "open")),
        BTHomeObjectType(0x1C, "gas_state", .state(off: "clear", on: "detected")),
        BTHomeObjectType(0x1D, "heat", .state(off: "normal", on: "hot")),
        BTHomeObjectType(0x1E, "light", .state(off: "none", on: "detected")),
        BTHomeObjectType(0x1F, "lock", .state(off: "locked", on: "unlocked")),
        BTHomeObjectType(0x20, "moisture_state", .state(off: "dry", on: "wet")),
        BTHomeObjectType(0x21, "motion", .state(off: "clear", on: "detected")),
        BTHomeObjectType(0x22, "moving", .state(off: "no", on: "yes")),
        BTHomeObjectType(0x23, "occupancy", .state(off: "clear", on: "detected")),
        BTHomeObjectType(0x24, "plug", .state(off: "unplugged", on: "plugged in")),
        BTHomeObjectType(0x25, "presence", .state(off: "away", on: "home")),
        BTHomeObjectType(0x26, "problem", .state(off: "none", on: "problem")),
        BTHomeObjectType(0x27, "running", .state(off: "no", on: "yes")),
        BTHomeObjectType(0x28, "safety", .state(off: "unsafe", on: "safe")),
        BTHomeObjectType(0x29, "smoke", .state(off: "clear", on: "detected")),
        BTHomeObjectType(0x2A, "sound", .state(off: "clear", on: "detected")),
        BTHomeObjectType(0x2B, "tamper", .state(off: "no", on: "yes")),
        BTHomeObjectType(0x2C, "vibration", .state(off: "clear", on: "detected")),
        BTHomeObjectType(0x2D, "window", .state(off: "closed", on: "open")),
    ]

    private static let laterMeasurements: [BTHomeObjectType] = [
        BTHomeObjectType(0x2E, "humidity", .unsigned(1), "%", plain: true),
        BTHomeObjectType(0x2F, "moisture", .unsigned(1), "%"),
        BTHomeObjectType(0x3A, "button", .button),
        BTHomeObjectType(0x3B, "command", .command),
        BTHomeObjectType(0x3C, "dimmer", .dimmer),
        BTHomeObjectType(0x3D, "count", .unsigned(2)),
        BTHomeObjectType(0x3E, "count", .unsigned(4)),
        BTHomeObjectType(0x3F, "rotation", .signed(2, exponent: -1), "°"),
        BTHomeObjectType(0x40, "distance", .unsigned(2), "mm", plain: true),
        BTHomeObjectType(0x41, "distance", .unsigned(2, exponent: -1), "m", plain: true),
        BTHomeObjectType(0x42, "duration", .unsigned(3, exponent: -3), "s"),
        BTHomeObjectType(0x43, "current", .unsigned(2, exponent: -3), "A", plain: true),
        BTHomeObjectType(0x44, "speed", .unsigned(2, exponent: -2), "m/s", plain: true),
        BTHomeObjectType(0x45, "temperature", .signed(2, exponent: -1), "°C", plain: true),
        BTHomeObjectType(0x46, "uv_index", .unsigned(1, exponent: -1)),
        BTHomeObjectType(0x47, "volume", .unsigned(2, exponent: -1), "l", plain: true),
        BTHomeObjectType(0x48, "volume", .unsigned(2), "ml", plain: true),
        BTHomeObjectType(0x49, "volume_flow_rate", .unsigned(2, exponent: -3), "m³/h", plain: true),
        BTHomeObjectType(0x4A, "voltage", .unsigned(2, exponent: -1), "V", plain: true),
        BTHomeObjectType(0x4B, "gas", .unsigned(3, exponent: -3), "m³"),
        BTHomeObjectType(0x4C, "gas", .unsigned(4, exponent: -3), "m³"),
        BTHomeObjectType(0x4D, "energy", .unsigned(4, exponent: -3), "kWh", plain: true),
        BTHomeObjectType(0x4E, "volume", .unsigned(4, exponent: -3), "l", plain: true),
        BTHomeObjectType(0x4F, "water", .unsigned(4, exponent: -3), "l"),
        BTHomeObjectType(0x50, "timestamp", .time),
        BTHomeObjectType(0x51, "acceleration", .unsigned(2, exponent: -3), "m/s²", plain: true),
        BTHomeObjectType(0x52, "gyroscope", .unsigned(2, exponent: -3), "°/s", plain: true),
        BTHomeObjectType(0x53, "text", .text),
        BTHomeObjectType(0x54, "raw", .octets),
        BTHomeObjectType(0x55, "volume_storage", .unsigned(4, exponent: -3), "l"),
        BTHomeObjectType(0x56, "conductivity", .unsigned(2), "µS/cm", plain: true),
        BTHomeObjectType(0x57, "temperature", .signed(1), "°C", plain: true),
        BTHomeObjectType(0x58, "temperature", .signed(1, factor: 35, exponent: -2), "°C", plain: true),
        BTHomeObjectType(0x59, "count", .signed(1)),
        BTHomeObjectType(0x5A, "count", .signed(2)),
        BTHomeObjectType(0x5B, "count", .signed(4)),
        BTHomeObjectType(0x5C, "power", .signed(4, exponent: -2), "W", plain: true),
        BTHomeObjectType(0x5D, "current", .signed(2, exponent: -3), "A", plain: true),
        BTHomeObjectType(0x5E, "direction", .unsigned(2, exponent: -2), "°"),
        BTHomeObjectType(0x5F, "precipitation", .unsigned(2, exponent: -1), "mm"),
        BTHomeObjectType(0x60, "channel", .unsigned(1)),
        BTHomeObjectType(0x61, "rotational_speed", .unsigned(2), "rpm", plain: true),
        BTHomeObjectType(0x62, "speed", .signed(4, exponent: -6), "m/s", plain: true),
        BTHomeObjectType(0x63, "acceleration", .signed(4, exponent: -6), "m/s²", plain: true),
        BTHomeObjectType(0x64, "light_level", .unsigned(1)),
        BTHomeObjectType(0x65, "settings_revision", .unsigned(1)),
    ]

    private static let devices: [BTHomeObjectType] = [
        BTHomeObjectType(0xF0, "device_type", .unsigned(2)),
        BTHomeObjectType(0xF1, "firmware_version", .version(4)),
        BTHomeObjectType(0xF2, "firmware_version", .version(3)),
    ]
}
